"""What a look calls a change of an element that is still found."""

from typing import Any

import pytest

from pagehand.engine.run import look
from pagehand.records.workflow import Fingerprint


def element(name: str, *, is_control: bool = True, heading: str = "", label: str = "") -> Fingerprint:
    attributes = {"aria-label": label} if label else {}
    return Fingerprint(name=name, is_control=is_control, heading=heading, attributes=attributes)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (element("Glass 17 $97.50", is_control=False), element("Water 21 $33.00", is_control=False)),
        (element("Inbox (3)"), element("Inbox (12)")),
        (element("Open", heading="14 claims"), element("Open", heading="15 claims")),
    ],
    ids=["rows of a table", "a counter", "a count in a heading"],
)
def test_other_data_is_no_change(before: Fingerprint, now: Fingerprint) -> None:
    assert list(look._changes(before, now)) == []  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (element("Save"), element("Keep 2"), "It is called “Keep 2” now, and was “Save”."),
        (
            element("rows", is_control=False, label="Claims"),
            element("rows", is_control=False, label="Policies"),
            "It is called “Policies” now, and was “Claims”.",
        ),
        (
            element("Open", heading="Claims"),
            element("Open", heading="Policies"),
            "It is under “Policies” now, and was under “Claims”.",
        ),
    ],
    ids=["a control", "a label", "a heading"],
)
def test_another_name_or_heading_is_said(before: Fingerprint, now: Fingerprint, said: str) -> None:
    assert list(look._changes(before, now)) == [said]  # pyright: ignore[reportPrivateUsage]


def placed(*path: str, landmark: str = "") -> Fingerprint:
    """An element inside of others, the innermost first."""
    return Fingerprint(name="Save", is_control=True, path=list(path), landmark=landmark)


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (
            placed("form", "div", "body"),
            placed("form", "div", "main", "div", "body", landmark="main"),
            "It is in another place of the page: `div` and `main` are around it now.",
        ),
        (
            placed("td", "tr", "body"),
            placed("div", "body"),
            (
                "It is in another place of the page: `div` is around it now, "
                "`td` and `tr` are no longer around it."
            ),
        ),
        (
            placed("a", "b"),
            placed("b", "a"),
            "It is in another place of the page: what is around it has another order.",
        ),
        (
            placed("div", landmark="main"),
            placed("div"),
            "It is in another place of the page: in no landmark now, and was in main.",
        ),
    ],
    ids=["wrapped", "other elements", "another order", "another landmark"],
)
def test_another_place_says_what_is_around_the_element(
    before: Fingerprint, now: Fingerprint, said: str
) -> None:
    assert list(look._changes(before, now)) == [said]  # pyright: ignore[reportPrivateUsage]


def test_a_wrapper_around_many_elements_is_one_change() -> None:
    paths = [("form", "div", "body"), ("li", "ul", "nav", "body"), ("tr", "table", "div", "body")]
    wrapped = [(*path[:-1], "main", "body") for path in paths]
    elements: list[Any] = [
        look.LookedElement(
            block_reference_id=f"b{number}",
            name=f"Block {number % 2}",
            url="https://a.example/",
            locator={"css": f"#e{number}"},
            status="moved",
            message=" ".join(look._changes(placed(*before), placed(*now))),  # pyright: ignore[reportPrivateUsage]
        )
        for number, (before, now) in enumerate(zip(paths, wrapped, strict=True))
    ]
    renamed = look.LookedElement(
        block_reference_id="b9",
        name="Save",
        url="",
        locator={},
        status="moved",
        message="It is called “Keep”.",
    )
    as_before = look.LookedElement(block_reference_id="b8", name="Go", url="", locator={}, status="asBefore")
    shared = list(look._shared_changes([*elements, renamed, as_before]))  # pyright: ignore[reportPrivateUsage]
    assert shared == [
        {
            "message": "It is in another place of the page: `main` is around it now.",
            "elements": 3,
            "blocks": ["Block 0", "Block 1"],
        },
        {"message": "It is called “Keep”.", "elements": 1, "blocks": ["Save"]},
    ]
