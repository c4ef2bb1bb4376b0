"""Finding an element by words on the live page: look, decide, and make sure it is still that element."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from playwright.async_api import ElementHandle, Frame, JSHandle, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.errors import is_loss
from pagehand.browser.find import Found, Purpose
from pagehand.browser.frames import in_document_order
from pagehand.browser.heal.lasting import lasting_locator
from pagehand.browser.locate import elements
from pagehand.errors import BlockFailed, Diagnosis, NotPresent
from pagehand.words import MOST_CANDIDATES, Kind, NotClear, Resolved, Snapshot, resolve, script
from pagehand.workflow.locator import Locator

_SECONDS: Final = 5.0
_PAUSES: Final = (0.05, 0.1, 0.2, 0.3, 0.5)
_DOUBT_SECONDS: Final = 1.0
"""How long words that could mean several elements are given, in case the page is not done."""
_SURE_AFTER_SECONDS: Final = 0.25
"""A name met only in part is looked at again: the better one may be on its way."""
_IS_IT_ALONE: Final = "(found, element) => found.length === 1 && found[0] === element"


@dataclass(slots=True, frozen=True)
class Meant:
    """The element that words mean, and a locator that finds it alone."""

    found: Found
    locator: Locator
    understood: str


@dataclass(slots=True, frozen=True)
class _Look:
    snapshot: Snapshot
    frames: Sequence[Frame]
    handles: Sequence[JSHandle]

    async def forget(self) -> None:
        """Let the page free what was listed."""
        # a document that is gone has freed it already
        with contextlib.suppress(PlaywrightError):
            await asyncio.gather(*(handle.dispose() for handle in self.handles))


class WordFinder:
    """Works on the page that is current when asked."""

    def __init__(self, current: Callable[[], Page]) -> None:
        """`current` gives the tab; it may change while we wait."""
        self._current = current

    async def snapshot(self) -> Snapshot:
        """The page as words see it, to be looked at later."""
        look = await self._look()
        await look.forget()
        return look.snapshot

    async def find(self, phrase: str, purpose: Purpose, kind: Kind, *, timeout_seconds: float) -> Meant:
        """The one element meant, waited for; NotPresent or NotClear once the time is over."""
        began, tries = time.monotonic(), 0
        previous: str | None = None
        while True:
            look = await self._look()
            passed = time.monotonic() - began
            try:
                resolved = resolve(phrase, look.snapshot, kind)
                path = f"{resolved.candidate.frame} {resolved.candidate.path}"
                is_settled = resolved.is_sure or path == previous
                if is_settled and (meant := await self._take(look, resolved, purpose)) is not None:
                    return meant
                previous = path
                pause = _SURE_AFTER_SECONDS
                trouble: BlockFailed = _unusable(phrase, resolved)
            except (NotPresent, NotClear) as refusal:
                trouble, previous = refusal, None
                pause = _PAUSES[min(tries, len(_PAUSES) - 1)]
            await look.forget()
            patience = (
                min(timeout_seconds, _DOUBT_SECONDS) if isinstance(trouble, NotClear) else timeout_seconds
            )
            if passed >= patience and (previous is None or tries > 0):
                raise trouble
            await asyncio.sleep(pause)
            tries += 1

    async def _look(self) -> _Look:
        page = self._current()
        frames = [page.main_frame, *(frame for frame in page.frames if frame is not page.main_frame)]
        if len(frames) > 2:  # noqa: PLR2004 - two are always in order
            frames = list(await in_document_order(frames))
        listed = await asyncio.gather(*(_list(frame) for frame in frames))
        seen = [(frame, *one) for frame, one in zip(frames, listed, strict=True) if one is not None]
        named = [
            (await _name_of(frame), report | {"title": await _title_of(frame)}) for frame, _, report in seen
        ]
        return _Look(
            Snapshot.from_reports(named), [frame for frame, _, _ in seen], [handle for _, handle, _ in seen]
        )

    async def _take(self, look: _Look, resolved: Resolved, purpose: Purpose) -> Meant | None:
        """The element itself; None while it cannot be used or when it went away meanwhile."""
        candidate = resolved.candidate
        if purpose == "act" and not candidate.is_enabled:
            return None
        frame, listed = look.frames[candidate.frame], look.handles[candidate.frame]
        try:
            handle = await listed.evaluate_handle("(listed, at) => listed.elements[at]", candidate.index)
            element = handle.as_element()
            if element is None:
                return None
            locator = await _by_row(frame, element, resolved.by_row) or await lasting_locator(frame, element)
        except PlaywrightError as error:
            if is_loss(error):
                raise
            return None
        if locator is None:
            return None
        within = locator.model_copy(update={"frame": await _name_of(frame)})
        playwright = elements(frame, locator, exact=True, include_hidden=True)
        return Meant(Found(playwright, 1, "words"), within, resolved.understood)


async def _by_row(frame: Frame, element: ElementHandle, locator: Locator | None) -> Locator | None:
    """The locator by row if it leads to this element alone."""
    if locator is None:
        return None
    query = elements(frame, locator, exact=True, include_hidden=True)
    return locator if await query.evaluate_all(_IS_IT_ALONE, element) else None


async def _list(frame: Frame) -> tuple[JSHandle, dict[str, Any]] | None:
    """What one frame offers; None when it is on its way elsewhere or too busy."""
    try:
        async with asyncio.timeout(_SECONDS):
            handle = await frame.evaluate_handle(script(), MOST_CANDIDATES)
            return handle, await handle.evaluate("listed => listed.report")
    except (PlaywrightError, TimeoutError) as error:
        if isinstance(error, PlaywrightError) and is_loss(error):
            raise
        return None


async def _name_of(frame: Frame) -> str | None:
    """What `locator.frame` has to say to mean this frame; None for the main one."""
    if frame.parent_frame is None:
        return None
    others = [one for one in frame.page.frames if one is not frame]
    if frame.name and all(one.name != frame.name for one in others):
        return frame.name
    if frame.url.startswith("http") and all(frame.url not in one.url for one in others):
        return frame.url
    try:
        return await (await frame.frame_element()).evaluate(
            """frame => { const path = []; for (let at = frame; at?.parentElement; at = at.parentElement)
            path.unshift(`${at.localName}:nth-child(${[...at.parentElement.children].indexOf(at) + 1})`);
            return path.join(' > ') }"""
        )
    except PlaywrightError as error:
        if is_loss(error):
            raise
        return frame.name or frame.url


async def _title_of(frame: Frame) -> str:
    """What the page calls this frame."""
    if frame.parent_frame is None:
        return ""
    try:
        holder = await frame.frame_element()
        return await holder.evaluate("frame => frame.title || frame.ariaLabel || frame.name")
    except PlaywrightError as error:
        if is_loss(error):
            raise
        return frame.name


def _unusable(phrase: str, resolved: Resolved) -> NotPresent:
    state = "disabled" if not resolved.candidate.is_enabled else "still changing"
    return NotPresent(
        f"`{phrase}` means {resolved.candidate}, but it is {state}.",
        Diagnosis(
            expected=resolved.understood,
            found=f"{resolved.candidate}, {state}",
            cause="The page does not allow it yet.",
            advice="Do first what makes the page allow it, or give the block more `timeoutMs`.",
        ),
    )
