"""The portal's pages, from the functions in `pages.html`, and the same pages after a redesign."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import Any, Final
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


_WORDS: Final = {
    "Download letter": "Get the letter (PDF)",
    ">Next<": ">Next page<",
    ">Previous<": ">Page before<",
    "Submit claim": "Send claim",
    ">New claim<": ">File a claim<",
    ">Apply<": ">Show<",
    "Sign out": "Log out",
    '<button class="primary wide" type="submit">Sign in': '<button class="primary wide" type="submit">Log in',
    "User name": "User ID",
}


_NAVIGATION: Final = re.compile(r'(<nav aria-label="Main">)(<a .*?</a>)(<a .*?</a>)(</nav>)')


_STATUS_HEADER: Final = re.compile(
    r'(<th scope="col">Claim</th>)(.*?)(<th scope="col">Status</th>)', re.DOTALL
)


_STATUS_CELL: Final = re.compile(
    r'(<tr><th scope="row">.*?</th>)(.*?)(<td><span class="status[^>]*>[^<]*</span></td>)(</tr>)', re.DOTALL
)


_MAIN: Final = re.compile(r"(<main [^>]*>)(.*)(</main>)", re.DOTALL)


_BUTTON: Final = re.compile(r'<a class="button[^>]*>[^<]*</a>')


_ID: Final = re.compile(r'\b(id|for|aria-labelledby)="([\w-]+)"')


_FRAGMENT: Final = re.compile(r'href="#([\w-]+)"')


_CLASS: Final = re.compile(r'\bclass="([^"]*)"')


_STYLE_CLASS: Final = re.compile(r"\.([a-z][\w-]*)")


def broken_page(html: str) -> str:
    """The page after a redesign, as `Break the portal` shows it.

    Ids, classes, words, the order of links and columns, and the nesting change; what a person sees and does
    stays the same. The finished HTML is changed, so that the pages need not know about it.
    """
    for before, after in _WORDS.items():
        html = html.replace(before, after)
    html = _NAVIGATION.sub(r"\1\3\2\4", html)
    html = _STATUS_HEADER.sub(r"\1\3\2", html)
    html = _STATUS_CELL.sub(r"\1\3\2\4", html)
    html = _MAIN.sub(r"\1<div><section><div>\2</div></section></div>\3", html)
    html = _BUTTON.sub(r'<span class="wrap">\g<0></span>', html)
    # last: the patterns above match the old names
    html = _ID.sub(lambda found: f'{found[1]}="{_renamed(found[2])}"', html)
    html = _FRAGMENT.sub(lambda found: f'href="#{_renamed(found[1])}"', html)
    return _CLASS.sub(lambda found: f'class="{" ".join(map(_renamed, found[1].split()))}"', html)


def broken_style(css: str) -> str:
    """The style sheet with the same new names, so that the pages look as before."""
    return _STYLE_CLASS.sub(lambda found: f".{_renamed(found[1])}", css)


def _renamed(name: str) -> str:
    """Another name for an id or a class, always the same one."""
    # derived from the name, so that the style sheet and all pages agree
    return f"nw-{sum(map(ord, name)) * 7919 % 46_656:x}-{len(name)}{name[-1]}"
