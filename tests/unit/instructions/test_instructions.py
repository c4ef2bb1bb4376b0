"""Instructions in users' words: the held-out list, and the one the grammar was written with."""

from collections import Counter

import pytest

from support.instructions import Json, instructions, judge


def test_of_the_held_out_instructions_most_are_exact_and_none_is_silently_wrong(
    capsys: pytest.CaptureFixture[str],
) -> None:
    verdicts = [(judge(instruction), instruction["say"]) for instruction in instructions("instructions.json")]
    counts = Counter(verdict for verdict, _ in verdicts)
    with capsys.disabled():
        print(f"\nheld-out instructions: {dict(counts)} of {len(verdicts)}")  # noqa: T201 - the counts are the point
    assert [say for verdict, say in verdicts if verdict == "wrong"] == []
    assert counts["exact"] >= 0.6 * len(verdicts)


@pytest.mark.parametrize("one", instructions("development.json"), ids=lambda one: one["say"][:60])
def test_an_instruction_of_the_development_list_gives_what_it_says(one: Json) -> None:
    assert judge(one) == "exact"
