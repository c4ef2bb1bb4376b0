import re

from hypothesis import given, settings
from hypothesis import strategies as some

from pagehand.workflow.wildcard import matches

SHORT = some.text("ab*", max_size=8)


@settings(deadline=None)
@given(SHORT, some.text("ab\n", max_size=10))
def test_it_agrees_with_what_it_stands_for(pattern: str, text: str) -> None:
    meant = ".*".join(re.escape(part) for part in pattern.split("*"))
    assert matches(pattern, text) == (re.fullmatch(meant, text, re.DOTALL) is not None)


def test_other_signs_stand_for_themselves() -> None:
    assert matches("invoice [1]?.pdf", "invoice [1]?.pdf")
    assert not matches("invoice [1].pdf", "invoice 1.pdf")


def test_a_pattern_of_many_stars_takes_no_time() -> None:
    # by trying again from every place this would not end
    assert not matches("*a" * 5_000 + "*b", "a" * 50_000)
    assert matches("*a" * 5_000 + "*", "a" * 50_000)
