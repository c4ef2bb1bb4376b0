"""Why an element was not found: what is there instead, to help correct the locator."""

import asyncio
import difflib
from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec import Struct, convert
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from pagehand.browser.queries import fold
from pagehand.errors import Diagnosis
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.workflow.locator import Locator

_SECONDS: Final = 2.0
_NEAREST: Final = 3
_ALIKE: Final = 0.3
_COMPARED: Final = 200
"""Characters of what is looked for; a long selector takes time, and resembles no name."""

_CANDIDATES: Final = on_dom(load_script(__file__, "candidates"))


class _Candidate(Struct):
    """An element that the locator may have meant, as `candidates.js` lists it."""

    role: str
    name: str


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
