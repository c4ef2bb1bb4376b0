"""Bare Playwright doing what a workflow does: the limit that the service is compared with.

Run as a program it takes orders from standard input, one JSON object per line, and answers each with the
milliseconds that every flow took.
"""

import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal

from playwright.async_api import Browser, Page, Playwright, async_playwright

from measuring import processes
from measuring.site import FILLED

BrowserUse = Literal["open", "ahead", "launched"]
"""One that stays open; one for each flow, launched before the clock starts; one for each, on the clock."""

Flow = Callable[[Page, str], Awaitable[None]]


class Bare:
    """A process with a Playwright driver that is ready for orders."""

    def __init__(self, browser: str) -> None:
        self._process = processes.start(["-m", "measuring.bare", browser])
        self._answer()

    def run(self, flow: str, site: str, times: int, *, browser: BrowserUse, at_once: int = 1) -> list[float]:
        """Milliseconds of each flow."""
        order = {"flow": flow, "site": site, "times": times, "browser": browser, "at_once": at_once}
        if self._process.stdin is None:
            raise RuntimeError("bare Playwright was started without a pipe")
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """Let it end."""
        self._process.communicate(timeout=30)

    def _answer(self) -> Any:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise RuntimeError("bare Playwright ended; its message is above")
        return json.loads(line)


async def visit(page: Page, site: str) -> None:
    """Visit a page."""
    await page.goto(f"{site}/")


async def form(page: Page, site: str) -> None:
    """Fill in the form, send it, read what comes back."""
    async for _ in _steps(page, site):
        pass


async def pictured_form(page: Page, site: str) -> None:
    """The same with a picture after each step, as a script that keeps a record would take it."""
    async for _ in _steps(page, site):
        await page.wait_for_load_state("domcontentloaded")  # a page on its way cannot be pictured
        await page.screenshot(type="jpeg", quality=60)


async def _steps(page: Page, site: str) -> AsyncGenerator[None]:
    """Pauses after each step that changes the page."""
    yield await _ignore(page.goto(f"{site}/form"))
    yield await page.get_by_label("Skipper", exact=True).fill("Ada Nordmann")
    yield await page.get_by_label("Ship", exact=True).fill(FILLED["ship"])
    yield await page.get_by_label("Email", exact=True).fill("ada@example.com")
    yield await page.get_by_label("Length", exact=True).fill("12")
    yield await _ignore(page.get_by_label("Flag", exact=True).select_option(FILLED["flag"]))
    yield await page.get_by_label("Remarks", exact=True).fill(
        "Arrives after dark, needs a pilot.\nLeaves on Sunday."
    )
    yield await page.get_by_label("Shore power", exact=True).check()
    yield await page.get_by_role("button", name="Show price", exact=True).click()
    await page.locator("#price").wait_for(state="visible")
    yield await page.get_by_role("button", name="Book", exact=True).click()
    read = {name: await page.locator(f"#{name}").inner_text() for name in FILLED}
    if read != FILLED:
        raise RuntimeError(f"the form came back as {read}")


async def _ignore(answer: Awaitable[object]) -> None:
    await answer


FLOWS: dict[str, Flow] = {"visit": visit, "form": form, "pictured_form": pictured_form}


class _Launcher:
    def __init__(self, playwright: Playwright, path: str) -> None:
        self._playwright = playwright
        self._path = path
        self._open: Browser | None = None

    async def launch(self) -> Browser:
        return await self._playwright.chromium.launch(executable_path=self._path)

    @asynccontextmanager
    async def browser(self, use: BrowserUse) -> AsyncGenerator[Browser]:
        if use == "open":
            self._open = self._open or await self.launch()
            yield self._open
            return
        browser = await self.launch()
        yield browser
        await browser.close()


async def _timed(launcher: _Launcher, flow: Flow, order: dict[str, Any]) -> float:
    began = time.perf_counter()
    async with launcher.browser(order["browser"]) as browser:
        page = await (await browser.new_context(viewport={"width": 1280, "height": 800})).new_page()
        if order["browser"] != "launched":
            began = time.perf_counter()
        await flow(page, order["site"])
        took = time.perf_counter() - began
        await page.context.close()
    if order["browser"] == "launched":  # a script is done when its browser is gone
        took = time.perf_counter() - began
    return took * 1000


async def _obey(launcher: _Launcher, order: dict[str, Any]) -> list[float]:
    left = order["times"]
    took: list[float] = []

    async def work() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            took.append(await _timed(launcher, FLOWS[order["flow"]], order))

    await asyncio.gather(*(work() for _ in range(order["at_once"])))
    return took


async def _main() -> None:
    async with async_playwright() as playwright:
        launcher = _Launcher(playwright, sys.argv[1])
        print(json.dumps("ready"), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(await _obey(launcher, json.loads(line))), flush=True)


if __name__ == "__main__":
    asyncio.run(_main())
