"""The frames of a page: which ones a locator means, and their order in the document."""

from collections.abc import Sequence
from typing import Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Page

from pagehand.javascript import load_script
from pagehand.page.dom import is_page_lost

_DOCUMENT_ORDER: Final = load_script(__file__, "document_order")
_FRAME_PATH: Final = load_script(__file__, "frame_path")
_MOST: Final = 100
"""Far more than pages have; each is asked on its own, and a hostile page adds them without end."""


def frames_of(page: Page) -> list[Frame]:
    """The frames in which elements are looked for, the main one first."""
    return [page.main_frame, *(frame for frame in page.frames if frame is not page.main_frame)][:_MOST]


async def named_frames(page: Page, wanted: str) -> Sequence[Frame]:
    """The frames meant by a name, a URL (whole, or a part of it) or the CSS selector of the iframe."""
    inner = [frame for frame in page.frames if frame is not page.main_frame]
    if found := [frame for frame in inner if wanted in (frame.name, frame.url)]:
        return found
    # only with a slash: a name such as `pay` is part of many addresses
    if "/" in wanted and (found := [frame for frame in inner if wanted in frame.url]):
        return found
    for holder in frames_of(page):
        if found := await _by_selector(holder, wanted):
            return found
    return []


async def _by_selector(holder: Frame, selector: str) -> list[Frame]:
    try:
        handles = await holder.locator(f"css={selector}").element_handles()
        frames = [await handle.content_frame() for handle in handles]
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        # a name or URL that is not CSS, or a frame that is being removed
        return []
    return [frame for frame in frames if frame is not None]


async def name_of(frame: Frame) -> str | None:
    """The value of `locator.frame` that means this frame; None for the main one."""
    if frame.parent_frame is None:
        return None
    others = [item for item in frame.page.frames if item is not frame]
    if frame.name and all(other.name != frame.name for other in others):
        return frame.name
    if frame.url.startswith("http") and all(frame.url not in other.url for other in others):
        return frame.url
    try:
        return await (await frame.frame_element()).evaluate(_FRAME_PATH)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        return frame.name or frame.url


async def in_document_order(frames: Sequence[Frame]) -> Sequence[Frame]:
    """The same frames in the order of the document, a frame before those inside it."""
    wanted = set(frames)
    ordered: list[Frame] = []

    async def walk(frame: Frame) -> None:
        if frame in wanted:
            ordered.append(frame)
        for child in await _children(frame):
            await walk(child)

    # from the top: a frame knows its children, not its own position among them
    root = frames[0]
    while root.parent_frame is not None:
        root = root.parent_frame
    await walk(root)
    # those detached meanwhile come last
    return [*ordered, *(frame for frame in frames if frame not in ordered)]


async def _children(frame: Frame) -> Sequence[Frame]:
    children = frame.child_frames
    if len(children) <= 1:
        return children
    try:
        holders = [await child.frame_element() for child in children]
        order: list[int] = await frame.evaluate(_DOCUMENT_ORDER, holders)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        return children
    return [children[index] for index in order]
