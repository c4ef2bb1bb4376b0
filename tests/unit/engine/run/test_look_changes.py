"""What a look calls a change of an element that is still found."""

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
