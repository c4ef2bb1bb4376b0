"""Pages as phrases see them, put together without a browser."""

from typing import Any

import msgspec

from pagehand.page.phrases import FrameReport, Snapshot

Json = dict[str, Any]

_FIELDS = frozenset(("textbox", "searchbox", "combobox", "checkbox", "radio", "listbox", "file"))
_NOT_CONTROLS = frozenset(("heading", "img", "row", "cell", "frame"))


def element(role: str, name: str = "", *, source: str = "", **more: Any) -> Json:
    """One element as the page's script reports it; `more` replaces single fields."""
    is_field = role in _FIELDS
    source = source or ("label" if is_field else "text")
    return {
        "index": 0,
        "role": role,
        "tag": {"link": "a", "button": "button"}.get(role, "input" if is_field else "div"),
        "names": [[source, name]] if name else [],
        "sections": [],
        "landmarks": ["main"],
        "row": None,
        "rowLevel": 1,
        "column": "",
        "nearbyTexts": [],
        "box": [0, 0, 10, 10],
        "path": f"#{role}-{name.replace(' ', '-')}",
        "isEnabled": True,
        "isField": is_field,
        "isControl": role not in _NOT_CONTROLS,
        "hasMenu": False,
        "isToggle": False,
        "looksLikeButton": False,
    } | more


def row(number: int, *parts: str, index: int, count: int, outer: tuple[int, ...] = ()) -> Json:
    """A row or list item that reads as these parts."""
    return {
        "id": number, "text": " ".join(parts), "parts": list(parts),
        "index": index, "count": count, "ancestors": list(outer),
    }  # fmt: skip


def text(words: str, *box: float) -> Json:
    """A text and its box: left, top, right, bottom."""
    return {"text": words, "box": list(box)}


def frame(*elements: Json, rows: list[Json] | None = None, texts: list[Json] | None = None) -> FrameReport:
    """The report of one frame; elements are numbered in their order."""
    numbered = [{**item, "index": at} for at, item in enumerate(elements)]
    report = {"title": "", "candidates": numbered, "rows": rows or [], "texts": texts or []}
    return msgspec.convert(report, FrameReport)


def page(*elements: Json, rows: list[Json] | None = None, texts: list[Json] | None = None) -> Snapshot:
    """A page of one frame."""
    return Snapshot.from_reports([(None, frame(*elements, rows=rows, texts=texts))])
