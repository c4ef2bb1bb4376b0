"""How deep finding one element is: the stack is walked where the page is really asked."""

import inspect
from collections.abc import AsyncGenerator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from playwright.async_api import Locator

import pagehand
from pagehand.browser import BrowserSession
from pagehand.browser_session import BrowserRequest
from pagehand.testing import Harness, Seams
from support.blocks import click_at, fill, loop, navigate
from support.shared_browser import SharedBrowser
from support.site import Site

pytestmark = pytest.mark.anyio

OURS = Path(pagehand.__file__).parent
MOST_FRAMES = 7
PAGE = "<!doctype html><title>t</title><label>Name <input></label><button id=save>Save</button>"


@pytest.fixture
async def harness(shared: SharedBrowser) -> AsyncGenerator[Harness]:
    async def open_browser(request: BrowserRequest) -> BrowserSession:
        del request
        return await shared.take()

    async with Harness(Seams(open_browser=open_browser)) as harness:
        yield harness


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Our functions between a block and each question to the page, innermost first."""
    asked: list[list[str]] = []
    evaluate_all = Locator.evaluate_all

    async def noting(self: Locator, expression: str, arg: Any = None) -> Any:
        asked.append(_below_the_block(inspect.currentframe()))
        return await evaluate_all(self, expression, arg)

    monkeypatch.setattr(Locator, "evaluate_all", noting)
    return asked


@pytest.mark.slow
async def test_an_element_is_found_in_seven_frames(
    harness: Harness, site: Site, asked: list[list[str]]
) -> None:
    # the second round finds what the first has left in memory, which is another way through healing
    await harness.run(navigate(site.page("/", PAGE)), loop([1, 2], [click_at("#save")]))
    ways = [frames for frames in asked if "Healing.find" in frames]
    assert {name for frames in ways for name in frames} >= {"Healing._find_unknown", "Healing._find_known"}
    assert max(map(len, ways)) <= MOST_FRAMES, ways


async def test_a_field_is_found_by_its_label_in_seven_frames(
    harness: Harness, site: Site, asked: list[list[str]]
) -> None:
    await harness.run(navigate(site.page("/", PAGE)), fill("Name", "Ada"))
    ways = [frames for frames in asked if "LocatorFinder.find" in frames]
    assert ways
    assert max(map(len, ways)) <= MOST_FRAMES, ways


def _below_the_block(frame: FrameType | None) -> list[str]:
    names: list[str] = []
    while frame is not None:
        place = Path(frame.f_code.co_filename)
        if place.is_relative_to(OURS / "blocks"):
            break
        if place.is_relative_to(OURS):
            names.append(frame.f_code.co_qualname)
        frame = frame.f_back
    return names
