"""What people read of a finished execution."""

from collections.abc import Callable

import pytest

from pagehand.engine.reporting.report import Failure, analysis, summary
from pagehand.errors import BlockFailed, Diagnosis, NotPresent, OurFault, SiteDown
from pagehand.records import DownloadState, Execution, StoredFile
from pagehand.workflow.tree import Envelope

MakeExecution = Callable[..., Execution]


def test_a_summary_says_what_was_done_in_how_long_and_what_came_out(make_execution: MakeExecution) -> None:
    text = summary(
        make_execution(), blocks_run=3, response={"rows": [1, 2], "n": 4}, duration_ms=1_500, problem=""
    )
    assert text == "“Claims” completed after 3 blocks in 1.5 s. Outputs: `rows` (2 items), `n`."


def test_a_failed_summary_says_why_and_keeps_what_came_out(make_execution: MakeExecution) -> None:
    file = StoredFile(id="file_1", name="a.pdf", mime_type="application/pdf", size_bytes=1, key="a")
    execution = make_execution(downloads=DownloadState(status="success", files=[file]))
    text = summary(
        execution, blocks_run=1, response={}, duration_ms=20, problem="Block `Go` failed: no button\nTry: x"
    )
    assert "failed after 1 block in 20 ms: Block `Go` failed: no button." in text
    assert text.endswith("There are no outputs. 1 file was downloaded.")


def test_an_analysis_has_block_locator_expected_found_cause_and_advice() -> None:
    envelope = Envelope(
        "block_1", "Press Save", "save", "Mouse", {}, locator={"role": "button", "text": "Save"}
    )
    error = NotPresent(
        "nothing matched", Diagnosis("a Save button", "buttons Cancel, Back", "renamed", "use css")
    )
    text = analysis(Failure(envelope, error, "http://x/form", "Form"))
    assert text.splitlines() == [
        "nothing matched",
        "Block: `Press Save` (Mouse, `save`).",
        "Locator: role `button`, text `Save`.",
        "Expected: a Save button",
        "Found: buttons Cancel, Back",
        "Page: http://x/form (“Form”)",
        "Likely cause: renamed",
        "Try: use css",
        "Guide: /guide/healing.html",
    ]


def test_trouble_outside_and_our_own_faults_have_different_causes() -> None:
    assert "outside" in analysis(Failure(None, SiteDown("down")))
    assert "Pagehand itself" in analysis(Failure(None, OurFault("oops")))


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (1_000, "1.0 s"),
        (119_900, "119.9 s"),
        (120_000, "2 min 0 s"),
        (3_725_000, "62 min 5 s"),
    ],
)
def test_a_duration_is_in_the_unit_that_people_think_in(
    make_execution: MakeExecution, milliseconds: int, shown: str
) -> None:
    text = summary(make_execution(), blocks_run=0, response={}, duration_ms=milliseconds, problem="")
    assert f"after 0 blocks in {shown}." in text


def test_of_many_outputs_the_first_are_named_and_the_others_counted(make_execution: MakeExecution) -> None:
    response = {f"b{number}": [number] for number in range(11)}
    text = summary(make_execution(), blocks_run=11, response=response, duration_ms=1, problem="")
    assert text.endswith("`b7` (1 item) and 3 more.")


def test_the_summary_of_a_failure_begins_with_its_first_line_of_text(make_execution: MakeExecution) -> None:
    text = summary(
        make_execution(),
        blocks_run=1,
        response={},
        duration_ms=1,
        problem="\n\nThe total is too high.\nTry: x",
    )
    assert "in 1 ms: The total is too high. There are no outputs." in text


def test_a_picture_of_the_failed_block_is_pointed_at_where_nothing_better_is_known() -> None:
    failure = Failure(None, BlockFailed("It did not work."), has_picture=True)
    assert "executions/events" in analysis(failure)
    assert analysis(Failure(None, BlockFailed("It did not work."))) == "It did not work."


def test_a_note_on_retries_comes_last() -> None:
    assert analysis(Failure(None, BlockFailed("no")), "It is not tried again.").splitlines()[-1] == (
        "It is not tried again."
    )
