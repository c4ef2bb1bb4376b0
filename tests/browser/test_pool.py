"""Browsers ahead of need: used once, replaced when dead, gone without a trace."""

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest

from pagehand import temporary_files
from pagehand.browser import BrowserPool, LaunchOptions, LocalProvider
from pagehand.browser.provider import send
from pagehand.browser.session import BrowserSession
from pagehand.errors import Unavailable
from pagehand.settings import Settings
from support.site import Site
from support.waiting import until

from .conftest import CapturedOutput

pytestmark = pytest.mark.anyio

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture
async def pool() -> AsyncGenerator[BrowserPool]:
    """One per test: these tests break theirs."""
    pool = BrowserPool(LocalProvider(Settings(browser_install=False)), size=1)
    pool.start()
    yield pool
    await pool.close()


async def until_ready(pool: BrowserPool) -> None:
    await until(lambda: pool.ready > 0)


def homes() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob(f"{temporary_files.prefix('browsers')}*"))


@pytest.mark.slow
async def test_each_browser_is_used_once_and_replaced(
    pool: BrowserPool, captured: CapturedOutput, site: Site
) -> None:
    await until_ready(pool)
    first = await pool.take(captured.options())
    await first.goto(site.page("/", "x", headers={"Set-Cookie": "a=1"}))
    await until_ready(pool)
    second = await pool.take(captured.options())
    await second.goto(f"{site.url}/")
    assert first.vendor_id != second.vendor_id
    assert site.cookies["/"] == ""
    await first.end()
    await second.end()


@pytest.mark.slow
async def test_the_one_that_is_ready_is_taken(pool: BrowserPool, captured: CapturedOutput) -> None:
    await until_ready(pool)
    ready = pool._idle[0]  # pyright: ignore[reportPrivateUsage] - the one nobody has taken yet
    session = await pool.take(captured.options())
    assert session is ready
    await session.end()


@pytest.mark.slow
async def test_a_dead_idle_browser_is_not_handed_out(
    pool: BrowserPool, captured: CapturedOutput, site: Site
) -> None:
    await until_ready(pool)
    idle = pool._idle[0]  # pyright: ignore[reportPrivateUsage] - the one nobody has taken yet
    listed = await send(idle.provided.control, "SystemInfo.getProcessInfo")
    os.kill(
        next(entry["id"] for entry in listed["processInfo"] if entry["type"] == "browser"), signal.SIGKILL
    )
    session = await pool.take(captured.options())
    assert await session.goto(site.page("/", "x")) == 200
    await session.end()


@pytest.mark.slow
async def test_a_killed_driver_is_replaced(
    pool: BrowserPool, captured: CapturedOutput, site: Site, processes: Callable[[str], set[int]]
) -> None:
    await until_ready(pool)
    running = await pool.take(captured.options())
    assert running.provided.downloads is not None
    home = running.provided.downloads.parent
    (driver,) = processes("run-driver") & {_parent(pid) for pid in processes(str(home))}
    os.kill(driver, signal.SIGKILL)
    session = await pool.take(captured.options())
    assert await session.goto(site.page("/", "x")) == 200
    async with asyncio.timeout(60):
        await running.lost
    await running.end()
    await session.end()
    await until(lambda: not home.exists() and not processes(str(home)), seconds=20)


@pytest.mark.slow
async def test_closing_leaves_nothing_behind(
    captured: CapturedOutput, site: Site, processes: Callable[[str], set[int]]
) -> None:
    before = homes()
    pool = BrowserPool(LocalProvider(Settings(browser_install=False)), size=1)
    pool.start()
    session = await pool.take(captured.options())
    await session.goto(site.page("/", "x"))
    (home,) = homes() - before
    assert len(processes(str(home))) > 2
    assert list(home.glob("*profile*"))
    await pool.close()
    assert not home.exists()
    assert processes(str(home)) == set()
    assert session.lost.done()


@pytest.mark.slow
async def test_a_browser_that_is_not_a_browser_is_named(captured: CapturedOutput) -> None:
    pool = BrowserPool(
        LocalProvider(Settings(browser_path=Path("/bin/false"), browser_install=False)), size=0
    )
    with pytest.raises(Unavailable, match="/bin/false"):
        await pool.take(captured.options())
    await pool.close()


@pytest.mark.skipif(not CHROMIUM.exists(), reason="needs a full Chromium beside the headless shell")
async def test_full_chromium_keeps_playwrights_features_off(
    captured: CapturedOutput, site: Site, processes: Callable[[str], set[int]]
) -> None:
    before = homes()
    pool = BrowserPool(LocalProvider(Settings(browser_path=CHROMIUM, browser_install=False)), size=0)
    session = await pool.take(captured.options())
    assert await session.goto(site.page("/", "x")) == 200
    (home,) = homes() - before
    command = next(words for words in commands(processes(str(home))) if b"--remote-debugging-pipe" in words)
    lists = [
        set(word.split(b"=", 1)[1].split(b",")) for word in command if word.startswith(b"--disable-features=")
    ]
    assert lists[0] <= lists[-1]
    assert {b"WebUIOmniboxPopup", b"WebUIOmniboxAimPopup"} <= lists[-1]
    assert not any(word.startswith(b"--remote-debugging-port") for word in command)
    await session.end()
    await pool.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("owner", "step"), [(LocalProvider, "launch"), (BrowserSession, "answers"), (BrowserSession, "bind")]
)
async def test_a_taker_that_is_cancelled_leaves_no_browser_behind(
    owner: type,
    step: str,
    pool: BrowserPool,
    captured: CapturedOutput,
    processes: Callable[[str], set[int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await until_ready(pool)

    def running() -> set[int]:
        return browsers(processes(temporary_files.prefix("browsers")))

    before, reached, plain = running(), asyncio.Event(), getattr(owner, step)

    async def halting(*arguments: Any) -> Any:
        done = await plain(*arguments)
        reached.set()
        await asyncio.sleep(0.5)
        return done

    if step == "launch":
        pool._idle.clear()  # pyright: ignore[reportPrivateUsage] - so that one has to be launched
    monkeypatch.setattr(owner, step, halting)
    taker = asyncio.ensure_future(pool.take(captured.options()))
    await reached.wait()
    monkeypatch.undo()
    launched = running() - before
    assert launched or step != "launch"
    taker.cancel()
    await asyncio.gather(taker, return_exceptions=True)
    assert taker.cancelled()
    # which of the browsers that ran before was taken is not known: one of them has to go
    await until(
        lambda: not launched & running() if step == "launch" else bool(before - running()), seconds=20
    )


def browsers(pids: set[int]) -> set[int]:
    """Those that are a browser, not the driver that started it."""
    return {pid for pid in pids if any(word.startswith(b"--pagehand-browser=") for word in _command(pid))}


def commands(pids: set[int]) -> list[list[bytes]]:
    return [_command(pid) for pid in pids]


def _command(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []  # it has ended meanwhile


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


@pytest.mark.slow
async def test_a_browser_launched_ahead_is_the_first_that_is_given_out_and_ends_untaken(
    processes: Callable[[str], set[int]],
) -> None:
    before = homes()
    provider = LocalProvider(Settings(browser_install=False))
    provider.launch_ahead()
    await until(lambda: any(any(home.glob("downloads-*")) for home in homes() - before))
    (home,) = homes() - before
    assert len({(await provider.launch(LaunchOptions())).vendor_id for _ in range(2)}) == 2
    assert len(list(home.glob("downloads-*"))) == 2
    provider.launch_ahead()
    await provider.close()
    assert not home.exists()
    assert processes(str(home)) == set()
