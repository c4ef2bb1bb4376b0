"""Reads a sign-in page: its fields, its buttons, and what it says."""

import asyncio
from functools import cache
from typing import Final, Literal
from urllib.parse import urlsplit

from msgspec import Struct, convert, field, structs
from playwright.async_api import ElementHandle, Frame, JSHandle, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.javascript import load_script
from pagehand.page.dom import is_page_lost, on_dom

FieldKind = Literal["username", "password", "code"]
"""What a field is for."""

Question = Literal["", "grant", "stay"]
"""What a page asks: whether to grant an application access, or whether to stay signed in."""

_READ_SECONDS: Final = 10.0


class PageFacts(Struct, rename="camel", kw_only=True):
    """What `sign_in_form.js` returns about a page besides its elements."""

    loaded_at: float = field(name="document")
    is_ready: bool
    complaints: list[str]
    """What the page says is wrong."""
    notices: list[str]
    """Other messages that the page highlights."""
    can_sign_out: bool
    """Whether the page offers to sign out, which shows that someone is signed in."""
    refusals: list[str]
    """Sentences anywhere on the page that say a code, a password or an account was not accepted."""
    signed_out: list[str]
    """Sentences that say nobody is signed in: an expired session, a request to sign in."""
    signs_in: bool
    """True when the fields are a sign-in form by its button or heading, not part of a profile."""
    offers_sign_in: bool
    """True when the page has a control to sign in with."""
    is_sure_code: bool
    """True when its code field is one for a second factor, and not any number."""
    links: list[str]
    """Where the links of a page without fields lead, without queries."""
    first_line: str
    """The first line of text on the page."""
    controls: int
    """How many fields and buttons the form has in all; a form that grew wants something more."""
    question: Question
    """What a page without fields asks before it continues."""
    has_sent_link: bool = field(name="sentLink")
    """True when the page says that a link to sign in with has been mailed."""
    heading: str
    has_captcha: bool


class SignInForm(PageFacts, kw_only=True):
    """A page as it was when it was read, or the frame of it that has the sign-in form."""

    frame: Frame
    user: ElementHandle | None
    password: ElementHandle | None
    code: list[ElementHandle]
    """One field, or one per digit."""
    button: ElementHandle | None
    banner_button: ElementHandle | None
    """Closes a cookie banner."""
    form_opener: ElementHandle | None
    """Opens the form, on a page without one."""
    remember_box: ElementHandle | None
    """The unticked box that makes the site keep the session."""
    agree_button: ElementHandle | None
    """Agrees to the page's question."""
    decline_button: ElementHandle | None
    """Declines it."""
    send_code_button: ElementHandle | None
    """Makes the site send a code."""
    channel_select: ElementHandle | None
    """A list beside the code field without a choice yet, such as one of the account's devices."""

    @property
    def asks(self) -> frozenset[FieldKind]:
        """What the page has fields for."""
        fields: dict[FieldKind, bool] = {
            "username": self.user is not None,
            "password": self.password is not None,
            "code": bool(self.code),
        }
        return frozenset(kind for kind, is_there in fields.items() if is_there)

    @property
    def address(self) -> str:
        """Its address without the query, which often holds one-time tokens."""
        return self.frame.url.partition("#")[0].partition("?")[0]

    @property
    def document(self) -> tuple[str, float]:
        """Identifies the loaded document; a reload at the same address gives another."""
        return self.frame.url.partition("#")[0], self.loaded_at

    def describe(self) -> str:
        """What a person would see, for error messages."""
        asked = " and ".join(sorted(self.asks)) or "no sign-in field"
        captcha = ", and a captcha" if self.has_captcha else ""
        return f"the page “{self.heading}” at `{self.address}` with {asked}{captcha}"


async def read_form(page: Page) -> SignInForm | None:
    """The page as it is now; None while it is between two documents."""
    try:
        async with asyncio.timeout(_READ_SECONDS):
            outer = await _read(page.main_frame)
            if outer.asks or outer.can_sign_out:
                return outer
            for frame in page.frames[1:]:
                inner = await _read(frame)
                if inner.asks:
                    # the banner that covers the frame's button is in the page around it
                    inner.banner_button = outer.banner_button or inner.banner_button
                    return inner
                _add_words(outer, inner)
    except TimeoutError:
        return None
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        # the document went away while it was being read: the next read sees the new one
        return None
    return outer if outer.is_ready else None


def _add_words(outer: SignInForm, inner: SignInForm) -> None:
    """Add the texts of a frame from the same host to those of the page: many portals are made of frames."""
    host = urlsplit(inner.frame.url).hostname  # None for a frame that the page wrote itself
    if host is not None and host != urlsplit(outer.frame.url).hostname:
        return
    outer.complaints += inner.complaints
    outer.refusals += inner.refusals
    outer.signed_out += inner.signed_out
    outer.notices += inner.notices
    outer.links += inner.links
    outer.can_sign_out = outer.can_sign_out or inner.can_sign_out
    outer.offers_sign_in = outer.offers_sign_in or inner.offers_sign_in


async def _read(frame: Frame) -> SignInForm:
    found = await frame.evaluate_handle(_script())
    parts = await found.get_properties()
    code = await parts["code"].get_properties()
    return SignInForm(
        frame=frame,
        user=_element(parts, "user"),
        password=_element(parts, "password"),
        code=[element for value in code.values() if (element := value.as_element())],
        button=_element(parts, "button"),
        banner_button=_element(parts, "banner"),
        form_opener=_element(parts, "opener"),
        remember_box=_element(parts, "remember"),
        agree_button=_element(parts, "yes"),
        decline_button=_element(parts, "no"),
        send_code_button=_element(parts, "asker"),
        channel_select=_element(parts, "chooser"),
        **structs.asdict(convert(await parts["facts"].json_value(), PageFacts)),
    )


def _element(parts: dict[str, JSHandle], name: str) -> ElementHandle | None:
    return parts[name].as_element()


@cache
def _script() -> str:
    return on_dom(load_script(__file__, "sign_in_form"))
