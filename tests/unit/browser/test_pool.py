"""Which browser is handed out, and what becomes of those that die, fail or are not wanted any more."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest
from playwright.async_api import Error as PlaywrightError

from pagehand.browser import pool as pool_module
from pagehand.browser.pool import BrowserPool
from pagehand.browser.provider import LaunchOptions, ProvidedBrowser
from pagehand.browser.proxy import ProxyAddress
from pagehand.browser.session import SessionOptions
from pagehand.errors import BlockFailed, BrowserLost, Unavailable
from pagehand.records import FileInfo

pytestmark = pytest.mark.anyio
Trouble = dict[int, BaseException | Callable[[], Awaitable[None]]]


async def no_file(_content: object, _name: str, _mime: str) -> FileInfo:
    raise NotImplementedError


OPTIONS = SessionOptions(save_file=no_file)


@dataclass
class Machine:
    """Launches browsers that go wrong when the test says so; they are numbered from 1."""

    launches: int = 0
    closed: list[int] = field(default_factory=list[int])
    dead: set[int] = field(default_factory=set[int])
    fails_to_launch: Trouble = field(default_factory=dict[int, Any])
    fails_to_open: Trouble = field(default_factory=dict[int, Any])
    fails_to_bind: Trouble = field(default_factory=dict[int, Any])
    is_closed: bool = False
    has_started: bool = False

    async def launch(self, options: LaunchOptions) -> ProvidedBrowser:
        del options
        self.launches += 1
        number = self.launches
        await happen(self.fails_to_launch.get(number))

        async def close() -> None:
            self.closed.append(number)

        return cast("ProvidedBrowser", SimpleNamespace(number=number, close=close, machine=self))

    def start(self) -> None:
        self.has_started = True

    async def end_lost(self, vendor_id: str) -> None:
        raise NotImplementedError(vendor_id)

    async def close(self) -> None:
        self.is_closed = True


class Session:
    """Stands in for `BrowserSession`."""

    def __init__(self, provided: Any, proxy: ProxyAddress | None) -> None:
        self.provided = provided
        self.proxy = proxy
        self.number: int = provided.number
        self.machine: Machine = provided.machine
        self.context = SimpleNamespace(close=self._close_context)
        self.options: SessionOptions | None = None
        self.is_context_open = True

    @classmethod
    async def open(cls, provided: Any, proxy: ProxyAddress | None = None) -> "Session":
        await happen(provided.machine.fails_to_open.get(provided.number))
        return cls(provided, proxy)

    async def _close_context(self) -> None:
        self.is_context_open = False

    async def answers(self) -> bool:
        await asyncio.sleep(0)
        return self.number not in self.machine.dead

    async def bind(self, options: SessionOptions) -> None:
        await happen(self.machine.fails_to_bind.get(self.number))
        self.options = options


async def happen(trouble: BaseException | Callable[[], Awaitable[None]] | None) -> None:
    if isinstance(trouble, BaseException):
        raise trouble
    if trouble is not None:
        await trouble()


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setattr(pool_module, "BrowserSession", Session)
    monkeypatch.setattr(pool_module, "_REFILL_AFTER_SECONDS", 0.001)
    monkeypatch.setattr(pool_module, "_REFILL_PAUSE_SECONDS", 0.001)
    return Machine()


@pytest.fixture
async def pool(machine: Machine) -> AsyncGenerator[BrowserPool]:
    pool = BrowserPool(machine, size=2, max_tabs=5)
    yield pool
    await pool.close()


async def taken(pool: BrowserPool, options: SessionOptions = OPTIONS) -> Session:
    return cast("Session", await pool.take(options))


async def filled(pool: BrowserPool) -> BrowserPool:
    pool.start()
    async with asyncio.timeout(5):
        while pool.ready < 2:  # noqa: ASYNC110 - the pool announces nothing
            await asyncio.sleep(0.001)
    return pool


async def test_the_browser_that_waited_longest_is_handed_out_and_replaced(
    pool: BrowserPool, machine: Machine
) -> None:
    await filled(pool)
    assert [(await taken(pool)).number, (await taken(pool)).number] == [1, 2]
    await filled(pool)
    assert machine.launches == 4
    assert machine.closed == []


async def test_without_one_that_is_ready_a_browser_is_launched_for_the_taker(pool: BrowserPool) -> None:
    assert (await taken(pool)).number == 1


async def test_a_session_may_have_fewer_tabs_than_the_pool_allows_but_not_more(pool: BrowserPool) -> None:
    for wanted, given in ((3, 3), (50, 5)):
        session = await taken(pool, SessionOptions(save_file=no_file, max_tabs=wanted))
        assert session.options is not None
        assert session.options.max_tabs == given


async def test_browsers_that_died_while_they_waited_are_thrown_away(
    pool: BrowserPool, machine: Machine
) -> None:
    await filled(pool)
    machine.dead = {1, 2}
    assert (await taken(pool)).number > 2
    assert machine.closed == [1, 2]


@pytest.mark.parametrize("trouble", [PlaywrightError("Target crashed"), TimeoutError(), BrowserLost("gone")])
@pytest.mark.parametrize("step", ["fails_to_open", "fails_to_bind"])
async def test_a_browser_that_dies_on_the_way_is_replaced_by_the_next(
    pool: BrowserPool, machine: Machine, step: str, trouble: Exception
) -> None:
    getattr(machine, step)[1] = trouble
    assert (await taken(pool)).number == 2
    assert machine.closed == [1]


@pytest.mark.parametrize("step", ["fails_to_open", "fails_to_bind"])
async def test_after_three_that_died_the_taker_is_sent_to_the_doctor(
    pool: BrowserPool, machine: Machine, step: str
) -> None:
    pool._size = 0  # pyright: ignore[reportPrivateUsage] - none ahead, so that the numbers are the taker's
    getattr(machine, step).update(dict.fromkeys(range(1, 10), PlaywrightError("Target crashed")))
    with pytest.raises(BrowserLost, match="`pagehand doctor` may say why"):
        await taken(pool)
    await asyncio.sleep(0)
    assert machine.closed == [1, 2, 3]


@pytest.mark.parametrize("step", ["fails_to_open", "fails_to_bind"])
async def test_what_is_not_the_browsers_fault_is_raised_and_the_browser_is_not_left_behind(
    pool: BrowserPool, machine: Machine, step: str
) -> None:
    getattr(machine, step)[1] = BlockFailed("bad cookies")
    with pytest.raises(BlockFailed, match="bad cookies"):
        await taken(pool)
    await asyncio.sleep(0)
    assert machine.closed == [1]


@pytest.mark.parametrize("step", ["fails_to_launch", "fails_to_open", "fails_to_bind"])
async def test_a_taker_that_is_cancelled_leaves_no_browser_behind(
    pool: BrowserPool, machine: Machine, step: str
) -> None:
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        reached.set()
        await go_on.wait()

    getattr(machine, step)[1] = hang
    task = asyncio.ensure_future(taken(pool))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()  # a launch cannot be called off: its browser comes, and is closed then
    async with asyncio.timeout(5):
        while 1 not in machine.closed:  # noqa: ASYNC110 - nothing announces it
            await asyncio.sleep(0.001)


async def test_a_launch_that_fails_is_reported_to_the_taker_and_tried_again_ahead(
    pool: BrowserPool, machine: Machine
) -> None:
    machine.fails_to_launch[1] = Unavailable("No browser is installed.")
    with pytest.raises(Unavailable, match="No browser is installed"):
        await taken(pool)
    machine.fails_to_launch[2] = Unavailable("Still none.")
    await filled(pool)
    assert machine.launches == 4


def proxy(left: list[str], name: str) -> ProxyAddress:
    return ProxyAddress(f"http://{name}", leave=lambda: left.append(name))


async def test_a_taker_with_a_proxy_gets_a_fresh_context_and_the_prepared_proxy_is_left(
    machine: Machine,
) -> None:
    left: list[str] = []
    pool = BrowserPool(machine, size=0, new_proxy=lambda: proxy(left, "prepared"))
    own = proxy(left, "own")
    session = await taken(pool, SessionOptions(save_file=no_file, proxy=own))
    assert session.proxy is own
    assert left == ["prepared"]
    await pool.close()


async def test_the_takers_proxy_is_kept_for_the_next_try_when_a_browser_dies(machine: Machine) -> None:
    left: list[str] = []
    pool = BrowserPool(machine, size=0, new_proxy=lambda: proxy(left, "prepared"))
    machine.fails_to_bind[1] = BrowserLost("gone")
    session = await taken(pool, SessionOptions(save_file=no_file, proxy=proxy(left, "own")))
    assert session.number == 2
    assert "own" not in left
    await pool.close()


async def test_the_prepared_proxy_of_a_browser_that_died_is_left(machine: Machine) -> None:
    left: list[str] = []
    names = iter(["first", "second"])
    pool = BrowserPool(machine, size=0, new_proxy=lambda: proxy(left, next(names)))
    machine.fails_to_bind[1] = BrowserLost("gone")
    await taken(pool)
    assert left == ["first"]
    await pool.close()


async def test_closing_ends_the_launch_under_way_and_the_provider(machine: Machine) -> None:
    pool = BrowserPool(machine, size=2)
    reached = asyncio.Event()

    async def slowly() -> None:
        reached.set()
        await asyncio.sleep(0.01)

    machine.fails_to_launch[1] = slowly
    pool.start()
    await reached.wait()
    await pool.close()
    assert machine.closed == [1]
    assert (machine.is_closed, pool.ready) == (True, 0)
    pool.start()
    await asyncio.sleep(0)
    assert machine.launches == 1
