"""Finding the element that is meant, in whichever frame it is, and waiting until it fits its purpose."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Page
from playwright.async_api import Locator as Element

from pagehand.browser.diagnosis import diagnose
from pagehand.browser.frames import in_document_order, named_frames
from pagehand.browser.locate import elements, has_text_fields, keyed
from pagehand.browser_session import Found, Purpose
from pagehand.errors import BlockFailed, Diagnosis, NotPresent
from pagehand.javascript import load_script
from pagehand.page.loss import is_loss
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

_PROBE: Final = load_script(__file__, "find_probe")


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


class Finder:
    """Looks for elements in the page that is current when asked."""

    def __init__(self, current: Callable[[], Page]) -> None:
        """`current` gives the tab; it may change while we wait."""
        self._current = current

    async def find(self, locator: Locator, purpose: Purpose, *, timeout_seconds: float) -> Found:
        """The first element that fits; NotPresent with a diagnosis once the time is over."""

        async def explain(last: Match | None) -> tuple[str, Diagnosis]:
            return await diagnose(self._current(), locator, _states(last))

        return await self._wait(partial(self._look, locator, purpose), explain, timeout_seconds)

    async def find_by_key(self, key: str, purpose: Purpose, *, timeout_seconds: float) -> Found:
        """The form field that `key` names."""

        async def explain(last: Match | None) -> tuple[str, Diagnosis]:
            return await diagnose(self._current(), key, _states(last))

        return await self._wait(partial(self._look_by_key, key, purpose), explain, timeout_seconds)

    async def find_all(self, locator: Locator, within: Element | None) -> list[Element]:
        """All that match right now, hidden ones too."""
        for exact in self._ways(locator):
            if within is not None:
                query = elements(within, locator, exact=exact, include_hidden=True)
                count = await _count(query)
                match = query if count else None
            else:
                found = await self._search(
                    lambda frame, exact=exact: elements(frame, locator, exact=exact, include_hidden=True),
                    "touch",
                    await self._frames(locator),
                    "",
                    _FRAME_SECONDS,
                )
                match, count = (found.elements, found.count) if found else (None, 0)
            if match is not None:
                return [match.nth(index) for index in range(count)]
        return []

    async def _wait(
        self,
        look: Callable[[float], Awaitable[Match | None]],
        explain: Callable[[Match | None], Awaitable[tuple[str, Diagnosis]]],
        timeout_seconds: float,
    ) -> Found:
        deadline = time.monotonic() + timeout_seconds
        tries = 0
        while True:
            match = await look(max(_LOOK_SECONDS, deadline - time.monotonic()))
            if match is not None and match.index >= 0:
                return Found(match.elements.nth(match.index), match.count, match.how)
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                message, diagnosis = await explain(match)
                raise NotPresent(message, diagnosis)
            await asyncio.sleep(min(remaining, _PAUSES[min(tries, len(_PAUSES) - 1)]))
            tries += 1

    async def _look(self, locator: Locator, purpose: Purpose, seconds: float) -> Match | None:
        frames = await self._frames(locator)
        for exact in self._ways(locator):
            how = "exact" if exact else "substring"
            match = await self._search(
                lambda frame, exact=exact: elements(
                    frame, locator, exact=exact, include_hidden=purpose == "touch"
                ),
                purpose,
                frames,
                how,
                seconds,
            )
            if match is not None:
                return match
        return None

    async def _look_by_key(self, key: str, purpose: Purpose, seconds: float) -> Match | None:
        frames = self._all_frames()
        for exact in (True, False):
            for way, _ in enumerate(keyed(frames[0], key, exact=exact)):
                match = await self._search(
                    lambda frame, exact=exact, way=way: keyed(frame, key, exact=exact)[way][1],
                    purpose,
                    frames,
                    "key",
                    seconds,
                )
                if match is not None:
                    return match
        return None

    async def _search(
        self, query: Query, purpose: Purpose, frames: Sequence[Frame], how: str, seconds: float
    ) -> Match | None:
        """Look in the first frame, then in all others at once; the first in document order wins."""
        if not frames:
            return None
        first = await _probe(frames[0], query, purpose, how, seconds)
        if first is not None or len(frames) == 1:
            return first
        limit = min(seconds, _FRAME_SECONDS)
        rest = await asyncio.gather(*(_probe(frame, query, purpose, how, limit) for frame in frames[1:]))
        matches = [match for match in rest if match is not None]
        if len(matches) > 1:
            order = await in_document_order([match.frame for match in matches])
            return next(match for match in matches if match.frame is order[0])
        return matches[0] if matches else None

    async def _frames(self, locator: Locator) -> Sequence[Frame]:
        if locator.frame:
            return await named_frames(self._current(), locator.frame)
        return self._all_frames()

    def _all_frames(self) -> Sequence[Frame]:
        page = self._current()
        return [page.main_frame, *(frame for frame in page.frames if frame is not page.main_frame)]

    @staticmethod
    def _ways(locator: Locator) -> tuple[bool, ...]:
        return (True, False) if has_text_fields(locator) else (True,)


async def _probe(frame: Frame, query: Query, purpose: Purpose, how: str, seconds: float) -> Match | None:
    wanted = query(frame)
    try:
        async with asyncio.timeout(seconds):
            seen: dict[str, Any] = await wanted.evaluate_all(_PROBE, purpose)
    except TimeoutError:
        # a frame that is busy or still loading has nothing to offer now
        return None
    except PlaywrightError as error:
        raise_if_hopeless(error)
        return None
    if seen["count"] == 0:
        return None
    return Match(frame, wanted, how, seen["count"], seen["index"], seen["states"])


async def _count(query: Element) -> int:
    try:
        return await query.count()
    except PlaywrightError as error:
        raise_if_hopeless(error)
        return 0


def raise_if_hopeless(error: PlaywrightError) -> None:
    """A frame that vanished means "look again"; a bad selector or a dead page means "stop"."""
    if is_loss(error):
        raise error
    if any(sign in error.message for sign in _BAD_SELECTOR):
        line = error.message.split("\n", 1)[0].split(": ", 1)[-1]
        raise BlockFailed(
            f"The locator is not valid: {line}", Diagnosis(cause=line, advice="Correct the `css` or `xpath`.")
        ) from error


def _states(match: Match | None) -> Sequence[str]:
    return match.states if match else ()
