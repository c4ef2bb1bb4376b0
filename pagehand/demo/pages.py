"""The portal's pages, from the functions in `pages.html`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from pagehand.demo.claims import CONTACTS, KINDS, STATUSES, TODAY, Claim
from pagehand.demo.letter import money

PAGE_SIZE = 8


@dataclass(frozen=True, slots=True)
class ClaimsListing:
    """What the claims table shows: a search, and one page of its results."""

    found: Sequence[Claim]
    words: str
    status: str
    page: int

    @property
    def pages(self) -> int:
        """How many pages there are; an empty list has one."""
        return max(1, ceil(len(self.found) / PAGE_SIZE))

    @property
    def shown(self) -> Sequence[Claim]:
        """The claims of this page."""
        return self.found[(self.page - 1) * PAGE_SIZE : self.page * PAGE_SIZE]

    def link(self, page: int) -> str:
        """The address of another page of the same search."""
        query = {"q": self.words, "status": self.status, "page": page}
        return "/claims?" + urlencode({name: value for name, value in query.items() if value})


def render(page: str, **values: Any) -> str:
    """The page of that name as HTML."""
    return _template().get_def(page).render(**_CONSTANTS, **values)


_CONSTANTS = {"CONTACTS": CONTACTS, "KINDS": KINDS, "STATUSES": STATUSES, "TODAY": TODAY, "money": money}


@cache
def _template() -> Any:
    # loaded with the first page: most services never show one
    template = import_module("mako.template").Template
    return template(
        filename=str(_PAGES), input_encoding="utf-8", default_filters=["h"], strict_undefined=True
    )


_PAGES = Path(__file__).with_name("pages.html")
