"""A locator describes an element by at least one field, and knows when it counts instead."""

import pytest
from pydantic import ValidationError

from pagehand.workflow.locator import LOCATOR_KEYS, BlockLocator, Locator


def locator(**fields: str | None) -> Locator:
    return Locator.model_validate(fields)


@pytest.mark.parametrize(
    "css",
    ["li:nth-child(2)", "tr:nth-of-type(odd)", "a:first-child", "a:last-of-type", "p:nth-last-child(1)"],
)
def test_a_selector_that_counts_is_a_position(css: str) -> None:
    assert locator(css=css).is_position


@pytest.mark.parametrize("xpath", ["//tr[3]", "//a[ 1 ]", "//a[position() < 3]", "(//a)[last()]"])
def test_an_xpath_that_counts_is_a_position(xpath: str) -> None:
    assert locator(xpath=xpath).is_position


@pytest.mark.parametrize(
    "fields",
    [
        {"css": "#nth-2"},
        {"css": ".first-child"},
        {"css": "[data-row='3']"},
        {"xpath": "//a[@id='3']"},
        {"text": "position() 3"},
        {"words": "the first row"},
    ],
)
def test_what_names_an_element_is_none(fields: dict[str, str]) -> None:
    assert not locator(**fields).is_position


def test_what_stands_beside_words_narrows_them() -> None:
    assert locator(words="Save", frame="#f").beside_words is None
    assert locator(words="Save", role="button", frame="#f").beside_words == locator(role="button", frame="#f")


def test_it_reads_as_it_was_given() -> None:
    assert str(locator(role="img", altText="A „B“")) == "role `img`, altText `A „B“`"


@pytest.mark.parametrize("fields", [{}, {"frame": "#f"}, {"text": ""}, {"text": None, "css": None}])
def test_a_locator_that_describes_nothing_is_refused(fields: dict[str, str | None]) -> None:
    with pytest.raises(ValidationError, match="give at least one of words, role, text"):
        locator(**fields)


def test_a_block_may_mean_a_whole_frame() -> None:
    found = BlockLocator.model_validate({"frame": "#f"})
    assert found.is_frame
    assert not BlockLocator.model_validate({"frame": "#f", "text": "x"}).is_frame
    with pytest.raises(ValidationError, match="give at least one of"):
        BlockLocator.model_validate({"frame": ""})


def test_keys_are_those_of_the_wire() -> None:
    assert "altText" in LOCATOR_KEYS
    assert all(name.isidentifier() and "_" not in name for name in LOCATOR_KEYS)
