"""What people would call an element, and locators that name it by its row."""

import pytest

from pagehand.page.phrases import Snapshot, naming, resolve
from pagehand.page.phrases.naming import describe_elements, suggest_phrase
from support.page_snapshots import element, page, row


def orders(first: str, second: str, name: str = "Delete", source: str = "text") -> Snapshot:
    return page(
        element("button", name, source=source, row=1, rowLevel=2, path="#one"),
        element("button", name, source=source, row=2, rowLevel=2, path="#two"),
        rows=[row(1, first, index=0, count=2), row(2, second, index=1, count=2)],
    )


@pytest.mark.parametrize(
    ("snapshot", "at", "words", "matches"),
    [
        (page(element("button", "Save"), element("link", "Help")), 0, "Save button", 1),
        (page(element("combobox", "Country")), 0, "Country dropdown", 1),
        (page(element("button", "Not now"), element("button", "Not")), 0, "Not now button", 1),
        (page(element("button", "Row in use"), element("link", "In use")), 0, "Row in use button", 1),
        (orders("ACME-1", "ACME-17"), 1, "Delete button in the row of ACME-17", 1),
        (page(element("link", "Help"), element("link", "Help", path="#2")), 1, "Help link", 2),
    ],
)
def test_an_element_is_called_by_the_shortest_words_that_mean_it(
    snapshot: Snapshot, at: int, words: str, matches: int
) -> None:
    phrase = suggest_phrase(snapshot.candidates[at], snapshot)
    assert phrase is not None
    assert (phrase.words, phrase.matches) == (words, matches)


@pytest.mark.parametrize(
    "item",
    [element("button"), element("button", "x" * 61), element("button", "Search", source="icon")],
    ids=["no name", "a long name", "a name that nobody sees"],
)
def test_an_element_that_people_have_no_words_for_is_not_called_anything(item: dict[str, object]) -> None:
    snapshot = page(item)
    assert suggest_phrase(snapshot.candidates[0], snapshot) is None


@pytest.mark.parametrize(
    ("first", "quoted"), [("ACME-1", "'ACME-1'"), ("O'Brien", '"O\'Brien"'), ('5" nail', "'5\" nail'")]
)
def test_a_row_is_located_by_its_words_and_guarded_by_them(first: str, quoted: str) -> None:
    found = resolve(f"Delete in the row of {first.replace(chr(34), '')}", orders(first, "Other"))
    assert found.by_row is not None
    assert found.by_row.xpath is not None
    assert found.by_row.xpath.endswith("//button[normalize-space()='Delete']")
    assert f"[descendant::*[normalize-space()={quoted}]]" in found.by_row.xpath
    assert found.guard == f"//button[ancestor::*[2][descendant::*[normalize-space()={quoted}]]]"


def test_a_button_named_by_aria_is_located_by_its_label() -> None:
    found = resolve("Delete in the row of Ann", orders("Ann", "Bob", source="aria"))
    assert found.by_row is not None
    assert str(found.by_row.xpath).endswith("//button[@aria-label='Delete']")


def test_words_with_both_quotes_give_no_locator_by_row_since_xpath_cannot_quote_them() -> None:
    found = resolve("Delete in the row of It's 5 wide", orders("It's 5\" wide", "Other"))
    assert (found.by_row, found.guard) == (None, None)


def test_a_position_gives_no_locator_by_row() -> None:
    found = resolve("Delete in the second row", orders("A", "B"))
    assert (found.candidate.path, found.by_row, found.guard) == ("#two", None, None)


def test_a_part_of_what_a_row_says_guards_but_does_not_locate() -> None:
    found = resolve("Delete in the row of 17", orders("ACME-17", "ACME-1"))
    assert found.by_row is None
    assert found.guard == "//button[ancestor::*[2][descendant::*[normalize-space()='ACME-17']]]"


def test_a_page_in_words_lists_what_can_be_used_and_leads_to_each_element() -> None:
    snapshot = page(
        element("heading", "Orders"),
        element("img", "A picture"),
        element("link", "Help", path="#a"),
        element("link", "Help", path="#b"),
        element("button", "Save", isEnabled=False),
    )
    heading, first, second, save = describe_elements(snapshot)
    assert heading == {"role": "heading", "name": "Orders", "words": "Orders heading"}
    # no words mean one of the two alone
    assert [first["locator"], second["locator"]] == [{"css": "#a"}, {"css": "#b"}]
    assert save == {"role": "button", "name": "Save", "isDisabled": True, "words": "Save button"}
    assert resolve(save["words"], snapshot, "anything").candidate.name == "Save"


def test_a_page_in_words_is_limited_in_length_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = page(*(element("button", f"Button {number}", path=f"#b{number}") for number in range(300)))
    monkeypatch.setattr(naming, "_CPU_SECONDS_OF_PAGE", 0.0)
    described = describe_elements(snapshot)
    assert len(described) == 200
    assert all("locator" in item for item in described)
