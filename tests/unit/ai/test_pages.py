"""Words about pages that were seen: the newest first, and results as people count them."""

from typing import Any

import msgspec
import pytest

from pagehand.ai.grammar import NotUnderstood, read_instructions
from pagehand.ai.pages import SeenPages
from pagehand.words import Snapshot

Json = dict[str, Any]


def link(name: str, row: int | None = None, place: str = "main", section: str = "") -> Json:
    return {
        "index": 0,
        "role": "link",
        "tag": "a",
        "names": [["text", name]],
        "sections": [section] if section else [],
        "places": [place],
        "row": row,
        "column": "",
        "around": "",
        "box": [0, 0, 10, 10],
        "path": f"#{name.replace(' ', '-')}",
        "isEnabled": True,
        "isField": False,
        "isControl": True,
        "hasMenu": False,
        "isToggle": False,
    }


def page(*candidates: Json, rows: list[tuple[int, int, int]] | None = None) -> Snapshot:
    """`rows` are (id, index, count)."""
    made: list[Json] = [
        {"id": one, "text": "", "parts": [], "index": index, "count": count, "outer": []}
        for one, index, count in rows or []
    ]
    return Snapshot.from_reports([(None, {"title": "", "candidates": candidates, "rows": made, "texts": []})])


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
    [block] = read_instructions(f"Click the {which} result", pages=SeenPages([RESULTS]))
    assert block["locator"] == {"role": "link", "text": name}


def test_a_result_beyond_the_last_is_refused() -> None:
    with pytest.raises(NotUnderstood, match="the fourth result"):
        read_instructions("Click the fourth result", pages=SeenPages([RESULTS]))


def test_with_two_lists_the_one_headed_results_is_meant_and_otherwise_none() -> None:
    rows = [(1, 0, 2), (2, 1, 2), (3, 0, 2), (4, 1, 2)]
    others = [link("A", 1, section="Offers"), link("B", 2, section="Offers")]
    headed = [link("C", 3, section="Search results"), link("D", 4, section="Search results")]
    alike = [link("C", 3, section="News"), link("D", 4, section="News")]
    [block] = read_instructions(
        "Click the second result", pages=SeenPages([page(*others, *headed, rows=rows)])
    )
    assert block["locator"]["text"] == "D"
    with pytest.raises(NotUnderstood, match="several lists"):
        read_instructions("Click the second result", pages=SeenPages([page(*others, *alike, rows=rows)]))


def test_the_page_seen_last_is_meant_first_and_older_ones_after_it() -> None:
    seen = SeenPages([page(link("Orders")), page(link("Invoices"))])
    assert seen.find("the Invoices link", "control") == {"role": "link", "text": "Invoices"}
    assert seen.find("the Orders link", "control") == {"role": "link", "text": "Orders"}
    assert seen.find("the Letters link", "control") is None


def test_two_elements_that_fit_alike_are_refused() -> None:
    twice = page(link("Edit"), {**link("Edit"), "path": "#other"})
    with pytest.raises(NotUnderstood, match="2 elements"):
        read_instructions("Click the Edit link", pages=SeenPages([twice]))


def test_a_snapshot_survives_being_kept() -> None:
    kept = msgspec.json.decode(msgspec.json.encode(RESULTS), type=Snapshot)
    assert SeenPages([kept]).find("the second result", "control") == {"role": "link", "text": "Desk lamp"}
