"""What a page asks of someone who signs in: its fields, its button, and what it says."""

import asyncio
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal
from urllib.parse import urlsplit

from msgspec import Struct, convert
from playwright.async_api import ElementHandle, Frame, JSHandle, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.page.page_loss import is_page_lost

Asked = Literal["username", "password", "code"]
"""What a field wants."""

Question = Literal["", "grant", "stay"]
"""Whether to let another application in; whether to stay signed in."""

_READ_SECONDS: Final = 10.0


class _Facts(Struct, rename="camel"):
    """What `sign_in_form.js` knows of the page besides its elements."""

    document: float
    is_ready: bool
    complaints: list[str]
    notices: list[str]
    can_sign_out: bool
    refusals: list[str]
    signed_out: list[str]
    signs_in: bool
    offers_sign_in: bool
    is_sure_code: bool
    links: list[str]
    first_line: str
    controls: int
    question: Question
    sent_link: bool
    heading: str
    has_captcha: bool


@dataclass(slots=True, kw_only=True)
class Form:
    """One look at a page, or at the frame of it that has the sign-in form."""

    frame: Frame
    user: ElementHandle | None
    password: ElementHandle | None
    code: list[ElementHandle]
    """One field, or one for each digit."""
    button: ElementHandle | None
    banner: ElementHandle | None
    """What puts a cookie banner away."""
    opener: ElementHandle | None
    """What would bring the form up, on a page without one."""
    remember: ElementHandle | None
    """A box to tick so that the site keeps the session, where it is not ticked yet."""
    yes: ElementHandle | None
    """What agrees to the page's question."""
    no: ElementHandle | None
    """What declines it."""
    asker: ElementHandle | None
    """What makes the site send a code."""
    chooser: ElementHandle | None
    """A list beside the code from which nothing is chosen yet, such as that of the account's devices."""
    facts: _Facts

    @property
    def asks(self) -> frozenset[Asked]:
        """What the page has fields for."""
        fields: dict[Asked, bool] = {
            "username": self.user is not None,
            "password": self.password is not None,
            "code": bool(self.code),
        }
        return frozenset(kind for kind, is_there in fields.items() if is_there)

    @property
    def address(self) -> str:
        """Where it stands, without the query, which often holds one-time tokens."""
        return self.frame.url.partition("#")[0].partition("?")[0]

    @property
    def document(self) -> tuple[str, float]:
        """Tells one loaded document from the next, also at the same address."""
        return self.frame.url.partition("#")[0], self.facts.document

    @property
    def complaints(self) -> list[str]:
        """What the page says is wrong."""
        return self.facts.complaints

    @property
    def notices(self) -> list[str]:
        """Whatever else the page points out."""
        return self.facts.notices

    @property
    def can_sign_out(self) -> bool:
        """True when the page offers to sign out: then someone is signed in."""
        return self.facts.can_sign_out

    @property
    def refusals(self) -> list[str]:
        """Sentences that say a code, a password or an account was not accepted, wherever they stand."""
        return self.facts.refusals

    @property
    def signed_out(self) -> list[str]:
        """Sentences that say nobody is signed in: an expired session, a request to sign in."""
        return self.facts.signed_out

    @property
    def signs_in(self) -> bool:
        """True when the fields are a sign-in form by its button or heading, not part of a profile."""
        return self.facts.signs_in

    @property
    def offers_sign_in(self) -> bool:
        """True when the page has a control to sign in with."""
        return self.facts.offers_sign_in

    @property
    def is_sure_code(self) -> bool:
        """True when its code field is one for a second factor, and not any number."""
        return self.facts.is_sure_code

    @property
    def links(self) -> list[str]:
        """Where the links of a page without fields lead, without queries."""
        return self.facts.links

    @property
    def words(self) -> str:
        """The first thing the page says."""
        return self.facts.first_line

    @property
    def controls(self) -> int:
        """How many fields and buttons the form has in all; a form that grew wants something more."""
        return self.facts.controls

    @property
    def question(self) -> Question:
        """What a page without fields wants to know before it goes on."""
        return self.facts.question

    @property
    def has_sent_link(self) -> bool:
        """True when the page says that a link to sign in with has been mailed."""
        return self.facts.sent_link

    def describe(self) -> str:
        """What a person would see, for a failure."""
        asked = " and ".join(sorted(self.asks)) or "no sign-in field"
        captcha = ", and a captcha" if self.facts.has_captcha else ""
        return f"the page “{self.facts.heading}” at `{self.address}` with {asked}{captcha}"


async def read_form(page: Page) -> Form | None:
    """What the page asks for now; None while it is between two documents."""
    try:
        async with asyncio.timeout(_READ_SECONDS):
            whole = await _read(page.main_frame)
            if whole.asks or whole.can_sign_out:
                return whole
            for frame in page.frames[1:]:
                inner = await _read(frame)
                if inner.asks:
                    # the banner that covers the frame's button is in the page around it
                    inner.banner = whole.banner or inner.banner
                    return inner
                _add_words(whole, inner)
    except TimeoutError:
        return None
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        # the document went away while it was being read: the next look sees the new one
        return None
    return whole if whole.facts.is_ready else None


def _add_words(whole: Form, inner: Form) -> None:
    """What a frame of the same host says, the page says: many portals are made of frames."""
    host = urlsplit(inner.frame.url).hostname  # a frame that the page wrote itself has none
    if host is not None and host != urlsplit(whole.frame.url).hostname:
        return
    ours, theirs = whole.facts, inner.facts
    ours.complaints += theirs.complaints
    ours.refusals += theirs.refusals
    ours.signed_out += theirs.signed_out
    ours.notices += theirs.notices
    ours.links += theirs.links
    ours.can_sign_out = ours.can_sign_out or theirs.can_sign_out
    ours.offers_sign_in = ours.offers_sign_in or theirs.offers_sign_in


async def _read(frame: Frame) -> Form:
    found = await frame.evaluate_handle(_script())
    parts = await found.get_properties()
    code = await parts["code"].get_properties()
    return Form(
        frame=frame,
        user=_element(parts, "user"),
        password=_element(parts, "password"),
        code=[element for value in code.values() if (element := value.as_element())],
        button=_element(parts, "button"),
        banner=_element(parts, "banner"),
        opener=_element(parts, "opener"),
        remember=_element(parts, "remember"),
        yes=_element(parts, "yes"),
        no=_element(parts, "no"),
        asker=_element(parts, "asker"),
        chooser=_element(parts, "chooser"),
        facts=convert(await parts["facts"].json_value(), _Facts),
    )


def _element(parts: dict[str, JSHandle], name: str) -> ElementHandle | None:
    return parts[name].as_element()


@cache
def _script() -> str:
    return on_dom(load_script(__file__, "sign_in_form"))
