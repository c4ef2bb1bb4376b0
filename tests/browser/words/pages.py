"""Small pages, each in the manner of another front end; `data-is` says which element is which."""

from pathlib import Path


def _page(name: str) -> str:
    return (Path(__file__).parent / "html" / f"{name}.html").read_text(encoding="utf-8")


PLAIN = _page("plain")
TABLE = _page("table")
ARIA = _page("aria")
SOUP = _page("soup")
FRAMES = _page("frames")
SHADOW = _page("shadow")
ADMIN = _page("admin")
RECORDS = _page("records")
TICKETS = _page("tickets")
APPLICATION = _page("application")
SHOP = _page("shop")
PEOPLE = _page("people")
DEALS = _page("deals")
