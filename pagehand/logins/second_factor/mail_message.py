"""A mail message, and the code or sign-in link in it."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from email.utils import getaddresses
from typing import Final

from pagehand.logins.profile import LoginSite

_LONGEST_TEXT: Final = 100_000
_MOST_LINKS: Final = 1000
_LONGEST_LINE: Final = 1000
_NEAR: Final = 80
_USUAL_LENGTH: Final = 6
_ABOUT_CODES: Final = re.compile(
    r"\b(code|passcode|otp|one[- ]time|verification|verify|token|pin|password|sign[- ]?in|log[- ]?in|"
    r"security|einmal\w*|bestätigungs\w*|sicherheits\w*|vérification|código|codice|verificación|verifica)\b",
    re.IGNORECASE,
)
_CODE: Final = re.compile(
    r"(?<![\w#/.,:+-])(?<!\d )(?:[A-Z]-)?"
    r"(\d{4,8}|\d{3}[ -]\d{3,4}|\d{2}[ -]\d{2}[ -]\d{2}|(?=[A-Z0-9]*\d)[A-Z0-9]{6,8})"
    r"(?![\w/-]|[.,:]\d)"
)
_LINK: Final = re.compile(r"https?://[^\s<>\"'()\[\]]+")
_ABOUT_SIGNING_IN: Final = re.compile(
    r"(magic|sign-?_?in|log-?_?in|login|verify|confirm|auth|token|session|otp|code|access)", re.IGNORECASE
)
_NOT_FOR_SIGNING_IN: Final = re.compile(
    r"(unsubscribe|privacy|terms|help|support|settings|preferences|logo|\.(png|jpe?g|gif|svg|css)(\?|$))",
    re.IGNORECASE,
)


@dataclass(slots=True, frozen=True)
class MailMessage:
    """The parts of a mail that matter for a sign-in."""

    sender: str
    recipients: frozenset[str]
    subject: str
    text: str
    links: tuple[str, ...]
    received_at: float

    def is_from(self, wanted: str) -> bool:
        """Whether the sender is that address or at that domain; True for an empty `wanted`."""
        wanted = wanted.strip().lower()
        domain = wanted.removeprefix("@")
        host = self.sender.rpartition("@")[2]
        is_of_domain = "@" not in domain and (host == domain or host.endswith(f".{domain}"))
        return not wanted or self.sender == wanted or is_of_domain

    def is_to(self, address: str) -> bool:
        """Whether that address is among its recipients."""
        return address.strip().lower() in self.recipients


def parse_mail(raw: bytes, received_at: float) -> MailMessage:
    """Parse a mail; parts that cannot be decoded are left out."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - only runs that read mail need it

    from pagehand.documents.html_text import shown_body  # noqa: PLC0415 - as above

    message = message_from_bytes(raw, policy=default)
    plain, html = _body(message, "plain"), _body(message, "html")
    tree = LexborHTMLParser(html) if html else None
    links = [href for node in (tree.css("a[href]") if tree else ()) if (href := node.attributes.get("href"))]
    body = shown_body(tree) if tree else None
    # a blank between all pieces: a code is often in an element that only its style separates
    text = plain or (body.text(separator=" ") if body else "")
    return MailMessage(
        sender=next(iter(_addresses(message, "From")), ""),
        recipients=frozenset(_addresses(message, "To", "Cc", "Delivered-To", "X-Original-To")),
        subject=str(message.get("Subject", "")),
        text=text[:_LONGEST_TEXT],
        links=tuple(dict.fromkeys([*links, *_LINK.findall(plain[:_LONGEST_TEXT])]))[:_MOST_LINKS],
        received_at=received_at,
    )


def find_code(message: MailMessage) -> str | None:
    """The one-time code in a mail: digits (or capitals and digits) near a word such as “code”."""
    text = _LINK.sub(" ", f"{message.subject}\n{message.text}")
    about = [match.start() for match in _ABOUT_CODES.finditer(text)]
    found = [(_score(text, match, about), -match.start(), match[1]) for match in _CODE.finditer(text)]
    good = [item for item in found if item[0] > 0]
    return re.sub(r"[ -]", "", max(good)[2]) if good else None


def find_link(message: MailMessage, site: LoginSite) -> tuple[str | None, list[str]]:
    """The sign-in link, one to the login's own site that looks like it; and such links to other sites."""
    links = [link for link in message.links if not _NOT_FOR_SIGNING_IN.search(link)]
    # mails have links to the help pages of the same site as well
    likely = [link for link in links if _ABOUT_SIGNING_IN.search(link)]
    own = next((link for link in likely + links if site.includes(link)), None)
    return own, [link for link in likely if not site.includes(link)]


def _score(text: str, match: "re.Match[str]", about: list[int]) -> int:
    """How likely a number is the code: near a word for it, alone on its line, six digits, not a year."""
    start, end = match.span()
    near = about[bisect_left(about, start - _NEAR) : bisect_right(about, end + _NEAR)]
    before = [start - place for place in near if place <= start]
    after = [place - end for place in near if place >= end]
    if not before and not after:
        return 0
    around = text[max(0, start - _LONGEST_LINE) : start], text[end : end + _LONGEST_LINE]
    line = around[0].rpartition("\n")[2] + around[1].partition("\n")[0]
    # `123 456` counts as six digits
    digits = re.sub(r"\D", "", match[1])
    return (
        100
        - min([*before, *(distance + 10 for distance in after)])
        + (60 if not line.strip() else 0)
        + (20 if len(digits) == _USUAL_LENGTH else 0)
        - (90 if re.fullmatch(r"(19|20)\d\d", match[1]) else 0)
    )


def _body(message: EmailMessage, kind: str) -> str:
    part = message.get_body((kind,))
    if part is None:
        return ""
    try:
        content = part.get_content()
    except (LookupError, UnicodeError, KeyError):
        return ""  # an unknown encoding
    return content if isinstance(content, str) else ""


def _addresses(message: EmailMessage, *names: str) -> list[str]:
    values = [str(value) for name in names for value in message.get_all(name, [])]
    return [address.strip().lower() for _, address in getaddresses(values) if address]
