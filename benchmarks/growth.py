"""How cost grows with the size of what is given: a curve's slope, where 1 is in proportion to the size.

    python benchmarks/growth.py [--largest]

A curve is this process's CPU time for a run at growing sizes, the best of three; that of a page includes the
browser's. Its slope is that of a line through the upper half of its points, with logarithmic axes.
`--largest` goes to the limits of the product. It writes `docs/benchmarks/growth.md` with pictures.
"""

import argparse
import asyncio
import math
import os
import platform
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from playwright.async_api import Page, async_playwright
from words import build_page

from measuring import processes, running
from measuring.drawing import draw_curves
from measuring.report import Figure, publish
from pagehand.blocks.page.controls.reading import read_long_text
from pagehand.browser.word_finder import WordFinder
from pagehand.clock import now_ms
from pagehand.errors import BlockFailed
from pagehand.ids import new_id
from pagehand.page.extraction import SCRIPT, apply_plan, make_plan, read_snapshot
from pagehand.records import Json
from pagehand.storage import ExecutionFilter
from pagehand.storage.executions import ExecutionStore
from pagehand.testing import Harness
from pagehand.workflow.locator import Locator

_REPORT = Path(__file__).parents[1] / "docs" / "benchmarks" / "growth.md"
_INVOICES: Json = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "number": {"type": "string"},
            "customer": {"type": "string"},
            "amount": {"type": "number"},
        },
        "required": ["number"],
    },
}
Work = Callable[[], Awaitable[object]]
Prepare = Callable[[int], Awaitable[Work]]
Curve = dict[int, float]
"""Milliseconds by size."""
_STEEPEST = 1.15
"""Noise makes a line of slope 1 look like this."""
_TRIES = 3
_WAIT: Json = {"type": "Wait", "data": {"durationMs": 0}}
_MADE: Json = {
    "type": "Transform",
    "blockReferenceId": "made",
    "data": {"input": "{{execution.id}}", "code": "input"},
}


def _everything() -> float:
    return time.process_time() + processes.cpu_seconds()


async def measure(
    sizes: Sequence[int], prepare: Prepare, spent: Callable[[], float] = time.process_time
) -> Curve:
    """The curve of what `prepare` makes for each size."""
    curve: Curve = {}
    for size in sizes:
        work = await prepare(size)
        took: list[float] = []
        try:
            for _ in range(_TRIES):
                began = spent()
                await work()
                took.append((spent() - began) * 1000)
        except BlockFailed as refusal:  # a page that is too large to be listed in time
            print(f"left out at {size:,}: {refusal}", flush=True)
            continue
        curve[size] = max(min(took), 0.1)
    return curve


def slope(curve: Curve) -> float:
    """Of the upper half, where fixed costs matter least."""
    upper = list(curve.items())[min(len(curve) // 2, len(curve) - 2) :]
    sizes, spent = [math.log(size) for size, _ in upper], [math.log(cost) for _, cost in upper]
    return statistics.linear_regression(sizes, spent).slope


class Runs:
    """Workflows of a size, run without a browser."""

    def __init__(self, harness: Harness) -> None:
        self._harness = harness

    async def rounds(self, count: int) -> Work:
        """Rounds of a loop that put nothing out."""
        return await self._loop(count, _WAIT)

    async def outputs(self, count: int) -> Work:
        """Rounds of a loop that each run code and put something out."""
        return await self._loop(count, _MADE)

    async def _loop(self, count: int, block: Json) -> Work:
        loop = {"type": "LoopV2", "data": {"over": {"times": count}}, "sequenceData": {"sequence": [block]}}
        workflow = await self._harness.add_workflow(loop)
        return lambda: self._harness.run_workflow(workflow)

    async def blocks(self, count: int) -> Work:
        """Blocks one after the other."""
        blocks = ({**_MADE, "blockReferenceId": f"made{n}"} for n in range(count))
        workflow = await self._harness.add_workflow(*blocks)
        return lambda: self._harness.run_workflow(workflow)

    async def params(self, kilobytes: int) -> Work:
        """One block that reads params of so many kilobytes."""
        workflow = await self._harness.add_workflow(
            {"type": "Transform", "data": {"input": "{{params.rows}}", "code": "len(input)"}}
        )
        rows = [{"number": n, "text": "x" * 75} for n in range(kilobytes * 10)]
        return lambda: self._harness.run_workflow(workflow, params={"rows": rows})

    async def events(self, count: int) -> Work:
        """All events of a run of so many rounds, read page by page as the console does."""
        await (await self.rounds(count))()
        (newest,) = (
            await self._executions.list(self._harness.organization_id, ExecutionFilter(limit=1))
        ).items

        async def read() -> None:
            offset, total = 0, 1
            while offset < total:
                events = self._harness.stores.events
                page, total = await events.list(self._harness.organization_id, newest.id, 500, offset)
                offset += 500
                async for _ in page:
                    pass

        return read

    async def queued(self, count: int) -> Work:
        """Twenty executions accepted, listed and claimed while so many others wait."""
        workflow = await self._harness.add_workflow(_WAIT)
        organization_id = self._harness.organization_id
        for _ in range(count - await self._executions.count_queued(organization_id)):
            await self._harness.accept(workflow)

        async def work() -> None:
            for _ in range(20):
                accepted = await self._harness.accept(workflow)
                await self._executions.list(organization_id, ExecutionFilter(limit=20))
                await self._executions.claim(accepted.id, at=now_ms(), token=new_id("claim"))

        return work

    @property
    def _executions(self) -> ExecutionStore:
        return self._harness.stores.executions


class Pages:
    """A page of so many elements in an open browser, read in two ways."""

    def __init__(self, page: Page) -> None:
        self._page = page

    async def words(self, elements: int) -> Work:
        """A search for an element by words, on a page that has just changed."""
        await self._page.set_content(build_page(elements))
        finder = WordFinder(lambda: self._page)
        shown = await finder.find(Locator(words="Topic 1"), "see", "control", timeout_seconds=0)
        if await shown.found.element.inner_text() != "Topic 1":
            raise RuntimeError(f"the words led to {shown.locator}")

        async def find() -> None:
            await self._page.evaluate("() => document.body.append(document.createTextNode(' '))")
            await finder.find(Locator(words="Topic 1"), "see", "control", timeout_seconds=0)

        return find

    async def extract(self, elements: int) -> Work:
        """The rows of a table by a schema, without a model."""
        await self._page.set_content(build_page(elements))

        async def read() -> None:
            handle = await self._page.evaluate_handle(f"() => ({SCRIPT})(null)")
            snapshot = read_snapshot(await read_long_text(handle))
            rows = apply_plan(make_plan(snapshot, _INVOICES, ""), snapshot)
            if rows[0]["number"] != "INV-00000":
                raise RuntimeError(f"the first row was read as {rows[0]}")

        return read


async def measure_all(*, largest: bool) -> dict[str, dict[str, Curve]]:
    """Every curve by its name, in groups that share a unit of size."""
    more = [10_000] if largest else list[int]()
    async with Harness() as harness:
        runs = Runs(harness)
        loops = {
            "rounds of a loop": await measure([10, 100, 300, 1000, 3000, *more], runs.rounds),
            "rounds with an output": await measure([10, 100, 300, 1000, *more], runs.outputs),
            "blocks": await measure([10, 100, 300, 2000 if largest else 900], runs.blocks),
            "events of rounds, read": await measure([10, 100, 300, 1000, 3000, *more], runs.events),
        }
        params = await measure([1, 10, 100, 500, 5000 if largest else 2000], runs.params)
    async with Harness() as harness:  # of its own: what waits there must not be in the way of the others
        queued = await measure([10, 100, 1000, *more], Runs(harness).queued)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=running.browser_path())
        pages = Pages(await browser.new_page(viewport={"width": 1366, "height": 900}))
        sizes = [100, 1000, 5000, 20_000, *([50_000] if largest else [])]
        elements = {
            "found by words": await measure(sizes, pages.words, _everything),
            "rows by Extract": await measure(sizes, pages.extract, _everything),
        }
        await browser.close()
    return {
        "size of a run": loops,
        "kilobytes of params": {"params": params},
        "queued executions": {"accept, list and claim 20": queued},
        "elements of a page": elements,
    }


def write_report(groups: Mapping[str, Mapping[str, Curve]], command: str) -> None:
    """The page of the guide and its pictures."""
    lines = [
        "# Growth",
        "",
        "How much CPU time grows with the size of what is given. A slope of 1 is growth in",
        "proportion; 0 means that the size does not matter. The slope is that of the upper half of a curve.",
        f"Written by `{command}`; CPU time is that of one process,",
        "of pages also the browser's.",
        "",
        f"{time.strftime('%-d %B %Y', time.gmtime())}, {os.cpu_count()} cores ({platform.machine()}),",
        f"load average {os.getloadavg()[0]:.0f} at the end, Python {platform.python_version()}.",
    ]
    for unit, curves in groups.items():
        name = f"growth-{unit.replace(' ', '-')}.svg"
        draw_curves(_REPORT.with_name(name), f"CPU time by {unit}", (unit, "ms"), curves)
        lines += [
            "",
            f"## By {unit}",
            "",
            f"![Curves by {unit}]({name})",
            "",
            "| | smallest | largest | slope |",
        ]
        lines.append("|---|---|---|---|")
        for title, curve in curves.items():
            (small, first), *_, (large, last) = curve.items()
            ends = f"{small:,}: {first:,.1f} ms | {large:,}: {last:,.0f} ms"
            lines.append(f"| {title} | {ends} | {slope(curve):.2f} |")
    _REPORT.parent.mkdir(exist_ok=True)
    _REPORT.write_text("\n".join(lines) + "\n")


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", action="store_true")
    largest: bool = parser.parse_args().largest
    groups = asyncio.run(measure_all(largest=largest))
    write_report(groups, "python benchmarks/growth.py" + (" --largest" if largest else ""))
    curves = {name: curve for group in groups.values() for name, curve in group.items()}
    figures: list[Figure] = []
    for name, curve in curves.items():
        (small, first), *_, (large, last) = curve.items()
        figures += [
            Figure(f"{name}, slope", slope(curve), at_most=_STEEPEST),
            Figure(f"{name}, one of {small:,}", first / small, "ms CPU"),
            Figure(f"{name}, one of {large:,}", last / large, "ms CPU"),
        ]
    publish("growth", "How cost grows with size", figures, curves=curves)


if __name__ == "__main__":
    main()
