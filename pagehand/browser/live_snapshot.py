"""A snapshot for resolving words that still leads back to the elements of the live page."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from msgspec.json import decode
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, JSHandle, Page
from playwright.async_api import Locator as Element

from pagehand.browser.frames import frames_of, in_document_order, name_of, named_frames
from pagehand.browser.locator_finder import raise_if_hopeless
from pagehand.browser.queries import elements, has_text_fields
from pagehand.errors import Diagnosis, NotPresent
from pagehand.javascript import load_script
from pagehand.page.dom import give_back, is_page_lost, on_dom_core
from pagehand.page.phrases import MAX_CANDIDATES, CandidateKey, FrameReport, Snapshot, inventory_script
from pagehand.workflow.locator import Locator

_SECONDS: Final = 5.0
_PAGE_SECONDS: Final = 30.0
"""For the main frame: a page of tens of thousands of elements takes seconds, on a busy machine many."""
# the list is kept in the page, its description is not
_TAKE_REPORT: Final = "listed => { const taken = listed.report; listed.report = ''; return taken; }"
_LISTED_AMONG: Final = load_script(__file__, "listed_among")
_LISTED_INSIDE: Final = on_dom_core(load_script(__file__, "listed_inside"))


@dataclass(slots=True, frozen=True)
class LiveSnapshot:
    """What the page offers, and the handles that lead from a candidate back to its element."""

    snapshot: Snapshot
    frames: Sequence[Frame]
    handles: Sequence[JSHandle]
    allowed: frozenset[CandidateKey] | None
    """The candidates that the locator's other fields, or the element to look in, allow; None for all."""

    async def dispose(self) -> None:
        """Let the page free what was listed."""
        await give_back(*self.handles)

    async def is_current(self) -> bool:
        """True when the page would be listed in the same way again."""
        try:
            async with asyncio.timeout(_SECONDS):
                answers = [handle.evaluate("listed => listed.isCurrent()") for handle in self.handles]
                return all(await asyncio.gather(*answers))
        except (PlaywrightError, TimeoutError) as error:
            if isinstance(error, PlaywrightError) and is_page_lost(error):
                raise
            return False


async def take_live_snapshot(
    page: Page,
    locator: Locator | None = None,
    within: Element | None = None,
    known: LiveSnapshot | None = None,
) -> LiveSnapshot:
    """List what words can mean, in the frames that the locator or the element `within` allows.

    `known` is an earlier one: it is used again if the page has not changed, and disposed of otherwise.
    """
    frames = await _frames(page, locator, within)
    # a frame's name is in the document around it, which is observed only where all of the page is listed
    is_whole = page.main_frame in frames
    if known is None or not is_whole or known.frames != frames or not await known.is_current():
        if known is not None:
            await known.dispose()
        known = await _list_all(frames)
    return replace(known, allowed=await _allowed(known.frames, known.handles, locator, within))


async def _list_all(frames: Sequence[Frame]) -> LiveSnapshot:
    listed = await asyncio.gather(*(_list(frame) for frame in frames))
    seen = [(frame, *item) for frame, item in zip(frames, listed, strict=True) if item is not None]
    for frame, _, report in seen:
        report.title = await _title_of(frame)
    reports = [(await name_of(frame), report) for frame, _, report in seen]
    handles = [handle for _, handle, _ in seen]
    # in a thread: a page with thousands of elements and long texts takes a part of a second
    snapshot = await asyncio.to_thread(Snapshot.from_reports, reports)
    return LiveSnapshot(snapshot, [frame for frame, _, _ in seen], handles, None)


async def _frames(page: Page, locator: Locator | None, within: Element | None) -> Sequence[Frame]:
    if within is not None:
        # an element is in one frame: the others need not be listed
        handle = await within.element_handle()
        owner = await handle.owner_frame()
        return [owner] if owner is not None else []
    if locator is not None and locator.frame:
        return await named_frames(page, locator.frame)
    frames = frames_of(page)
    # two are always in order
    return await in_document_order(frames) if len(frames) > 2 else frames  # noqa: PLR2004


async def _list(frame: Frame) -> tuple[JSHandle, FrameReport] | None:
    """What one frame offers; None when it is navigating, or is not the main frame and too busy."""
    is_main = frame.parent_frame is None
    try:
        async with asyncio.timeout(_PAGE_SECONDS if is_main else _SECONDS):
            handle = await frame.evaluate_handle(inventory_script(), MAX_CANDIDATES)
            report: str = await handle.evaluate(_TAKE_REPORT)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        return None
    except TimeoutError as late:
        if not is_main:
            return None
        raise NotPresent(
            f"The page did not list its elements within {_PAGE_SECONDS:g} s: it is busy, or very large.",
            Diagnosis(advice="Give the block a locator without words, such as `css`."),
        ) from late
    # one text, decoded in a thread: Playwright takes seconds for a value of a hundred thousand parts
    return handle, await asyncio.to_thread(decode, report, type=FrameReport)


async def _title_of(frame: Frame) -> str:
    """What the page calls this frame."""
    if frame.parent_frame is None:
        return ""
    try:
        holder = await frame.frame_element()
        return await holder.evaluate("frame => frame.title || frame.ariaLabel || frame.name")
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        return frame.name


async def _allowed(
    frames: Sequence[Frame], handles: Sequence[JSHandle], locator: Locator | None, within: Element | None
) -> frozenset[CandidateKey] | None:
    others = locator.beside_words if locator is not None else None
    if within is not None:
        # only the frame of `within` was listed
        listed: list[int] = await within.evaluate(_LISTED_INSIDE, handles[0]) if handles else []
        inside = frozenset((0, at) for at in listed)
        return inside if others is None else inside & await _matching(frames, handles, others)
    return await _matching(frames, handles, others) if others is not None else None


async def _matching(
    frames: Sequence[Frame], handles: Sequence[JSHandle], others: Locator
) -> frozenset[CandidateKey]:
    """The candidates that the other fields match; by part of a text only if nothing has the whole."""
    found: set[CandidateKey] = set()
    for exact in (True, False) if has_text_fields(others) else (True,):
        for number, (frame, handle) in enumerate(zip(frames, handles, strict=True)):
            query = elements(frame, others, exact=exact, include_hidden=True)
            try:
                found |= {(number, at) for at in await query.evaluate_all(_LISTED_AMONG, handle)}
            except PlaywrightError as error:
                raise_if_hopeless(error)
        if found:
            break
    return frozenset(found)
