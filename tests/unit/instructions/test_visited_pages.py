"""Words about visited pages: the newest first, and results as people count them."""

import msgspec
import pytest

from pagehand.instructions.chat import VisitedPages
from pagehand.instructions.grammar import NotUnderstood
from pagehand.page.phrases import ResolvedElement, Snapshot, TargetKind, resolve
from support.instructions import read_instructions
from support.page_snapshots import Json, element, row
from support.page_snapshots import page as shown_page


def link(name: str, number: int | None = None, place: str = "main", section: str = "") -> Json:
    return element("link", name, row=number, landmarks=[place], sections=[section] if section else [])


def page(*elements: Json, rows: list[tuple[int, int, int]] | None = None) -> Snapshot:
    """`rows` are (id, index, count)."""
    return shown_page(
        *elements, rows=[row(number, index=index, count=count) for number, index, count in rows or []]
    )


RESULTS = page(
    link("Home", 1, "navigation"),
    link("About us", 2, "navigation"),
    link("Floor lamp", 3),
    link("Read more", 3),
    link("Desk lamp", 4),
    link("Bulb", 5),
    rows=[(1, 0, 2), (2, 1, 2), (3, 0, 3), (4, 1, 3), (5, 2, 3)],
)


@pytest.mark.parametrize(
    ("which", "name"), [("first", "Floor lamp"), ("second", "Desk lamp"), ("3rd", "Bulb"), ("last", "Bulb")]
)
def test_a_result_is_the_first_link_of_its_item_outside_menus(which: str, name: str) -> None:
    assert VisitedPages([RESULTS]).find(f"the {which} result", "control") == {"role": "link", "text": name}


def test_words_that_count_stay_words_whatever_the_page_showed() -> None:
    [block] = read_instructions("Click the second result", pages=VisitedPages([RESULTS]))
    assert block["locator"] == {"words": "the second result"}


def test_a_result_beyond_the_last_is_refused() -> None:
    with pytest.raises(NotUnderstood, match="the fourth result"):
        read_instructions("Click the fourth result", pages=VisitedPages([RESULTS]))


def test_with_two_lists_the_one_headed_results_is_meant_and_otherwise_none() -> None:
    rows = [(1, 0, 2), (2, 1, 2), (3, 0, 2), (4, 1, 2)]
    others = [link("A", 1, section="Offers"), link("B", 2, section="Offers")]
    headed = [link("C", 3, section="Search results"), link("D", 4, section="Search results")]
    alike = [link("C", 3, section="News"), link("D", 4, section="News")]
    seen = VisitedPages([page(*others, *headed, rows=rows)])
    assert seen.find("the second result", "control") == {"role": "link", "text": "D"}
    with pytest.raises(NotUnderstood, match="several lists"):
        read_instructions("Click the second result", pages=VisitedPages([page(*others, *alike, rows=rows)]))


def test_the_page_seen_last_is_meant_first_and_older_ones_after_it() -> None:
    seen = VisitedPages([page(link("Orders")), page(link("Invoices"))])
    assert seen.find("the Invoices link", "control") == {"role": "link", "text": "Invoices"}
    assert seen.find("the Orders link", "control") == {"role": "link", "text": "Orders"}
    assert seen.find("the Letters link", "control") is None


def test_two_elements_that_fit_alike_are_refused() -> None:
    twice = page(link("Edit"), {**link("Edit"), "path": "#other"})
    with pytest.raises(NotUnderstood, match="2 elements"):
        read_instructions("Click the Edit link", pages=VisitedPages([twice]))


def test_a_snapshot_survives_being_kept() -> None:
    kept = msgspec.json.decode(msgspec.json.encode(RESULTS), type=Snapshot)
    assert VisitedPages([kept]).find("the second result", "control") == {"role": "link", "text": "Desk lamp"}


def test_stored_snapshots_of_earlier_releases_are_still_read() -> None:
    """The names in stored JSON stay, whatever the code calls the fields."""
    stored = msgspec.to_builtins(RESULTS)
    candidate = stored["views"][0]["candidates"][2]
    assert {"places", "around", "also", "names", "row"} < set(candidate)
    assert set(candidate["names"][0]) == {"source", "text", "plain", "spelled", "meant"}
    assert set(candidate["row"]) == {"id", "text", "parts", "index", "count", "outer", "texts"}


def test_a_bare_name_must_be_on_a_page_that_was_seen() -> None:
    seen = VisitedPages([page(link("Orders"))])
    for certain in ('"Letters"', "the Letters link", "Orders"):
        assert read_instructions(f"Click {certain}", pages=seen)
    with pytest.raises(NotUnderstood, match=r"`Letters`.*saw.*in quotes"):
        read_instructions("Click Letters", pages=seen)
    assert read_instructions("Click Letters", pages=VisitedPages([]))
    assert read_instructions("If Letters is shown, click Orders", pages=seen)


def test_the_words_of_a_row_stay_words() -> None:
    rows = [(1, 0, 2), (2, 1, 2)]
    table = page(*({**link("Delete", row), "path": f"tr:nth-child({row}) a"} for row in (1, 2)), rows=rows)
    for candidate in table.candidates:
        assert candidate.row is not None
    say = "the Delete link in the first row"
    [block] = read_instructions(f"Click {say}", pages=VisitedPages([table]))
    assert block["locator"] == {"words": say}


def test_a_place_in_the_page_is_never_kept() -> None:
    nameless = {**link("Remove"), "names": [["icon", "trash"]], "path": "div > a:nth-child(3)"}
    [block] = read_instructions("Click the trash link", pages=VisitedPages([page(nameless)]))
    assert block["locator"] == {"words": "the trash link"}


def test_what_stood_on_the_page_beyond_the_words_is_not_kept() -> None:
    [block] = read_instructions(
        "Click the Invoice link", pages=VisitedPages([page(link("Invoice 2026-117"))])
    )
    assert block["locator"] == {"words": "the Invoice link"}


def test_a_name_that_ends_in_a_word_for_a_kind_is_whole_when_the_page_has_it_whole() -> None:
    [block] = read_instructions(
        "Click Copy link", pages=VisitedPages([page(link("Copy link"), link("Copy"))])
    )
    assert block["locator"] == {"role": "link", "text": "Copy link"}


def test_the_same_words_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def count(words: str, snapshot: Snapshot, target: TargetKind) -> ResolvedElement:
        asked.append(words)
        return resolve(words, snapshot, target)

    monkeypatch.setattr("pagehand.instructions.chat.resolve", count)
    seen = VisitedPages([RESULTS])
    for words in ("Bulb", "Bulb", "Desk and Chair", "Desk and Chair"):
        seen.find(words, "control")
    assert asked == ["Bulb", "Desk and Chair"]
