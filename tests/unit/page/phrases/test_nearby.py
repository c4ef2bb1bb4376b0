"""What `next to`, `below` and their like mean, measured between boxes."""

from typing import Any

import pytest

from pagehand.errors import NotPresent
from pagehand.page.phrases import NotClear, Snapshot, resolve
from support.page_snapshots import element, page, row, text

Json = dict[str, Any]


def pay(path: str, *box: float, **more: Any) -> Json:
    return element("button", "Pay", box=list(box), path=path, **more)


BILLS = page(
    pay("#rent", 100, 0, 150, 20),
    pay("#power", 100, 40, 150, 60),
    pay("#gas", 100, 80, 150, 100),
    texts=[
        text("Rent", 0, 0, 50, 20),
        text("Power", 0, 40, 50, 60),
        text("Gas", 0, 80, 50, 100),
        text("Actions", 90, -60, 160, -40),
        text("Total", 90, 120, 160, 140),
        text("Far", 0, 5000, 50, 5020),
        text("Twice", 0, 300, 50, 320),
        text("Twice", 0, 600, 50, 620),
    ],
)


@pytest.mark.parametrize(
    ("phrase", "path"),
    [
        ("Pay next to Rent", "#rent"),
        ("Pay beside Power", "#power"),
        ("Pay by the text Gas", "#gas"),
        ("Pay to the right of Power", "#power"),
        ("Pay right of Gas", "#gas"),
        ("Pay below Actions", "#rent"),
        ("Pay above Total", "#gas"),
    ],
)
def test_the_nearest_on_that_side_is_meant(phrase: str, path: str) -> None:
    assert resolve(phrase, BILLS).candidate.path == path


@pytest.mark.parametrize(
    "phrase",
    ["Pay left of Power", "Pay above Actions", "Pay below Total", "Pay next to Water", "Pay near Far"],
)
def test_what_is_not_on_that_side_or_too_far_away_is_refused(phrase: str) -> None:
    with pytest.raises(NotPresent):
        resolve(phrase, BILLS)


def test_a_text_on_the_page_is_not_reported_as_unexplained() -> None:
    with pytest.raises(NotPresent) as refused:
        resolve("Pay left of Power", BILLS)
    assert "no single element fits all of its words" in refused.value.message


def test_words_in_several_places_measure_nothing() -> None:
    with pytest.raises(NotClear, match="`twice` is in 2 places"):
        resolve("Pay next to Twice", BILLS)


def test_two_that_are_about_as_near_are_unclear() -> None:
    both = page(
        pay("#left", 0, 0, 40, 20), pay("#right", 110, 0, 150, 20), texts=[text("Rent", 50, 0, 100, 20)]
    )
    with pytest.raises(NotClear, match="could mean 2 elements"):
        resolve("Pay next to Rent", both)
    assert resolve("Pay left of Rent", both).candidate.path == "#left"


def test_on_the_same_line_is_nearer_than_just_below() -> None:
    line = page(
        pay("#line", 200, 0, 250, 20), pay("#below", 0, 60, 50, 80), texts=[text("Rent", 0, 0, 50, 20)]
    )
    assert resolve("Pay next to Rent", line).candidate.path == "#line"


def test_a_heading_between_the_two_parts_them() -> None:
    heading = element("heading", "Archive", box=[0, 40, 200, 60])
    parted = page(pay("#old", 0, 80, 50, 100), heading, texts=[text("Rent", 0, 0, 50, 20)])
    with pytest.raises(NotPresent):
        resolve("Pay below Rent", parted)
    assert resolve("Pay below Rent", page(pay("#old", 0, 80, 50, 100), texts=[text("Rent", 0, 0, 50, 20)]))


def test_below_a_heading_is_its_own_section_and_nothing_else() -> None:
    heading = element("heading", "Bills", box=[0, 0, 200, 20])
    elsewhere = pay("#other", 0, 30, 50, 50, sections=["Archive"])
    with pytest.raises(NotPresent):
        resolve("Pay under Bills", page(heading, elsewhere))
    own = pay("#own", 0, 90, 50, 110, sections=["Bills"])
    assert resolve("Pay under Bills", page(heading, elsewhere, own)).candidate.path == "#own"


def test_what_stands_in_a_row_is_next_to_what_that_row_says_and_to_nothing_in_another() -> None:
    def table(*rows: Json) -> Snapshot:
        return page(
            pay("#one", 100, 0, 150, 20, row=1),
            pay("#two", 100, 21, 150, 41, row=2),
            rows=list(rows),
            texts=[text("Rent", 0, 20, 50, 40)],
        )

    named = table(row(1, "Rent", index=0, count=2), row(2, "Power", index=1, count=2))
    assert resolve("Pay next to Rent", named).candidate.path == "#one"
    unnamed = table(row(1, "Gas", index=0, count=2), row(2, "Power", index=1, count=2))
    with pytest.raises(NotPresent):
        resolve("Pay next to Rent", unnamed)


def test_a_text_within_another_box_is_one_place() -> None:
    nested = page(
        pay("#rent", 100, 0, 150, 20), texts=[text("Rent", 0, 0, 90, 20), text("Rent", 10, 5, 50, 15)]
    )
    assert resolve("Pay next to Rent", nested).candidate.path == "#rent"
