"""Playwright's errors as ours: who must act, what happened, what to do."""

import asyncio
import re
from collections.abc import Callable
from json import JSONDecodeError
from typing import Final

import structlog
from msgspec import DecodeError
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pagehand.errors import BlockFailed, BrowserLost, Diagnosis, NotPresent, PagehandError, SiteDown, TimedOut
from pagehand.javascript import load_script
from pagehand.page.dom import is_page_lost

_NET_ERROR: Final = re.compile(r"net::(ERR_[A-Z0-9_]+)(?: at (\S+))?")
_COVERS: Final = " intercepts pointer events"
_NOT_READY: Final = re.compile(
    r"element is (not visible|not enabled|not stable|not editable|outside of the viewport|inert)"
)
_COLOR: Final = re.compile(r"\x1b\[[0-9;]*m")
_SITE_DOWN: Final = frozenset(
    {
        "ERR_ADDRESS_UNREACHABLE",
        "ERR_CONNECTION_ABORTED",
        "ERR_CONNECTION_CLOSED",
        "ERR_CONNECTION_FAILED",
        "ERR_CONNECTION_REFUSED",
        "ERR_CONNECTION_RESET",
        "ERR_CONNECTION_TIMED_OUT",
        "ERR_EMPTY_RESPONSE",
        "ERR_INTERNET_DISCONNECTED",
        "ERR_NAME_NOT_RESOLVED",
        "ERR_NAME_RESOLUTION_FAILED",
        "ERR_NETWORK_CHANGED",
        "ERR_PROXY_CONNECTION_FAILED",
        "ERR_TIMED_OUT",
        "ERR_TUNNEL_CONNECTION_FAILED",
    }
)
_NET_SENTENCES: Final = {
    "ERR_CONNECTION_REFUSED": "the connection was refused",
    "ERR_NAME_NOT_RESOLVED": "its name could not be resolved",
    "ERR_CONNECTION_TIMED_OUT": "the connection timed out",
    "ERR_INVALID_URL": "the URL is not valid",
    "ERR_TOO_MANY_REDIRECTS": "it redirects in circles",
    "ERR_UNSAFE_PORT": "browsers refuse to speak to that port",
}
ODD_ANSWER: Final = (DecodeError, ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What Python raises when an answer has another form than the script gives it."""
_UNREADABLE: Final = (DecodeError, JSONDecodeError, UnicodeError)
_ANSWER_SECONDS: Final = 2.0
_REPLACED: Final = load_script(__file__, "replaced_built_ins")
_log = structlog.get_logger(__name__)


def translate(error: PlaywrightError, action: str = "") -> PagehandError:
    """Our error for one of Playwright's; `action` names the step, such as "click `Save`"."""
    # Playwright writes terminal colours into its messages
    text = _COLOR.sub("", error.message)
    if is_page_lost(error):
        return BrowserLost(f"The browser or its page died{_while(action)}.")
    if net := _NET_ERROR.search(text):
        return net_error(net.group(1), net.group(2))
    if covering := _covering(text):
        return _covered(covering, action)
    if isinstance(error, PlaywrightTimeout):
        return _timed_out(text, action)
    return BlockFailed(f"The browser refused{_while(action)}: {_first_line(text)}")


def _covering(text: str) -> str:
    """The element that covers the wanted one, as Playwright shows it; "" if none does."""
    # the last one: earlier lines of the log name what covered it only for a moment
    before, found, _ = text.rpartition(_COVERS)
    line = before.rpartition("\n")[2]
    return line[line.find("<") :].rstrip() if found and "<" in line else ""


def _while(action: str) -> str:
    return f" ({action})" if action else ""


def _first_line(text: str) -> str:
    line = text.split("\n", 1)[0]
    # Playwright puts the name of its method in front, which means nothing to a user
    return re.sub(r"^\w+\.\w+: ", "", line)


def net_error(code: str, url: str | None) -> PagehandError:
    """Our error for Chromium's network error `code` (`ERR_…`) when `url` was loaded."""
    where = f"`{url}`" if url else "The site"
    sentence = f"{where} cannot be reached: {_NET_SENTENCES.get(code, code)}."
    if code in _SITE_DOWN:
        return SiteDown(sentence)
    if code.startswith("ERR_CERT_"):
        sentence = f"{where} has no valid certificate ({code})."
    return BlockFailed(sentence, Diagnosis(cause=code, advice="Check the address in the block."))


def _covered(cover: str, action: str) -> BlockFailed:
    return BlockFailed(
        f"The element is covered by `{cover}`{_while(action)}.",
        Diagnosis(
            found=f"`{cover}` lies over it",
            cause="Another element takes the clicks meant for it.",
            advice="Close what covers it first, for example with ClosePopup, or wait until it is gone.",
        ),
    )


def _timed_out(text: str, action: str) -> BlockFailed:
    if states := _NOT_READY.findall(text):
        return NotPresent(
            f"The element is {states[-1]}{_while(action)}.",
            Diagnosis(
                found=f"an element that is {states[-1]}", advice="Wait for the page to allow it first."
            ),
        )
    return TimedOut(f"The time ran out{_while(action)}: {_first_line(text)}")


async def page_failure(error: Exception, current: Callable[[], Page]) -> BlockFailed | None:
    """The page's failure, if its answer could not be read or it has replaced what scripts use; else None."""
    replaced = await _replaced_built_ins(current())
    if not replaced and not isinstance(error, _UNREADABLE):
        return None
    # with its traceback: should it be a bug after all, the log has it
    _log.warning("a page answered with what cannot be read", replaced=replaced, exc_info=error)
    because = f": it has replaced {', '.join(f'`{name}`' for name in replaced)}" if replaced else ""
    return BlockFailed(f"What the page answers cannot be read{because}.")


async def _replaced_built_ins(page: Page) -> list[str]:
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            return [str(name) for name in await page.evaluate(_REPLACED)]
    except (PlaywrightError, TimeoutError, *ODD_ANSWER):
        return ["what scripts need"]
