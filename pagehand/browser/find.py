"""Finding the element that is meant, in whichever frame it is, and waiting until it fits its purpose."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from msgspec import Struct, convert
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Page
from playwright.async_api import Locator as Element

from pagehand.browser.diagnosis import diagnose
from pagehand.browser.frames import in_document_order, named_frames
from pagehand.browser.locate import elements, has_text_fields, keyed
from pagehand.browser_session import Found, Purpose
from pagehand.errors import BlockFailed, Diagnosis, NotPresent
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.page.page_loss import is_page_lost
from pagehand.workflow.locator import Locator

_FRAME_SECONDS: Final = 2.0
# a look that was begun is finished, however little time was given: a slow machine must not make things absent
_LOOK_SECONDS: Final = 1.0
_PAUSES: Final = (0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2)
_BAD_SELECTOR: Final = (
    "Unexpected token",
    "is not a valid selector",
    "is not a valid XPath",
    "while parsing",
    "Unknown engine",
    "Malformed",
    "not a legal expression",
    "Failed to execute 'evaluate'",
)

_PROBE: Final = on_dom(load_script(__file__, "find_probe"))


class _Probed(Struct, frozen=True):
    """What `find_probe.js` answers."""

    count: int
    index: int
    states: list[str]


@dataclass(slots=True, frozen=True)
class Match:
    """What one look found in one frame: `index` is the first that fits, or -1."""

    frame: Frame
    elements: Element
    how: str
    count: int
    index: int
    states: Sequence[str]


Query = Callable[[Frame], Element]
Ways = Sequence[tuple[str, Query]]
"""How to look for one thing, best first: what a hit is reported as, and the query."""


class Finder:
    """Looks for elements in the page that is current when asked."""

    def __init__(self, current: Callable[[], Page]) -> None:
        """`current` gives the tab; it may change while we wait."""
        self._current = current

    async def find(self, wanted: Locator | str, purpose: Purpose, *, timeout_seconds: float) -> Found:
        """The first element that fits; NotPresent with a diagnosis once the time is over.

        A string is the key of a form field: its label, placeholder, name or id.
        """
        ways = _ways(wanted, include_hidden=purpose == "touch")
        deadline = time.monotonic() + timeout_seconds
        tries = 0
        while True:
            seconds = max(_LOOK_SECONDS, deadline - time.monotonic())
            match = await _look(await self._frames(wanted), ways, purpose, seconds)
            if match is not None and match.index >= 0:
                return Found(match.elements.nth(match.index), match.count, match.how)
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                states = match.states if match else ()
                message, diagnosis = await diagnose(self._current(), wanted, states)
                raise NotPresent(message, diagnosis)
            await asyncio.sleep(min(remaining, _PAUSES[min(tries, len(_PAUSES) - 1)]))
            tries += 1

    async def find_all(self, locator: Locator, within: Element | None) -> list[Element]:
        """All that match right now, hidden ones too."""
        if within is None:
            ways = _ways(locator, include_hidden=True)
            match = await _look(await self._frames(locator), ways, "touch", _FRAME_SECONDS)
            return [match.elements.nth(index) for index in range(match.count)] if match else []
        for exact in _exactness(locator):
            query = elements(within, locator, exact=exact, include_hidden=True)
            if count := await _count(query):
                return [query.nth(index) for index in range(count)]
        return []

    async def _frames(self, wanted: Locator | str) -> Sequence[Frame]:
        page = self._current()
        if isinstance(wanted, Locator) and wanted.frame:
            return await named_frames(page, wanted.frame)
        return [page.main_frame, *(frame for frame in page.frames if frame is not page.main_frame)]


def _ways(wanted: Locator | str, *, include_hidden: bool) -> Ways:
    if isinstance(wanted, str):
        return [("key", query) for exact in (True, False) for query in keyed(wanted, exact=exact)]
    return [
        (
            "exact" if exact else "substring",
            partial(elements, locator=wanted, exact=exact, include_hidden=include_hidden),
        )
        for exact in _exactness(wanted)
    ]


def _exactness(locator: Locator) -> tuple[bool, ...]:
    """Whole texts before parts of them; once is enough where no text is given."""
    return (True, False) if has_text_fields(locator) else (True,)


async def _look(frames: Sequence[Frame], ways: Ways, purpose: Purpose, seconds: float) -> Match | None:
    """Each way in the first frame, then in all others at once; the first in document order wins."""
    for how, query in ways if frames else ():
        first = await _probe(frames[0], query, purpose, how, seconds)
        if first is not None:
            return first
        # frames of others may be slow, and must not use up the time of the page itself
        limit = min(seconds, _FRAME_SECONDS)
        # all at once: a page with many frames would take seconds one by one
        rest = await asyncio.gather(*(_probe(frame, query, purpose, how, limit) for frame in frames[1:]))
        matches = [match for match in rest if match is not None]
        if len(matches) > 1:
            order = await in_document_order([match.frame for match in matches])
            return next(match for match in matches if match.frame is order[0])
        if matches:
            return matches[0]
    return None


async def _probe(frame: Frame, query: Query, purpose: Purpose, how: str, seconds: float) -> Match | None:
    wanted = query(frame)
    try:
        async with asyncio.timeout(seconds):
            seen = convert(await wanted.evaluate_all(_PROBE, purpose), _Probed)
    except TimeoutError:
        # a frame that is busy or still loading has nothing to offer now
        return None
    except PlaywrightError as error:
        raise_if_hopeless(error)
        return None
    if seen.count == 0:
        return None
    return Match(frame, wanted, how, seen.count, seen.index, seen.states)


async def _count(query: Element) -> int:
    try:
        return await query.count()
    except PlaywrightError as error:
        raise_if_hopeless(error)
        return 0


def raise_if_hopeless(error: PlaywrightError) -> None:
    """A frame that vanished means "look again"; a bad selector or a dead page means "stop"."""
    if is_page_lost(error):
        raise error
    if any(sign in error.message for sign in _BAD_SELECTOR):
        line = error.message.split("\n", 1)[0].split(": ", 1)[-1]
        raise BlockFailed(
            f"The locator is not valid: {line}", Diagnosis(cause=line, advice="Correct the `css` or `xpath`.")
        ) from error
