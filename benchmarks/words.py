"""What finding an element by words costs on pages of different sizes, and what chat pays for the same phrase.

    python benchmarks/words.py [--sizes 100,1000,5000,20000] [--rounds 3]

The page has navigation, a form, a table and cards; every phrase names one of its elements, or one it has not.
`look` is a whole search on the live page, which has just changed: list what it offers, resolve the phrase,
make a locator. `again` is the same when nothing has changed. `chat` resolves the phrase on a kept snapshot.
CPU time is that of this process; the page's own is in the wall time.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Page, async_playwright

from measuring import running
from measuring.report import Figure, publish
from pagehand.browser.word_finder import WordFinder
from pagehand.errors import BlockFailed
from pagehand.instructions.chat import VisitedPages
from pagehand.instructions.grammar import NotUnderstood
from pagehand.workflow.locator import Locator

_ASKED_FOR = 5000
_CHANGE = "() => document.body.append(document.createTextNode(' '))"


@dataclass(slots=True)
class Times:
    """Milliseconds of each phrase."""

    wall: list[float] = field(default_factory=list[float])
    cpu: list[float] = field(default_factory=list[float])

    async def take(self, work: Callable[[], Awaitable[Any]]) -> None:
        """Do it and note what it took; a refusal is an answer as well."""
        wall, cpu = time.perf_counter(), time.process_time()
        with suppress(BlockFailed, NotUnderstood):
            await work()
        self.wall.append((time.perf_counter() - wall) * 1000)
        self.cpu.append((time.process_time() - cpu) * 1000)


def build_page(elements: int) -> str:
    """Parts with about so many elements in all."""
    rows = "".join(
        f"<tr><td>INV-{n:05}</td><td>Customer {n}</td><td>{n * 7}.50</td><td><input name=note{n}></td>"
        "<td><button>Approve</button> <a href=#>Details</a></td></tr>"
        for n in range(elements * 4 // 10 // 9)
    )
    cards = "".join(
        f"<div class=card><h3>Offer {n}</h3><p>{n} guests</p><a href=#>More</a><button>Book</button></div>"
        for n in range(elements * 3 // 10 // 5)
    )
    fields = "".join(
        f"<div><label for=f{n}>Setting {n}</label><input id=f{n}></div>"
        for n in range(elements * 2 // 10 // 3)
    )
    links = "".join(f"<li><a href=#>Topic {n}</a></li>" for n in range(elements // 10 // 2))
    return (
        f"<!doctype html><title>Large</title><nav><ul>{links}</ul></nav><main><h1>Everything</h1>"
        f"<section><h2>Settings</h2><form>{fields}<button>Save settings</button></form></section>"
        "<section><h2>Invoices</h2><table><thead><tr><th>Number<th>Customer<th>Amount<th>Note<th>Actions</tr>"
        f"</thead><tbody>{rows}</tbody></table></section><section><h2>Offers</h2>{cards}</section></main>"
    )


def phrases(elements: int) -> list[str]:
    """About elements at the beginning, in the middle and at the end of the page."""
    rows, cards, fields = elements * 4 // 10 // 9, elements * 3 // 10 // 5, elements * 2 // 10 // 3
    found = ["the Save settings button", "Topic 1", "the button Archive everything"]
    for share in (0, 1, 2, 3):
        row, card, setting = ((many - 1) * share // 3 for many in (rows, cards, fields))
        found += [
            f"the Approve button in the row of INV-{row:05}",
            f"the Note field in the row of Customer {row}",
            f"Book in the card Offer {card}",
            f"the Setting {setting} field",
            f"More under Offer {card}",
        ]
    return found


async def measure(page: Page, elements: int, rounds: int) -> dict[str, Times]:
    """Every phrase, on a page of that size."""
    await page.set_content(build_page(elements))
    finder = WordFinder(lambda: page)
    snapshot = await finder.take_snapshot()
    times = {"look": Times(), "again": Times(), "chat": Times()}
    for _ in range(rounds):
        pages = VisitedPages([snapshot])
        for phrase in phrases(elements):
            await page.evaluate(_CHANGE)

            async def look(words: str = phrase) -> None:
                await finder.find(Locator(words=words), "see", "control", timeout_seconds=0)

            async def chat(words: str = phrase, pages: VisitedPages = pages) -> None:
                pages.find(words, "control")

            await times["look"].take(look)
            await times["again"].take(look)
            await times["chat"].take(chat)
    return times


async def measure_all(sizes: list[int], rounds: int) -> dict[int, dict[str, Times]]:
    """In one browser."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=running.browser_path())
        page = await browser.new_page(viewport={"width": 1366, "height": 900})
        return {size: await measure(page, size, rounds) for size in sizes}


def _figures(size: int, way: str, times: Times) -> list[Figure]:
    limits = (30.0, 100.0) if size == _ASKED_FOR and way != "look" else (None, None)
    cuts = {
        name: statistics.quantiles(kept, n=100) for name, kept in (("wall", times.wall), ("CPU", times.cpu))
    }
    return [
        Figure(
            f"{size:,} elements, {way}, p{rank}",
            cut[rank - 1],
            f"ms {name}",
            at_most=limit if name == "wall" else None,
        )
        for name, cut in cuts.items()
        for rank, limit in zip((50, 99), limits, strict=True)
    ]


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="100,1000,5000,20000")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    found = asyncio.run(measure_all(sizes, options.rounds))
    publish(
        "words",
        "Finding by words",
        [
            figure
            for size in sizes
            for way, times in found[size].items()
            for figure in _figures(size, way, times)
        ],
    )


if __name__ == "__main__":
    main()
