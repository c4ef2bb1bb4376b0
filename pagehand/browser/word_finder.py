"""Finding an element by words on the live page: take a snapshot, resolve the words, check the element."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from playwright.async_api import ElementHandle, Frame, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator as Element

from pagehand.browser.frames import name_of
from pagehand.browser.healing.stable_locator import leads_only_to, stable_locator
from pagehand.browser.live_snapshot import LiveSnapshot, take_live_snapshot
from pagehand.browser.queries import elements
from pagehand.browser_session import FoundElement, Purpose
from pagehand.errors import BlockFailed, Diagnosis, NotPresent
from pagehand.page.dom import is_page_lost
from pagehand.page.phrases import NotClear, ResolvedElement, Snapshot, TargetKind, resolve, resolve_all
from pagehand.workflow.locator import Locator

_PAUSES: Final = (0.05, 0.1, 0.2, 0.3, 0.5)
_AMBIGUOUS_SECONDS: Final = 1.0
"""How long to wait while words could mean several elements, in case the page is still loading."""
_CONFIRM_SECONDS: Final = 0.25
"""When to look again at a name that matched only in part: a better match may still appear."""


@dataclass(slots=True, frozen=True)
class WordMatch:
    """The element that words mean, and a locator that leads to it alone."""

    found: FoundElement
    locator: Locator
    understood: str
    """How the words were understood, for people."""


class WordFinder:
    """Works on the tab that is current when it is called."""

    def __init__(self, current: Callable[[], Page]) -> None:
        """`current` gives the tab; it may change while we wait."""
        self._current = current
        self._seen: LiveSnapshot | None = None
        """The last look, which serves again as long as the page does not change."""

    async def take_snapshot(self) -> Snapshot:
        """The page as words see it, to resolve phrases against later."""
        return (await self._look()).snapshot

    async def _look(self, wanted: Locator | None = None, within: Element | None = None) -> LiveSnapshot:
        # taken away meanwhile: of two looks at once, one must not dispose of what the other uses
        seen, self._seen = self._seen, None
        self._seen = await take_live_snapshot(self._current(), wanted, within, seen)
        return self._seen

    async def find(
        self, wanted: Locator, purpose: Purpose, kind: TargetKind, *, timeout_seconds: float
    ) -> WordMatch:
        """Wait for the one element that the words mean; NotPresent or NotClear once the time is over."""
        if kind == "anything" and purpose == "touch":
            kind = "shown"
        began, tries = time.monotonic(), 0
        previous: str | None = None
        while True:
            try:
                live = await self._look(wanted)
                # in a thread: on a page with thousands of elements it takes a second
                resolved = await asyncio.to_thread(_resolve, wanted, live, kind)
                path = f"{resolved.candidate.frame} {resolved.candidate.path}"
                is_certain = resolved.is_sure or path == previous
                if is_certain and (match := await _match(live, resolved, purpose)) is not None:
                    return match
                previous = path
                pause = _CONFIRM_SECONDS
                refusal: BlockFailed = _unusable(wanted, resolved)
            except (NotPresent, NotClear) as error:
                refusal, previous = error, None
                pause = _PAUSES[min(tries, len(_PAUSES) - 1)]
            is_ambiguous = isinstance(refusal, NotClear)
            passed = time.monotonic() - began
            limit = min(timeout_seconds, _AMBIGUOUS_SECONDS) if is_ambiguous else timeout_seconds
            # a partial match is looked at twice, however little time there is
            if passed >= limit and (previous is None or tries > 0):
                raise refusal
            await asyncio.sleep(pause)
            tries += 1

    async def find_all(self, wanted: Locator, within: Element | None, *, only_one: bool) -> list[Element]:
        """All that the words mean equally well right now; with `only_one`, NotClear for several."""
        live = await self._look(wanted, within)
        try:
            resolved = await asyncio.to_thread(
                resolve_all, wanted.words or "", live.snapshot, "shown", live.allowed, one=only_one
            )
            matches = [await _match(live, item, "touch") for item in resolved]
        except NotPresent:
            return []
        return [match.found.element for match in matches if match is not None]


def _resolve(wanted: Locator, live: LiveSnapshot, kind: TargetKind) -> ResolvedElement:
    if not live.frames and wanted.frame:
        raise NotPresent(
            f"There is no frame `{wanted.frame}` on the page to find `{wanted.words}` in.",
            Diagnosis(expected=str(wanted), advice="Compare `frame` with the page, or leave it out."),
        )
    if live.allowed is not None and not live.allowed:
        raise NotPresent(
            f"Nothing on the page matches {wanted.beside_words}, so `{wanted.words}` is not looked for.",
            Diagnosis(expected=str(wanted), advice="Leave out what narrows the words, or correct it."),
        )
    return resolve(wanted.words or "", live.snapshot, kind, live.allowed)


async def _match(live: LiveSnapshot, resolved: ResolvedElement, purpose: Purpose) -> WordMatch | None:
    """The element itself; None while it cannot be used or when it went away meanwhile."""
    candidate = resolved.candidate
    if purpose == "act" and not candidate.is_enabled:
        return None
    frame, listed = live.frames[candidate.frame], live.handles[candidate.frame]
    try:
        handle = await listed.evaluate_handle("(listed, at) => listed.elements[at]", candidate.index)
        element = handle.as_element()
        if element is None:
            return None
        locator = await _by_row(frame, element, resolved.by_row) or await stable_locator(frame, element)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        return None
    if locator is None:
        return None
    with_frame = locator.model_copy(update={"frame": await name_of(frame)})
    query = await _guarded_query(frame, element, locator, resolved)
    return WordMatch(FoundElement(query, 1, "words"), with_frame, resolved.understood)


async def _by_row(frame: Frame, element: ElementHandle, locator: Locator | None) -> Locator | None:
    """The locator by row if it leads to this element alone."""
    if locator is None:
        return None
    query = elements(frame, locator, exact=True, include_hidden=True)
    return locator if await leads_only_to(query, element) else None


async def _guarded_query(
    frame: Frame, element: ElementHandle, locator: Locator, resolved: ResolvedElement
) -> Element:
    """A query for the element that matches nothing once another row has taken its place."""
    query = elements(frame, locator, exact=True, include_hidden=True)
    if resolved.guard is None or locator == resolved.by_row:
        return query
    guarded = query.and_(frame.locator(f"xpath={resolved.guard}"))
    # XPath does not see into shadow roots, and texts may be put together from several elements
    return guarded if await leads_only_to(guarded, element) else query


def _unusable(wanted: Locator, resolved: ResolvedElement) -> NotPresent:
    state = "disabled" if not resolved.candidate.is_enabled else "still changing"
    return NotPresent(
        f"`{wanted.words}` means {resolved.candidate}, but it is {state}.",
        Diagnosis(
            expected=resolved.understood,
            found=f"{resolved.candidate}, {state}",
            cause="The page does not allow it yet.",
            advice="Do first what makes the page allow it, or give the block more `timeoutMs`.",
        ),
    )
