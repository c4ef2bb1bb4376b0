"""Which locators count elements."""

from typing import Any

import pytest

from pagehand.engine.repair.element_memory import is_another, is_positional, matches_another
from pagehand.errors import NotPresent
from pagehand.workflow.locator import Locator
from pagehand.workflow.tree import Envelope


def block(**locator: Any) -> Envelope:
    return Envelope("block_1", "Click", "click", "Mouse", {}, locator)


@pytest.mark.parametrize(
    ("locator", "counts"),
    [
        ({"css": "li:nth-child(3)"}, True),
        ({"css": "li:nth-of-type( 12 ) a"}, True),
        ({"xpath": "//li[3]"}, True),
        # the first is meant as the first
        ({"css": "li:nth-child(1)"}, False),
        ({"xpath": "//li[1]"}, False),
        ({"css": "#save"}, False),
        # a text says which element is meant
        ({"css": "li:nth-child(3)", "text": "Save"}, False),
    ],
)
def test_a_bare_selector_with_a_number_counts(locator: dict[str, Any], counts: bool) -> None:
    assert is_positional(Locator.model_validate(locator), block(**locator)) is counts


def test_a_template_in_the_locator_means_the_place() -> None:
    assert not is_positional(Locator(css="li:nth-child(3)"), block(css="li:nth-child({{index}})"))


def test_the_error_of_another_element_is_recognized() -> None:
    assert is_another(matches_another(Locator(css="li:nth-child(3)")))
    assert not is_another(NotPresent("No element matches `Save`."))
