"""The regular expressions of page scripts: the time for each grows with its text, whatever a page writes."""

from functools import cache
from pathlib import Path

import pytest

import pagehand
from support.page_script_patterns import ScriptPattern, script_patterns, slow_patterns

pytestmark = pytest.mark.slow
SHARES = 4


@cache
def all_patterns() -> list[ScriptPattern]:
    found = {
        (pattern.source, pattern.flags): pattern
        for pattern in script_patterns(Path(pagehand.__file__).parent)
    }
    return sorted(found.values(), key=lambda pattern: pattern.source)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("share", range(SHARES))
def test_no_pattern_of_a_page_script_takes_longer_than_in_proportion_to_its_text(share: int) -> None:
    assert slow_patterns(all_patterns()[share::SHARES], 60) == []


def test_patterns_of_all_page_scripts_are_collected() -> None:
    assert len(all_patterns()) > 140
    assert {"page/dom_core.js", "logins/sign_in_form.js", "browser/press.js", "blocks/page/popups.js"} <= {
        pattern.where for pattern in script_patterns(Path(pagehand.__file__).parent)
    }


@pytest.mark.parametrize("source", [r"\s+x", r"(?:a+)+b", r"^\S+@\S+\.\w+$", r"\([^)]*\)$"])
def test_slow_patterns_of_scripts_are_found(source: str) -> None:
    assert slow_patterns([ScriptPattern("here", source, "")], 60) != []


def test_patterns_of_scripts_that_take_their_time_in_proportion_are_not_blamed() -> None:
    fair = [
        ScriptPattern("here", source, "iu") for source in (r"\p{L}+", r"(^|[-_ ])(btn|link)([-_ ]|$)", r"\s+")
    ]
    assert slow_patterns(fair, 60) == []
