"""The live view of a browser session: pictures while somebody watches, hands while somebody drives."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest
from playwright.async_api import CDPSession, Page

from pagehand.browser import BrowserPool, BrowserSession
from pagehand.browser.live_view import outside_page, screencast
from pagehand.browser.provider import send
from pagehand.browser.screenshots import Screenshots
from pagehand.browser_session import KeyInput, MouseInput, TextInput
from pagehand.errors import InvalidRequest
from support.site import Site
from support.waiting import until

from .conftest import CapturedOutput

pytestmark = pytest.mark.anyio

MOVING = """<title>Moving</title><body><script>
  setInterval(() => { document.body.style.background = `hsl(${performance.now() / 10} 80% 50%)` }, 20)
</script>"""


async def test_a_page_at_rest_has_a_first_picture(session: BrowserSession, site: Site) -> None:
    await session.goto(site.page("/", "<title>Rest</title><h1>Here</h1>"))
    view = session.live_view
    woken = asyncio.Event()
    async with view.watching(woken.set):
        await until(lambda: view.frame is not None and bool(view.tabs))
        assert woken.is_set()
        assert view.frame is not None
        assert (view.frame.width, view.frame.height) == (1280, 800)
        assert view.frame.jpeg.startswith(b"\xff\xd8")
        assert [(tab.title, tab.site, tab.is_current) for tab in view.tabs] == [
            ("Rest", site.url.removeprefix("http://"), True)
        ]


async def test_whoever_comes_while_the_last_one_leaves_has_a_picture(
    session: BrowserSession, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    await session.goto(site.page("/", "<title>Rest</title><h1>Here</h1>"))
    view = session.live_view
    leaves, stopping, has_joined = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def slow_stop(channel: CDPSession, method: str, **given: object) -> object:
        if method == "Page.stopScreencast":
            stopping.set()
            await has_joined.wait()
        return await send(channel, method, **given)

    async def watch() -> None:
        async with view.watching(lambda: None):
            await until(lambda: view.frame is not None)
            await leaves.wait()

    monkeypatch.setattr(screencast, "send", slow_stop)
    first = asyncio.create_task(watch())
    await until(lambda: view.frame is not None)
    leaves.set()
    await stopping.wait()
    async with view.watching(lambda: None):
        await asyncio.sleep(0.5)  # long enough to begin, if nothing held it up
        has_joined.set()
        await first
        await until(lambda: view.frame is not None)


@pytest.mark.slow
async def test_a_first_picture_that_the_browser_refuses_is_taken_again(
    session: BrowserSession, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    await session.goto(site.page("/", "<title>Rest</title><h1>Here</h1>"))
    view, taken, refused = session.live_view, Screenshots.take, 0

    async def take(screenshots: Screenshots, page: Page) -> bytes | None:
        nonlocal refused
        refused += 1
        return await taken(screenshots, page) if refused > 2 else None

    async def no_screencast(channel: CDPSession, method: str, **given: object) -> object:
        return None if method == "Page.startScreencast" else await send(channel, method, **given)

    monkeypatch.setattr(Screenshots, "take", take)
    monkeypatch.setattr(screencast, "send", no_screencast)
    async with view.watching(lambda: None):
        await until(lambda: view.frame is not None)


@pytest.mark.slow
async def test_pictures_come_only_while_somebody_watches_and_not_too_many(
    session: BrowserSession, site: Site
) -> None:
    await session.goto(site.page("/", MOVING))
    view = session.live_view
    count = 0

    def wake() -> None:
        nonlocal count
        count += 1

    async with view.watching(wake):
        await until(lambda: view.frame is not None and view.frame.number > 5)
        before = view.frame.number if view.frame else 0
        began = time.monotonic()
        await asyncio.sleep(1)
        assert view.frame is not None
        assert view.frame.number - before <= 25 * (time.monotonic() - began)
    seen = count
    await asyncio.sleep(0.3)
    assert (count, view.frame) == (seen, None)


async def test_secret_fields_are_masked_and_addresses_are_not_shown(
    session: BrowserSession, site: Site
) -> None:
    await session.goto(site.page("/", "<input type=password value=hush>") + "?token=hush")
    view = session.live_view
    async with view.watching(lambda: None):
        await until(lambda: bool(view.tabs))
        assert "hush" not in repr(view.tabs)


async def test_what_is_held_down_is_let_go_with_control(session: BrowserSession, site: Site) -> None:
    listen = """<input autofocus><script>heard = [];
      for (const type of ['keydown', 'keyup', 'mousedown', 'mouseup'])
        addEventListener(type, (e) => heard.push(e.type + (e.key || '')))</script>"""
    await session.goto(site.page("/", listen))
    view = session.live_view
    view.drive()
    view.input.send(KeyInput(kind="down", key="Shift", code="ShiftLeft", key_code=16))
    view.input.send(MouseInput(kind="down", x=300, y=300, button="left", buttons=1, clicks=1))
    await view.input.idle()
    view.stop_driving()
    await view.input.idle()
    heard_all = await session.scripts.run_in_page("() => heard", None, timeout_seconds=5)
    assert heard_all == ["keydownShift", "mousedown", "keyupShift", "mouseup"]


async def test_a_dialog_that_nobody_answers_is_answered_by_the_rules(
    session: BrowserSession, site: Site, captured: CapturedOutput, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside_page, "_SECONDS_TO_ANSWER", 0.2)
    await session.goto(site.page("/", "<script>setTimeout(() => { r = confirm('Sure?') }, 200)</script>"))
    session.live_view.drive()
    await until(lambda: session.live_view.question is not None)
    await until(lambda: session.live_view.question is None)
    await until(lambda: len(captured.of("dialog.answered")) == 1)
    assert captured.of("dialog.answered") == [{"type": "confirm", "message": "Sure?", "answer": "dismissed"}]


async def test_giving_back_answers_an_open_dialog(
    session: BrowserSession, site: Site, captured: CapturedOutput
) -> None:
    await session.goto(site.page("/", "<script>setTimeout(() => alert('Well'), 200)</script>"))
    session.live_view.drive()
    await until(lambda: session.live_view.question is not None)
    session.live_view.stop_driving()
    await until(lambda: len(captured.of("dialog.answered")) == 1)
    assert await session.scripts.run_in_page("() => 1", None, timeout_seconds=5) == 1


async def test_uploads_are_limited_and_removed(
    session: BrowserSession, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside_page, "MAX_UPLOAD_BYTES", 1000)
    await session.goto(site.page("/", "<input type=file style='width: 300px; height: 50px'>"))
    choosers = session.live_view.choosers
    with pytest.raises(InvalidRequest):
        choosers.begin_file("early.txt")
    session.live_view.drive()
    await session.page.click("input")
    await until(lambda: choosers.current is not None)
    choosers.begin_file("../../large.txt")
    choosers.add_bytes(b"x" * 900)
    with pytest.raises(InvalidRequest):
        choosers.add_bytes(b"x" * 900)
    assert choosers.current is None
    folder = session.provided.downloads
    assert isinstance(folder, Path)
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["large.txt"]
    await session.live_view.close()
    assert [path for path in folder.rglob("*") if path.is_file()] == []


async def test_a_list_is_put_back_as_it_was(session: BrowserSession, site: Site) -> None:
    await session.goto(site.page("/", "<select><option>1</select>"))
    look = "() => getComputedStyle(document.querySelector('select')).appearance"

    async def appearance() -> str:
        return await session.page.evaluate(look)

    before = await appearance()
    session.live_view.drive()
    await session.page.wait_for_function(f"({look})() === 'base-select'")
    await session.goto(site.page("/next", "<select><option>2</select>"))
    assert await appearance() == "base-select"
    session.live_view.stop_driving()
    await session.page.wait_for_function(f"({look})() !== 'base-select'")
    assert await appearance() == before
    await session.goto(site.url)
    assert await appearance() == before


@pytest.mark.slow
async def test_a_crash_while_somebody_watches_is_a_lost_browser_and_nothing_more(
    pool: BrowserPool, captured: CapturedOutput, site: Site
) -> None:
    session = await pool.take(captured.options())
    await session.goto(site.page("/", MOVING))
    view = session.live_view
    async with view.watching(lambda: None):
        await until(lambda: view.frame is not None)
        view.drive()
        channel = await session.provided.browser.new_browser_cdp_session()
        listed = await send(channel, "SystemInfo.getProcessInfo")
        os.kill(
            max(process["id"] for process in listed["processInfo"] if process["type"] == "renderer"),
            signal.SIGKILL,
        )
        await session.lost
        view.input.send(TextInput("into nothing"))
        view.reload()
        await asyncio.sleep(0.3)
    await session.end()
