"""Finding an element by words on the live page: look, decide, and make sure it is still that element."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from playwright.async_api import ElementHandle, Frame, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator as Element

from pagehand.browser.frames import name_of
from pagehand.browser.healing.lasting import lasting_locator
from pagehand.browser.locate import elements
from pagehand.browser.word_look import Look, look_at
from pagehand.browser_session import Found, Purpose
from pagehand.errors import BlockFailed, Diagnosis, NotPresent
from pagehand.page.page_loss import is_page_lost
from pagehand.page.phrases import NotClear, ResolvedElement, Snapshot, TargetKind, resolve, resolve_all
from pagehand.workflow.locator import Locator

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


class WordFinder:
    """Works on the page that is current when asked."""

    def __init__(self, current: Callable[[], Page]) -> None:
        """`current` gives the tab; it may change while we wait."""
        self._current = current

    async def snapshot(self) -> Snapshot:
        """The page as words see it, to be looked at later."""
        look = await look_at(self._current())
        await look.forget()
        return look.snapshot

    async def find(
        self, wanted: Locator, purpose: Purpose, kind: TargetKind, *, timeout_seconds: float
    ) -> Meant:
        """The one element that its words mean, waited for; NotPresent or NotClear once the time is over."""
        if kind == "anything" and purpose == "touch":
            kind = "shown"
        began, tries = time.monotonic(), 0
        previous: str | None = None
        while True:
            look = await look_at(self._current(), wanted)
            passed = time.monotonic() - began
            try:
                resolved = _resolve(wanted, look, kind)
                path = f"{resolved.candidate.frame} {resolved.candidate.path}"
                is_settled = resolved.is_sure or path == previous
                if is_settled and (meant := await _take(look, resolved, purpose)) is not None:
                    # the list keeps elements alive that the page has removed: thousands, in a long loop
                    await look.forget()
                    return meant
                previous = path
                pause = _SURE_AFTER_SECONDS
                trouble: BlockFailed = _unusable(wanted, resolved)
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

    async def find_all(self, wanted: Locator, within: Element | None, *, one: bool) -> list[Element]:
        """All that the words mean equally well right now; NotClear for several when `one` is asked for."""
        look = await look_at(self._current(), wanted, within)
        try:
            found = resolve_all(wanted.words or "", look.snapshot, "shown", look.only, one=one)
            taken = [await _take(look, resolved, "touch") for resolved in found]
        except NotPresent:
            return []
        finally:
            await look.forget()
        return [meant.found.element for meant in taken if meant is not None]


def _resolve(wanted: Locator, look: Look, kind: TargetKind) -> ResolvedElement:
    if not look.frames and wanted.frame:
        raise NotPresent(
            f"There is no frame `{wanted.frame}` on the page to find `{wanted.words}` in.",
            Diagnosis(expected=str(wanted), advice="Compare `frame` with the page, or leave it out."),
        )
    if look.only is not None and not look.only:
        raise NotPresent(
            f"Nothing on the page matches {wanted.beside_words}, so `{wanted.words}` is not looked for.",
            Diagnosis(expected=str(wanted), advice="Leave out what narrows the words, or correct it."),
        )
    return resolve(wanted.words or "", look.snapshot, kind, look.only)


async def _take(look: Look, resolved: ResolvedElement, purpose: Purpose) -> Meant | None:
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
        if is_page_lost(error):
            raise
        return None
    if locator is None:
        return None
    within = locator.model_copy(update={"frame": await name_of(frame)})
    playwright = await _guarded(frame, element, locator, resolved)
    return Meant(Found(playwright, 1, "words"), within, resolved.understood)


async def _guarded(
    frame: Frame, element: ElementHandle, locator: Locator, resolved: ResolvedElement
) -> Element:
    """What leads to the element, and to nothing at all once another row has taken its place."""
    query = elements(frame, locator, exact=True, include_hidden=True)
    if resolved.guard is None or locator == resolved.by_row:
        return query
    guarded = query.and_(frame.locator(f"xpath={resolved.guard}"))
    # shadow roots are closed to XPath, and texts may be put together from several elements
    return guarded if await guarded.evaluate_all(_IS_IT_ALONE, element) else query


async def _by_row(frame: Frame, element: ElementHandle, locator: Locator | None) -> Locator | None:
    """The locator by row if it leads to this element alone."""
    if locator is None:
        return None
    query = elements(frame, locator, exact=True, include_hidden=True)
    return locator if await query.evaluate_all(_IS_IT_ALONE, element) else None


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
