"""The two flows that are measured, as workflows; `bare.py` has the same as Playwright calls."""

from typing import Any

from measuring.site import FILLED

Block = dict[str, Any]


def visit(site: str) -> list[Block]:
    """Visit a page."""
    return [{"type": "Navigate", "data": {"url": f"{site}/"}}]


def form(site: str) -> list[Block]:
    """Fill in a form of seven fields, send it and read what comes back: twelve blocks."""
    return [
        {"type": "Navigate", "data": {"url": f"{site}/form"}},
        _input("Skipper", "TextInput", "Ada Nordmann"),
        _input("Ship", "TextInput", FILLED["ship"]),
        _input("Email", "TextInput", "ada@example.com"),
        _input("Length", "TextInput", "12"),
        _input("Flag", "NativeDropdown", FILLED["flag"]),
        _input("Remarks", "TextInput", "Arrives after dark, needs a pilot.\nLeaves on Sunday."),
        _input("Shore power", "Checkbox", "true"),
        {"type": "Mouse", "locator": {"role": "button", "text": "Show price"}, "data": {}},
        {
            "type": "WaitForCondition",
            "data": {"condition": {"element": {"css": "#price"}, "state": "visible"}},
        },
        {"type": "Mouse", "locator": {"role": "button", "text": "Book"}, "data": {}},
        {
            "type": "Extract",
            "data": {"fields": {name: {"locator": {"css": f"#{name}"}} for name in FILLED}},
        },
    ]


def _input(label: str, kind: str, value: str) -> Block:
    return {
        "type": "Input",
        "locator": {"label": label},
        "data": {"key": label, "inputType": kind, "value": value},
    }
