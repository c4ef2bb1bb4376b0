"""How often words lead to the element they mean, how often to another one, how often they are refused.

    python benchmarks/phrases.py [--all]

The phrases (`phrase_pages/phrases.txt`) are about pages by other people, and each names the element it means
by a selector of its own. They were written before the work they measure, which was done with the pages of
`tests/browser/words`. `--all` prints single mistakes; `docs/architecture.md` says whether anybody looked.
Every phrase that leads somewhere is then changed (a word left out or replaced) and so is its page (the
element doubled or removed): what is taken then must be the same element, or nothing.
"""

import argparse
import asyncio
import re
from collections import Counter
from dataclasses import dataclass, field

from phrase_pages import Phrase, Source, sources
from phrase_pages.serving import Pages
from playwright.async_api import ElementHandle, Page, Route, async_playwright

from measuring import running
from measuring.report import Figure, publish
from pagehand.browser.live_snapshot import LiveSnapshot, take_live_snapshot
from pagehand.errors import BlockFailed
from pagehand.page.phrases import ResolvedElement, resolve
from pagehand.page.phrases.tokens import strip_stop_words, tokenize

_ORDINAL = re.compile(r"\b(first|second|third|fourth|fifth|last|\d+(st|nd|rd|th))\b")
_FUNCTION_WORDS = frozenset(
    ("the", "a", "an", "in", "of", "to", "on", "row", "next", "under", "section", "card")
)
_REPLACEMENTS = ("zyzzyva", "archive", "north")
# what is done to the element, and how it is undone
_CHANGES = {
    "doubled": (
        """element => { const copy = element.cloneNode(true); copy.removeAttribute('id');
          copy.setAttribute('data-copy', ''); element.after(copy) }""",
        "() => document.querySelectorAll('[data-copy]').forEach(copy => copy.remove())",
    ),
    "removed": (
        "element => { window.mark = document.createComment(''); element.replaceWith(window.mark) }",
        "element => window.mark.replaceWith(element)",
    ),
}


@dataclass(slots=True)
class Results:
    """The outcomes of the phrases and of their changes."""

    phrases: Counter[str] = field(default_factory=Counter[str])
    changes: Counter[str] = field(default_factory=Counter[str])
    mistakes: list[str] = field(default_factory=list[str])

    def share(self, outcome: str) -> float:
        """In percent of all phrases."""
        return 100 * self.phrases[outcome] / max(1, self.phrases.total())


async def measure() -> Results:
    """Every phrase on its page."""
    results = Results()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=running.browser_path())
        page = await browser.new_page(viewport={"width": 1366, "height": 900})
        await page.route(lambda url: "//127.0.0.1" not in url, _refuse)
        with Pages() as pages:
            for source in sources():
                await pages.show(source, page)
                await _try_all(source, page, results)
        await browser.close()
    return results


async def _refuse(route: Route) -> None:
    await route.abort()


async def _try_all(source: Source, page: Page, results: Results) -> None:
    live = await take_live_snapshot(page)
    for phrase in source.phrases:
        outcome, detail = await _try(phrase, page, live)
        results.phrases[outcome] += 1
        if outcome in ("wrong", "refused though there"):
            results.mistakes.append(f"{outcome}: {source}: {phrase.words}: {detail}")
        if outcome == "right" and phrase.meant is not None:
            await _try_changed(source, phrase, page, live, results)


async def _try(phrase: Phrase, page: Page, live: LiveSnapshot) -> tuple[str, str]:
    wanted = await _wanted(phrase, page)
    try:
        resolved = resolve(phrase.words, live.snapshot, phrase.kind)
    except BlockFailed as refusal:
        return ("refused though there" if wanted is not None else "right"), refusal.message
    is_right = wanted is not None and await _is_element(resolved, wanted, live)
    return ("right" if is_right else "wrong"), f"took {resolved.candidate} {resolved.candidate.path}"


async def _wanted(phrase: Phrase, page: Page) -> ElementHandle | None:
    if phrase.meant is None:
        return None
    query = page.locator(phrase.meant).filter(visible=True) if "type=file" not in phrase.meant else None
    query = query or page.locator(phrase.meant)
    if await query.count() != 1:
        raise RuntimeError(f"`{phrase.meant}` of `{phrase.words}` is {await query.count()} elements")
    return await query.element_handle()


async def _is_element(resolved: ResolvedElement, wanted: ElementHandle, live: LiveSnapshot) -> bool:
    handle, index = live.handles[resolved.candidate.frame], resolved.candidate.index
    return await handle.evaluate("(listed, [at, wanted]) => listed.elements[at] === wanted", [index, wanted])


async def _try_changed(
    source: Source, phrase: Phrase, page: Page, live: LiveSnapshot, results: Results
) -> None:
    wanted = await _wanted(phrase, page)
    assert wanted is not None  # noqa: S101 - it was right
    for words in _changed(phrase.words):
        await _judge(source, phrase, words, wanted, live, results)
    is_cell = await wanted.evaluate("element => element.matches('td,th')")
    if is_cell or _ORDINAL.search(phrase.words):
        return
    for change, (make, undo) in _CHANGES.items():
        await wanted.evaluate(make)
        changed = await take_live_snapshot(page)
        await _judge(source, phrase, phrase.words, wanted, changed, results, change)
        await changed.dispose()
        await wanted.evaluate(undo)


def _changed(words: str) -> list[str]:
    """The phrase without each of its words, and with each replaced."""
    parts = words.split()
    found: list[str] = []
    for at, word in enumerate(parts):
        if word.lower() in _FUNCTION_WORDS:
            continue
        found += [" ".join((*parts[:at], other, *parts[at + 1 :])) for other in _REPLACEMENTS]
        if parts[1:]:
            found.append(" ".join((*parts[:at], *parts[at + 1 :])))
    return found


async def _judge(
    source: Source,
    phrase: Phrase,
    words: str,
    wanted: ElementHandle,
    live: LiveSnapshot,
    results: Results,
    change: str = "words",
) -> None:
    try:
        resolved = resolve(words, live.snapshot, phrase.kind)
    except BlockFailed:
        results.changes["refused"] += 1
        return
    is_same = await _is_element(resolved, wanted, live)
    if not is_same and change == "words" and _is_its_name(words, resolved):
        # without that word it is the full name of another element, and means that one
        results.changes["another element by its own name"] += 1
        return
    results.changes["the same element" if is_same else "another element"] += 1
    if not is_same:
        detail = f"`{phrase.words}` as `{words}`: {resolved.candidate} by {resolved.understood}"
        results.mistakes.append(f"changed ({change}): {source}: {detail}")


def _is_its_name(words: str, resolved: ResolvedElement) -> bool:
    name_text = strip_stop_words(tokenize(words.lower().removeprefix("choose ")))
    return any(name.words == name_text for name in resolved.candidate.names)


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="print every mistake")
    options = parser.parse_args()
    results = asyncio.run(measure())
    if options.all:
        print("\n".join(results.mistakes))
    changes = results.changes
    publish(
        "phrases",
        f"{results.phrases.total()} phrases on pages by other people",
        [
            Figure("right", results.share("right"), "%", at_least=88),
            Figure("wrong", results.phrases["wrong"], "", at_most=0),
            Figure("refused though there", results.share("refused though there"), "%"),
            Figure("changed phrases and pages", changes.total()),
            Figure("of them led to another element", changes["another element"], at_most=0),
        ],
        phrases=results.phrases,
        changes=changes,
    )


if __name__ == "__main__":
    main()
