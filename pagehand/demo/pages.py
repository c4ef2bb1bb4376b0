"""The portal's pages, from the functions in `pages.html`, with a redesign, and its letters as PDF."""

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

_PAGE_HEIGHT = 842
_LEFT = 72
_NAVY = "0.07 0.18 0.29"
_GREY = "0.36 0.42 0.48"
_REGULAR, _BOLD = "F1", "F2"
PAGE_SIZE = 8
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


def money(cents: int) -> str:
    """An amount as people write it: `$1,284.50`."""
    return f"${cents // 100:,}.{cents % 100:02}"


def claim_letter(claim: Claim) -> bytes:
    """The letter to the policy holder with the status of the claim."""
    text = _Text()
    text.line("Northwind Mutual", size=20, font=_BOLD, color=_NAVY, skip=28)
    text.line("Claims department · 12 Harbour Row · Northport", color=_GREY, skip=46)
    text.line(f"{TODAY:%d %B %Y}", skip=30)
    text.line(f"Your claim {claim.number}", size=15, font=_BOLD, color=_NAVY, skip=26)
    text.line(f"Dear {claim.holder},", skip=24)
    text.line(f"we have your claim under policy {claim.policy}, filed on {claim.filed:%d %B %Y}.", skip=17)
    text.line(f"Its status is: {claim.status}. {claim.adjuster} looks after it.", skip=34)
    for item in claim.items:
        text.pair(f"{item.text} ({item.quantity})", money(item.total_cents), skip=18)
    text.pair("Amount claimed", money(claim.total_cents), font=_BOLD, skip=40)
    text.line("Please keep receipts and photographs until the claim is closed.", skip=30)
    text.line(
        "Northwind Mutual is a made-up company. This letter is for trying things out.", size=9, color=_GREY
    )
    return _document(text.content(), title=f"Claim {claim.number}")


class _Text:
    """Lines of text from the top of the page down, as a PDF content stream."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._y = _PAGE_HEIGHT - 90

    def line(
        self, text: str, *, size: int = 11, font: str = _REGULAR, color: str = "0 0 0", skip: int = 17
    ) -> None:
        self._show(_LEFT, text, size, font, color)
        self._y -= skip

    def pair(self, left: str, right: str, *, font: str = _REGULAR, skip: int = 17) -> None:
        self._show(_LEFT, left, 11, font, "0 0 0")
        self._show(430, right, 11, font, "0 0 0")
        self._y -= skip

    def content(self) -> bytes:
        return b"\n".join(self._parts)

    def _show(self, x: int, text: str, size: int, font: str, color: str) -> None:
        place = f"BT {color} rg /{font} {size} Tf {x} {self._y} Td (".encode("ascii")
        self._parts.append(place + _literal(text) + b") Tj ET")


def _literal(text: str) -> bytes:
    # The built-in fonts know Windows' Western letters only; "ř" and the like become "?".
    raw = text.encode("cp1252", "replace")
    return raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _document(content: bytes, *, title: str) -> bytes:
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
            b"/Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>"
        ),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        (font % "Helvetica").encode("ascii"),
        (font % "Helvetica-Bold").encode("ascii"),
        b"<< /Title (" + _literal(title) + b") /Producer (Northwind Claims) >>",
    ]
    body = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets: list[int] = []
    for number, content_of in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content_of)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    body += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    body += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n" % (len(objects) + 1, len(objects))
    return bytes(body + b"startxref\n%d\n%%%%EOF\n" % start)


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
