"""What people read of a finished execution."""

from collections.abc import Callable

from pagehand.engine.reporting.failure import Failure
from pagehand.engine.reporting.report import analysis, summary
from pagehand.errors import Diagnosis, NotPresent, OurFault, SiteDown
from pagehand.records import Execution
from pagehand.workflow.envelope import Envelope

MakeExecution = Callable[..., Execution]


def test_a_summary_says_what_was_done_in_how_long_and_what_came_out(make_execution: MakeExecution) -> None:
    text = summary(
        make_execution(), blocks_run=3, response={"rows": [1, 2], "n": 4}, duration_ms=1_500, problem=""
    )
    assert text == "“Claims” completed after 3 blocks in 1.5 s. It put out `rows` (2 items), `n`."


def test_a_failed_summary_says_why_and_keeps_what_came_out(make_execution: MakeExecution) -> None:
    execution = make_execution(downloads={"status": "success", "files": [{}]})
    text = summary(
        execution, blocks_run=1, response={}, duration_ms=20, problem="Block `Go` failed: no button\nTry: x"
    )
    assert "failed after 1 block in 20 ms: Block `Go` failed: no button." in text
    assert text.endswith("Nothing was put out. 1 file was downloaded.")


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
    ]


def test_trouble_outside_and_our_own_faults_are_told_apart() -> None:
    assert "outside" in analysis(Failure(None, SiteDown("down")))
    assert "Pagehand itself" in analysis(Failure(None, OurFault("oops")))
