"""The web console in a real browser: pages at a width and in a theme, and what must hold on each of them."""

import fcntl
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, Literal

from playwright.async_api import BrowserContext, ConsoleMessage, Page

from support.shared_browser import SharedBrowser

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "tests" / "console" / "pictures"
"""Where screenshots are written; git ignores it."""

Theme = Literal["light", "dark"]
_HEIGHTS = {390: 844, 360: 780}
_AXE = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations
  .map((one) => ({rule: one.id, help: one.help, where: one.nodes.slice(0, 5).map((node) => ({
    target: node.target.join(" "), html: node.html.slice(0, 200),
    why: [...node.any, ...node.all, ...node.none].map((check) => check.message)}))}))"""
_CUT_OFF = """() => {
  const wide = document.documentElement.clientWidth;
  const isInside = (one) => {
    for (let at = one.parentElement; at && at !== document.body; at = at.parentElement)
      if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(at).overflowX)) return true;
    return false;
  };
  const out = [...document.body.querySelectorAll("*")].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && box.right > wide + 1 && box.left >= 0 && !isInside(one);
  });
  const isScrolled = document.documentElement.scrollWidth > wide;
  return isScrolled || out.length
    ? {width: wide, scrollWidth: document.documentElement.scrollWidth,
       elements: out.slice(0, 5).map((one) => one.outerHTML.slice(0, 160))}
    : null;
}"""

_TWO_FRAMES = (
    "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))"
)


class Console:
    """Opens pages of one service's console; remembers what they complained about in their consoles."""

    def __init__(self, browser: SharedBrowser, url: str) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self.url = url
        self.errors: list[str] = []
        """Errors the pages wrote; one that the test did not expect fails it."""
        self._expected: list[str] = []

    async def open(
        self, path: str, *, width: int = 1280, theme: Theme = "light", context: BrowserContext | None = None
    ) -> Page:
        """Open a page of the console and wait for its view; in a new browser context unless one is given."""
        page = await (context or await self.context(width=width, theme=theme)).new_page()
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.errors.append(f"{page.url}: {error}"))
        answer = await page.goto(self.url + path, wait_until="load")
        assert answer is None or answer.status != 404, f"404 at {path}: is it in api/console/pages.py?"
        await self.settle(page)
        return page

    def expect_error(self, text: str) -> None:
        """Errors with this text do not fail the test, whether they were written before or come later."""
        self._expected.append(text)
        self.errors = [error for error in self.errors if text not in error]

    async def context(self, *, width: int = 1280, theme: Theme = "light", **options: Any) -> BrowserContext:
        """What pages share that belong to one person: cookies, storage, width and theme."""
        made = await self._browser.context(
            viewport={"width": width, "height": _HEIGHTS.get(width, 800)},
            color_scheme=theme,
            reduced_motion="reduce",
            **options,
        )
        self._contexts.append(made)
        return made

    async def settle(self, page: Page) -> None:
        """Wait until nothing on the page says that it is still loading."""
        await page.locator("h1, .empty").first.wait_for()
        loading = page.get_by_role("status").filter(has_text="Loading")
        await loading.first.wait_for(state="hidden")

    async def check(self, page: Page) -> None:
        """Fail on any finding of axe, minor ones included."""
        await page.evaluate(axe_source())
        findings = await page.evaluate(_AXE)
        assert not findings, f"{page.url}: {json.dumps(findings, indent=2)}"

    async def assert_fits(self, page: Page) -> None:
        """Fail where something is wider than the window and is not in a box that scrolls by itself."""
        await page.evaluate(_TWO_FRAMES)  # wait for the layout after a resize
        found = await page.evaluate(_CUT_OFF)
        assert found is None, f"{page.url}: {json.dumps(found, indent=2)}"

    async def picture(self, page: Page, name: str, *, full: bool = False, as_jpeg: bool = False) -> Path:
        """Write a screenshot of the page for people to look at; as a JPEG where it goes into the docs."""
        path = PICTURES / f"{name}.{'jpg' if as_jpeg else 'png'}"
        quality = 80 if as_jpeg else None
        await page.screenshot(path=path, full_page=full, animations="disabled", quality=quality)
        return path

    async def close(self) -> None:
        """Close every page that was opened."""
        for context in self._contexts:
            await context.close()

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(text in message.text for text in self._expected):
            self.errors.append(f"{message.location.get('url')}: {message.text}")


async def choose_run(page: Page, name: str) -> None:
    """Choose a way to run from the menu beside `Run`."""
    await page.get_by_role("button", name="More ways to run").click()
    await page.get_by_role("menuitem", name=name).click()


def build_with_tools() -> None:
    """The bundle as the sources are now, and the tools tests need; several test processes take turns."""
    with (ROOT / "console" / "package-lock.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run_build("--tools")


def run_build(*options: str) -> None:
    """Run `scripts/build_console.py`; its output is the reason when it fails."""
    command = [sys.executable, str(ROOT / "scripts" / "build_console.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@cache
def axe_source() -> str:
    """The accessibility checker; evaluated from outside, so that the page's own policy stays as it is."""
    return (ROOT / "console" / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")
