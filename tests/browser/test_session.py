"""A browser session as blocks and engine use it."""

import asyncio
import os
import signal
import time

import pytest

from pagehand.browser import BrowserPool, BrowserSession
from pagehand.browser.provider import send
from pagehand.browser_session import DialogRule
from pagehand.errors import BlockFailed, BrowserLost, SiteDown, TimedOut
from pagehand.workflow.locator import Locator
from support.site import Site
from support.waiting import until

from .conftest import CapturedOutput

pytestmark = pytest.mark.anyio


async def test_goto_gives_the_status_and_takes_relative_urls(session: BrowserSession, site: Site) -> None:
    site.page("/a/b", "b")
    assert await session.goto(site.page("/a/", "a")) == 200
    assert await session.goto("b") == 200
    assert session.page.url == f"{site.url}/a/b"


async def test_goto_fails_by_status(session: BrowserSession, site: Site) -> None:
    site.page("/gone", "gone", status=410)
    site.page("/broken", "broken", status=503)
    with pytest.raises(BlockFailed, match="status 410"):
        await session.goto(f"{site.url}/gone")
    with pytest.raises(SiteDown, match="status 503"):
        await session.goto(f"{site.url}/broken")
    assert await session.goto(f"{site.url}/gone", allow_error_status=True) == 410


async def test_unreachable_sites_are_down(session: BrowserSession) -> None:
    with pytest.raises(SiteDown, match="refused"):
        await session.goto("http://127.0.0.1:2/")
    with pytest.raises(SiteDown, match="resolved"):
        await session.goto("http://no-such-host.invalid/")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "chrome://version",
        "view-source:http://127.0.0.1/",
        "javascript:alert(1)",
        "ftp://x/",
    ],
)
async def test_other_schemes_are_refused(session: BrowserSession, url: str) -> None:
    with pytest.raises(BlockFailed, match="not allowed"):
        await session.goto(url)
    assert session.page.url == "about:blank"


async def test_goto_that_takes_too_long_times_out(session: BrowserSession, site: Site) -> None:
    with pytest.raises(TimedOut):
        await session.goto(site.page("/slow", "x", delay=10), timeout_seconds=0.4)


async def click(session: BrowserSession, **fields: str) -> None:
    hit = await session.find(Locator.model_validate(fields), "act", timeout_seconds=2)
    await hit.element.click(timeout=3000)


async def test_acting_waits_for_the_navigation_a_click_began(session: BrowserSession, site: Site) -> None:
    site.page("/next", "<h1>Next</h1>", delay=0.3)
    await session.goto(site.page("/", "<form action=/next><button>Go</button></form>"))
    async with session.acting():
        await click(session, text="Go")
    assert session.page.url == f"{site.url}/next?"
    assert len(await session.find_all(Locator(text="Next"))) == 1


async def test_acting_waits_for_a_navigation_begun_by_a_choice(session: BrowserSession, site: Site) -> None:
    site.page("/next", "<h1>Next</h1>", delay=0.3)
    await session.goto(site.page("/", "<select onchange=\"location='/next'\"><option>a<option>b</select>"))
    async with session.acting():
        await session.page.locator("select").select_option("b")
    assert len(await session.find_all(Locator(text="Next"))) == 1


@pytest.mark.slow
async def test_an_act_waits_for_a_draft_that_is_being_saved(session: BrowserSession, site: Site) -> None:
    site.page("/draft", "kept", delay=0.8)
    save = "fetch('/draft', {method: 'POST'}).then(() => document.title = 'saved')"
    await session.goto(site.page("/", f'<input oninput="{save}"><button>Publish</button>'))
    async with session.acting():
        await session.page.locator("input").fill("x")
    async with session.acting():
        assert await session.page.title() == "saved"


@pytest.mark.slow
async def test_an_act_waits_for_no_stream(session: BrowserSession, site: Site) -> None:
    site.page("/stream", "x", delay=20)
    await session.goto(site.page("/", "<button onclick=\"fetch('/stream', {method: 'POST'})\">Go</button>"))
    async with session.acting():
        await click(session, text="Go")
    began = time.monotonic()
    for _ in range(10):  # the first gives it two seconds
        async with session.acting():
            pass
    assert time.monotonic() - began < 12


async def test_finding_an_element_tells_where_it_is_in_the_window(
    session: BrowserSession, site: Site
) -> None:
    html = """<style>body { margin: 0 } button { position: absolute; width: 128px; height: 80px }</style>
      <button style="left: 320px; top: 200px">Go</button><button style="left: 0; top: 5000px">Far</button>
      <iframe srcdoc="<button>Inner</button>"></iframe>"""
    await session.goto(site.page("/", html))

    async def place(text: str) -> list[float] | None:
        found = await session.find(Locator(role="button", text=text), "act", timeout_seconds=10)
        return None if found.place is None else [round(share, 4) for share in found.place]

    assert await place("Go") == [0.25, 0.25, 0.1, 0.1]
    assert await place("Far") == []
    # a frame does not know where it is in the page: that is asked apart
    assert await place("Inner") is None


async def test_acting_does_not_wait_without_a_navigation(session: BrowserSession, site: Site) -> None:
    site.page("/slow", "x", delay=600)
    await session.goto(site.page("/", "<button onclick=\"fetch('/slow')\">Go</button>"))
    async with session.acting():
        await click(session, text="Go")


async def test_dialogs_are_answered_by_the_rules(
    session: BrowserSession, site: Site, captured: CapturedOutput
) -> None:
    await session.goto(
        site.page(
            "/",
            "<button onclick=\"alert('a'); r.value = [confirm('b'), prompt('c')]\">Go</button><input id=r>",
        )
    )
    async with session.acting() as action:
        await click(session, text="Go")
    assert [(dialog.type, dialog.message, dialog.answer) for dialog in action.dialogs] == [
        ("alert", "a", "accepted"),
        ("confirm", "b", "dismissed"),
        ("prompt", "c", "dismissed"),
    ]
    assert await session.page.input_value("#r") == "false,"
    assert len(captured.of("dialog.answered")) == 3


async def test_a_block_decides_about_its_dialogs(session: BrowserSession, site: Site) -> None:
    await session.goto(
        site.page("/", "<button onclick=\"r.value = [confirm('b'), prompt('c')]\">Go</button><input id=r>")
    )
    async with session.acting(DialogRule(accept=True, text="me")):
        await click(session, text="Go")
    assert await session.page.input_value("#r") == "true,me"
    async with session.acting(DialogRule(accept=False)):
        await click(session, text="Go")
    assert await session.page.input_value("#r") == "false,"


async def test_leaving_a_page_that_objects(session: BrowserSession, site: Site) -> None:
    site.page("/next", "next")
    await session.goto(
        site.page("/", "<input><script>onbeforeunload = (e) => { e.preventDefault() }</script>")
    )
    await session.page.locator("input").fill("x")
    await session.page.locator("input").press("a")
    await session.goto("/next")
    assert session.page.url == f"{site.url}/next"


@pytest.mark.parametrize(
    "html", ["<a href=/pop target=_blank>Go</a>", "<button onclick=\"window.open('/pop')\">Go</button>"]
)
async def test_a_tab_the_act_opened_becomes_current(session: BrowserSession, site: Site, html: str) -> None:
    site.page("/pop", "<h1>Popped</h1><button onclick='close()'>Bye</button>", delay=0.2)
    first = session.page
    await session.goto(site.page("/", html))
    async with session.acting() as action:
        await click(session, text="Go")
    assert action.opened == [session.page]
    assert session.page.url == f"{site.url}/pop"
    assert len(await session.find_all(Locator(text="Popped"))) == 1
    await session.tabs.close("current")
    assert session.page is first


async def test_a_window_that_closes_itself_while_it_loads_is_done(
    session: BrowserSession, site: Site
) -> None:
    site.page("/pop", "<a href=/done>Save</a>")
    site.page("/slow.js", "", delay=3)
    site.page("/done", "<script>setTimeout(close, 200)</script><script src=/slow.js></script>")
    first = session.page
    await session.goto(site.page("/", "<a href=/pop target=_blank rel=opener>Add</a>"))
    async with session.acting():
        await click(session, text="Add")
    async with session.acting():
        await click(session, text="Save")
    assert session.page is first


async def test_tabs_open_switch_and_close(session: BrowserSession, site: Site) -> None:
    first = session.page
    await session.goto(site.page("/", "one"))
    second = await session.tabs.open()
    third = await session.tabs.open()
    assert list(session.tabs.all) == [first, second, third]
    await session.tabs.switch_to(first)
    assert await session.tabs.close("last") == 1
    assert await session.tabs.close("others") == 1
    assert (list(session.tabs.all), session.page) == ([first], first)
    assert await session.tabs.close("current") == 1
    assert (len(session.tabs.all), session.page.url) == (1, "about:blank")


@pytest.mark.slow
async def test_a_storm_of_popups_is_capped(pool: BrowserPool, captured: CapturedOutput, site: Site) -> None:
    session = await pool.take(captured.options(max_tabs=5))
    await session.goto(
        site.page(
            "/", "<button onclick='for (let i = 0; i < 100; i++) window.open(\"about:blank\")'>Go</button>"
        )
    )
    first = session.page
    async with session.guard():
        await first.locator("button").click(timeout=180_000, no_wait_after=True)
    await until(lambda: len(captured.of("popup.closed")) == 5, 180)
    assert len(session.tabs.all) <= 5
    await session.tabs.switch_to(first)
    assert await session.scripts.run_in_page("() => 1", None, timeout_seconds=60) == 1
    await session.end()
    assert len(captured.of("popup.closed")) == 5


async def renderer_pid(session: BrowserSession) -> int:
    channel = await session.provided.browser.new_browser_cdp_session()
    listed = await send(channel, "SystemInfo.getProcessInfo")
    return max(entry["id"] for entry in listed["processInfo"] if entry["type"] == "renderer")


async def browser_pid(session: BrowserSession) -> int:
    listed = await send(session.provided.control, "SystemInfo.getProcessInfo")
    return next(entry["id"] for entry in listed["processInfo"] if entry["type"] == "browser")


async def test_a_crashed_page_is_a_lost_browser(
    pool: BrowserPool, captured: CapturedOutput, site: Site
) -> None:
    session = await pool.take(captured.options())
    await session.goto(site.page("/", "x"))
    waiting = asyncio.ensure_future(session.find(Locator(text="never"), "act", timeout_seconds=60))
    await asyncio.sleep(0.2)
    os.kill(await renderer_pid(session), signal.SIGKILL)
    with pytest.raises(BrowserLost):  # and not after a minute that there is no such element
        await waiting
    with pytest.raises(BrowserLost):
        await session.goto(site.url)
    assert await session.screenshot() is None
    await session.end()


async def test_a_killed_browser_is_noticed_and_the_next_session_works(
    pool: BrowserPool, captured: CapturedOutput, site: Site
) -> None:
    session = await pool.take(captured.options())
    await session.goto(site.page("/", "x"))

    async def block() -> None:
        async with session.guard():
            await asyncio.sleep(60)

    waiting = asyncio.ensure_future(block())
    os.kill(await browser_pid(session), signal.SIGKILL)
    with pytest.raises(BrowserLost):
        await waiting
    assert "died" in await session.lost
    await session.end()
    after = await pool.take(captured.options())
    assert await after.goto(site.url) == 200
    await after.end()


async def test_a_closed_tab_is_not_a_lost_browser(session: BrowserSession) -> None:
    first = session.page
    await session.tabs.open()
    await session.tabs.switch_to(first)
    with pytest.raises(BlockFailed):
        async with session.guard():
            await asyncio.gather(first.wait_for_timeout(5000), first.close())
    assert not session.lost.done()


@pytest.mark.slow
async def test_end_gives_open_requests_a_moment(
    pool: BrowserPool, captured: CapturedOutput, site: Site
) -> None:
    session = await pool.take(captured.options())
    site.page("/late", "x", delay=0.7)
    await session.goto(site.page("/", "<button onclick=\"fetch('/late')\">Go</button>"))
    async with session.acting():
        await click(session, text="Go")
    began = time.monotonic()
    await session.end()
    assert time.monotonic() - began > 0.3


async def test_javascript_runs_in_the_page(session: BrowserSession, site: Site) -> None:
    await session.goto(site.page("/", "<title>Hello</title>"))
    run = session.scripts.run_in_page
    assert await run("async ({n}) => ({n: n + 1, title: document.title})", {"n": 1}, timeout_seconds=2) == {
        "n": 2,
        "title": "Hello",
    }
    assert await run("() => undefined", None, timeout_seconds=2) is None
    with pytest.raises(BlockFailed, match="boom 7"):
        await run("() => { throw new Error('boom 7') }", None, timeout_seconds=2)
    with pytest.raises(BlockFailed, match="NaN"):
        await run("() => [NaN]", None, timeout_seconds=2)


@pytest.mark.slow
async def test_endless_javascript_does_not_hang_the_session(session: BrowserSession, site: Site) -> None:
    await session.goto(site.page("/", "<h1>Here</h1>"))
    with pytest.raises(TimedOut):
        await session.scripts.run_in_page("() => { while (1); }", None, timeout_seconds=0.5)
    with pytest.raises(TimedOut):
        await session.scripts.run_in_blank_page("() => { while (1); }", [], timeout_seconds=0.5)
    assert await session.scripts.run_in_page("() => 1", None, timeout_seconds=60) == 1
    assert await session.scripts.run_in_blank_page("() => 1", [], timeout_seconds=60) == 1


async def test_blank_javascript_has_no_network(session: BrowserSession, site: Site) -> None:
    site.page("/", "x", headers={"Access-Control-Allow-Origin": "*"})
    assert await session.scripts.run_in_blank_page("(a, b) => a + b", [1, 2], timeout_seconds=2) == 3
    tried = """async (url) => {
      new WebSocket(url.replace('http', 'ws'));
      new Image().src = url;
      try { await fetch(url); return 'got it' } catch { return 'nothing' }
    }"""
    assert await session.scripts.run_in_blank_page(tried, [site.url], timeout_seconds=5) == "nothing"
    await asyncio.sleep(0.3)
    assert site.hits == []


async def test_pdf_of_the_page(session: BrowserSession, site: Site) -> None:
    await session.goto(site.page("/", "<h1>Paper</h1>"))
    assert (await session.pdf(landscape=True)).startswith(b"%PDF-")


@pytest.mark.slow
async def test_storage_state_is_carried_over(pool: BrowserPool, captured: CapturedOutput, site: Site) -> None:
    first = await pool.take(captured.options())
    await first.goto(site.page("/", "x", headers={"Set-Cookie": "who=me"}))
    state = await first.context.storage_state()
    await first.end()
    second = await pool.take(captured.options(storage_state=state))
    await second.goto(site.page("/again", "x"))
    await second.end()
    assert site.cookies["/again"] == "who=me"


async def test_what_pages_complain_about_is_kept_within_limits(session: BrowserSession, site: Site) -> None:
    flood = "for (let at = 0; at < 2000; at++) console.warn('late', at); fetch('/none?token=x')"
    await session.goto(site.page("/", f"<script>{flood}</script>"))
    async with asyncio.timeout(10):
        while "failedRequests" not in (heard := session.problems.take(str)):  # noqa: ASYNC110 - nothing tells it
            await asyncio.sleep(0.1)
    assert any(
        line.startswith("GET ") and line.endswith("/none: 404 Not Found") for line in heard["failedRequests"]
    )
    # it is heard again after a page that never stops
    await session.page.evaluate("() => console.error('again')")
    await session.page.evaluate("0")
    async with asyncio.timeout(10):
        while heard.get("console", [""])[-1] != "error: again":
            heard = session.problems.take(str)
            assert len(heard.get("console", [])) <= 20
            await session.page.evaluate("() => console.error('again')")


async def test_what_pages_complain_about_has_no_half_of_a_secret(session: BrowserSession, site: Site) -> None:
    secret = "s3cret-" * 10
    script = f"console.error('x'.repeat(280) + '{secret}'); fetch('/{'p' * 150}/{secret}?token={secret}')"
    await session.goto(site.page("/", f"<script>{script}</script>"))
    heard: list[str] = []
    async with asyncio.timeout(10):
        while not any("404 Not Found" in line for line in heard):
            taken = session.problems.take(lambda text: text.replace(secret, "***"))
            heard += [line for lines in taken.values() for line in lines]
            await session.page.evaluate("0")
    assert any(line.endswith("x***") for line in heard)
    assert any(line.endswith(f"/{'p' * 150}/…: 404 Not Found") for line in heard)
    assert "s3cret" not in str(heard)
