"""Finding an element by a locator or key, in whichever frame it is, and waiting until it can be used."""

import asyncio
import difflib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from msgspec import Struct, convert
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Page
from playwright.async_api import Locator as Element

from pagehand.browser.frames import frames_of, in_document_order, named_frames
from pagehand.browser.queries import elements, fold, has_text_fields, key_queries
from pagehand.browser_session import FoundElement, Purpose
from pagehand.errors import BlockFailed, Diagnosis, NotPresent
from pagehand.javascript import load_script
from pagehand.page.dom import is_page_lost, on_dom, on_dom_core
from pagehand.page.phrases import NotClear
from pagehand.workflow.locator import Locator

_FRAME_SECONDS: Final = 2.0
# a look that was begun is finished, however little time is left: a slow machine must not hide elements
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
_PROBE: Final = on_dom_core(load_script(__file__, "find_probe"))
_SECONDS: Final = 2.0
_NEAREST: Final = 3
_ALIKE: Final = 0.3
_COMPARED: Final = 200
"""Characters of what is looked for; a long selector takes time, and resembles no name."""
_CANDIDATES: Final = on_dom(load_script(__file__, "candidates"))
_AMBIGUOUS_SECONDS: Final = 1.0
"""A page that is being built may show two elements for a moment."""
_LISTED: Final = 5
_NAMES: Final = on_dom("""(dom, found) => found.filter(dom.isVisible).map(el => ({
    role: dom.roleOf(el) || el.localName,
    name: dom.nameOf(el, dom.textReader({maxLength: 80})) || el.id,
}))""")


class _ProbeResult(Struct, frozen=True, rename="camel"):
    """What `find_probe.js` answers about the elements that a query matches."""

    count: int
    index: int
    fits: int
    states: list[str]
    is_one_of_several: bool
    place: list[float] | None


@dataclass(slots=True, frozen=True)
class _FrameMatch:
    """The elements of one frame that a query matches."""

    frame: Frame
    elements: Element
    how: str
    count: int
    index: int
    """The first that fits the purpose, or -1."""
    fits: int
    """How many fit, where exactly one has to; else whether one does."""
    states: Sequence[str]
    """Why those that do not fit cannot be used: `hidden` or `disabled`."""
    is_one_of_several: bool
    """Others fit as well, and do something else."""
    place: Sequence[float] | None
    """Where the first that fits is, as `FoundElement` has it."""


_Query = Callable[[Frame], Element]
_Queries = Sequence[tuple[str, _Query]]
"""How to look for one element, best first: what a match is reported as, and the query."""


class LocatorFinder:
    """Works on the tab that is current when it is called."""

    def __init__(self, current: Callable[[], Page]) -> None:
        """`current` gives the tab; it may change during a wait."""
        self._current = current

    async def find(self, wanted: Locator | str, purpose: Purpose, *, timeout_seconds: float) -> FoundElement:
        """The first element that fits; NotPresent with a diagnosis once the time is over.

        If the locator is strict, NotClear when several fit.

        A string is the key of a form field: its label, placeholder, name or id.
        """
        queries = _queries(wanted, include_hidden=purpose == "touch")
        is_strict = isinstance(wanted, Locator) and bool(wanted.strict)
        deadline = time.monotonic() + timeout_seconds
        clear_until = time.monotonic() + min(timeout_seconds, _AMBIGUOUS_SECONDS)
        tries = 0
        while True:
            seconds = max(_LOOK_SECONDS, deadline - time.monotonic())
            match = await _look(await self._frames(wanted), queries, purpose, seconds, is_strict=is_strict)
            if match is not None and match.fits > 1:
                if time.monotonic() >= clear_until:
                    raise await _several(wanted, match)
            elif match is not None and match.index >= 0:
                element = match.elements.nth(match.index)
                return FoundElement(
                    element,
                    match.count,
                    match.how,
                    is_one_of_several=match.is_one_of_several,
                    place=match.place,
                )
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                states = match.states if match else ()
                message, diagnosis = await diagnose(self._current(), wanted, states)
                raise NotPresent(message, diagnosis)
            await asyncio.sleep(min(remaining, _PAUSES[min(tries, len(_PAUSES) - 1)]))
            tries += 1

    async def find_all(
        self, locator: Locator, within: Element | None, *, only_one: bool = False
    ) -> list[Element]:
        """All that match right now, hidden ones too.

        With `only_one`, NotClear when several that are shown fit a strict locator.
        """
        if within is None:
            queries = _queries(locator, include_hidden=True)
            if only_one and locator.strict:
                shown = await _look(
                    await self._frames(locator), queries, "see", _FRAME_SECONDS, is_strict=True
                )
                if shown is not None and shown.fits > 1:
                    raise await _several(locator, shown)
            match = await _look(await self._frames(locator), queries, "touch", _FRAME_SECONDS)
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
        return frames_of(page)


def _queries(wanted: Locator | str, *, include_hidden: bool) -> _Queries:
    if isinstance(wanted, str):
        return [("key", query) for exact in (True, False) for query in key_queries(wanted, exact=exact)]
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


async def _look(
    frames: Sequence[Frame], queries: _Queries, purpose: Purpose, seconds: float, *, is_strict: bool = False
) -> _FrameMatch | None:
    """Each query in the main frame, then in all others at once; the first in document order wins."""
    for how, query in queries if frames else ():
        probe = partial(_probe, query=query, asked=(purpose, is_strict), how=how)
        first = await probe(frames[0], seconds=seconds)
        if first is not None:
            return first
        # embedded frames may be slow, and must not use up the time of the page itself
        limit = min(seconds, _FRAME_SECONDS)
        # at once: a page with many frames would take seconds one by one
        rest = await asyncio.gather(*(probe(frame, seconds=limit) for frame in frames[1:]))
        matches = [match for match in rest if match is not None]
        if len(matches) > 1:
            order = await in_document_order([match.frame for match in matches])
            found = next(match for match in matches if match.frame is order[0])
            return replace(found, fits=sum(match.fits for match in matches)) if is_strict else found
        if matches:
            return matches[0]
    return None


async def _probe(
    frame: Frame, *, query: _Query, asked: tuple[Purpose, bool], how: str, seconds: float
) -> _FrameMatch | None:
    wanted = query(frame)
    try:
        async with asyncio.timeout(seconds):
            result = convert(await wanted.evaluate_all(_PROBE, asked), _ProbeResult)
    except TimeoutError:
        # a frame that is busy or still loading offers nothing now
        return None
    except PlaywrightError as error:
        raise_if_hopeless(error)
        return None
    if result.count == 0:
        return None
    return _FrameMatch(
        frame,
        wanted,
        how,
        result.count,
        result.index,
        result.fits,
        result.states,
        result.is_one_of_several,
        result.place,
    )


async def _count(query: Element) -> int:
    try:
        return await query.count()
    except PlaywrightError as error:
        raise_if_hopeless(error)
        return 0


def raise_if_hopeless(error: PlaywrightError) -> None:
    """Raise for a bad selector or a dead page; a frame that vanished is worth another look."""
    if is_page_lost(error):
        raise error
    if any(sign in error.message for sign in _BAD_SELECTOR):
        line = error.message.split("\n", 1)[0].split(": ", 1)[-1]
        raise BlockFailed(
            f"The locator is not valid: {line}", Diagnosis(cause=line, advice="Correct the `css` or `xpath`.")
        ) from error


class _Candidate(Struct):
    """An element that the locator may have meant."""

    role: str
    name: str


async def _several(wanted: Locator | str, match: _FrameMatch) -> NotClear:
    """The failure of a strict locator that several elements fit."""
    candidates = convert(await match.elements.evaluate_all(_NAMES), list[_Candidate])
    names = [f"{found.role} `{fold(found.name)}`" for found in candidates[:_LISTED]]
    more = f" and {match.fits - len(names)} more" if match.fits > len(names) else ""
    shown = f"{', '.join(names)}{more}" if names else f"{match.fits} elements"
    return NotClear(
        f"{match.fits} elements fit {wanted}, and exactly one has to: {shown}.",
        Diagnosis(
            expected=f"one element that fits {wanted}",
            found=shown,
            cause="The locator has `strict: true`, and does not say which of them is meant.",
            advice="Add what tells it from the others, such as `text` or `label`, or remove `strict`.",
        ),
    )


async def diagnose(page: Page, wanted: Locator | str, states: Sequence[str]) -> tuple[str, Diagnosis]:
    """The message and details for an element that was not found; `states` are those of unusable matches."""
    described = str(wanted) if isinstance(wanted, Locator) else f"a field called `{wanted}`"
    if states:
        return _unfit(described, states)
    nearest = await _nearest(page, wanted)
    where = f"on {page.url}"
    found = f"nearest {where}: {', '.join(nearest)}" if nearest else f"nothing like it {where}"
    return f"Nothing on the page matches {described}; {found}.", Diagnosis(
        expected=described,
        found=found,
        cause="The page has changed, is not the one expected, or had not finished when the time was over.",
        advice="Compare the locator with what was found, or give the block more time with `timeoutMs`.",
    )


def _unfit(described: str, states: Sequence[str]) -> tuple[str, Diagnosis]:
    counted = " and ".join(f"{count} {state}" for state, count in Counter(states).items())
    noun = "element" if len(states) == 1 else "elements"
    found = f"matched {len(states)} {noun}, of them {counted}"
    return f"What matches {described} cannot be used: {found}.", Diagnosis(
        expected=described,
        found=found,
        cause="The page does not show or allow it yet.",
        advice="Do first what makes the page show or enable it, or give the block more `timeoutMs`.",
    )


async def _nearest(page: Page, wanted: Locator | str) -> list[str]:
    try:
        async with asyncio.timeout(_SECONDS):
            candidates = convert(await page.evaluate(_CANDIDATES), list[_Candidate])
    except (PlaywrightError, TimeoutError):
        # a failed explanation must not hide the failure itself
        return []
    role, text = _aim(wanted)
    scored = {
        f"{candidate.role} `{fold(candidate.name)}`": _likeness(candidate, role, text)
        for candidate in candidates
    }
    best = sorted(scored, key=scored.__getitem__, reverse=True)[:_NEAREST]
    return [name for name in best if scored[name] >= _ALIKE]


def _aim(wanted: Locator | str) -> tuple[str, str]:
    if isinstance(wanted, str):
        return "", wanted
    text = wanted.text or wanted.label or wanted.placeholder or wanted.alt_text or wanted.title
    return wanted.role or "", text or wanted.css or wanted.xpath or ""


def _likeness(candidate: _Candidate, role: str, text: str) -> float:
    name = fold(candidate.name).lower()
    alike = difflib.SequenceMatcher(None, name, fold(text)[:_COMPARED].lower()).ratio() if text else 0.0
    return alike + (0.35 if role and candidate.role == role else 0.0)
