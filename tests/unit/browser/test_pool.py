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
from pagehand.browser.provider import LaunchOptions, ProvidedBrowser, ProxyAddress
from pagehand.browser.session_options import SessionOptions
from pagehand.errors import BlockFailed, BrowserLost, Unavailable
from pagehand.records import FileInfo

pytestmark = pytest.mark.anyio
Trouble = dict[int, BaseException | Callable[[], Awaitable[None]]]


async def no_file(_content: object, _name: str, _mime: str) -> FileInfo:
    raise NotImplementedError


OPTIONS = SessionOptions(save_file=no_file)


@dataclass
class FakeProvider:
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

        return cast("ProvidedBrowser", SimpleNamespace(number=number, close=close, provider=self))

    def start(self) -> None:
        self.has_started = True

    async def end_lost(self, vendor_id: str) -> None:
        raise NotImplementedError(vendor_id)

    async def close(self) -> None:
        self.is_closed = True


class FakeSession:
    """Stands in for `BrowserSession`."""

    def __init__(self, provided: Any, proxy: ProxyAddress | None) -> None:
        self.provided = provided
        self.proxy = proxy
        self.number: int = provided.number
        self.provider: FakeProvider = provided.provider
        self.context = SimpleNamespace(close=self._close_context)
        self.options: SessionOptions | None = None
        self.is_context_open = True

    @classmethod
    async def open(cls, provided: Any, proxy: ProxyAddress | None = None) -> "FakeSession":
        await happen(provided.provider.fails_to_open.get(provided.number))
        return cls(provided, proxy)

    async def _close_context(self) -> None:
        self.is_context_open = False

    async def answers(self) -> bool:
        await asyncio.sleep(0)
        return self.number not in self.provider.dead

    async def bind(self, options: SessionOptions) -> None:
        await happen(self.provider.fails_to_bind.get(self.number))
        self.options = options


async def happen(trouble: BaseException | Callable[[], Awaitable[None]] | None) -> None:
    if isinstance(trouble, BaseException):
        raise trouble
    if trouble is not None:
        await trouble()


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> FakeProvider:
    monkeypatch.setattr(pool_module, "BrowserSession", FakeSession)
    monkeypatch.setattr(pool_module, "_REFILL_AFTER_SECONDS", 0.001)
    monkeypatch.setattr(pool_module, "_REFILL_PAUSE_SECONDS", 0.001)
    return FakeProvider()


@pytest.fixture
async def pool(provider: FakeProvider) -> AsyncGenerator[BrowserPool]:
    pool = BrowserPool(provider, size=2, max_tabs=5)
    yield pool
    await pool.close()


async def taken(pool: BrowserPool, options: SessionOptions = OPTIONS) -> FakeSession:
    return cast("FakeSession", await pool.take(options))


async def filled(pool: BrowserPool) -> BrowserPool:
    pool.start()
    async with asyncio.timeout(5):
        while pool.ready < 2:  # noqa: ASYNC110 - the pool announces nothing
            await asyncio.sleep(0.001)
    return pool


async def test_the_browser_that_waited_longest_is_handed_out_and_replaced(
    pool: BrowserPool, provider: FakeProvider
) -> None:
    await filled(pool)
    assert [(await taken(pool)).number, (await taken(pool)).number] == [1, 2]
    await filled(pool)
    assert provider.launches == 4
    assert provider.closed == []


async def test_without_one_that_is_ready_a_browser_is_launched_for_the_taker(pool: BrowserPool) -> None:
    assert (await taken(pool)).number == 1


async def test_a_session_may_have_fewer_tabs_than_the_pool_allows_but_not_more(pool: BrowserPool) -> None:
    for wanted, given in ((3, 3), (50, 5)):
        session = await taken(pool, SessionOptions(save_file=no_file, max_tabs=wanted))
        assert session.options is not None
        assert session.options.max_tabs == given


async def test_browsers_that_died_while_they_waited_are_thrown_away(
    pool: BrowserPool, provider: FakeProvider
) -> None:
    await filled(pool)
    provider.dead = {1, 2}
    assert (await taken(pool)).number > 2
    assert provider.closed == [1, 2]


@pytest.mark.parametrize("trouble", [PlaywrightError("Target crashed"), TimeoutError(), BrowserLost("gone")])
@pytest.mark.parametrize("step", ["fails_to_open", "fails_to_bind"])
async def test_a_browser_that_dies_on_the_way_is_replaced_by_the_next(
    pool: BrowserPool, provider: FakeProvider, step: str, trouble: Exception
) -> None:
    getattr(provider, step)[1] = trouble
    assert (await taken(pool)).number == 2
    assert provider.closed == [1]


@pytest.mark.parametrize("step", ["fails_to_open", "fails_to_bind"])
async def test_after_three_that_died_the_taker_is_sent_to_the_doctor(
    pool: BrowserPool, provider: FakeProvider, step: str
) -> None:
    pool._size = 0  # pyright: ignore[reportPrivateUsage] - none ahead, so that the numbers are the taker's
    getattr(provider, step).update(dict.fromkeys(range(1, 10), PlaywrightError("Target crashed")))
    with pytest.raises(BrowserLost, match="`pagehand doctor` may say why"):
        await taken(pool)
    await asyncio.sleep(0)
    assert provider.closed == [1, 2, 3]


@pytest.mark.parametrize("step", ["fails_to_open", "fails_to_bind"])
async def test_what_is_not_the_browsers_fault_is_raised_and_the_browser_is_not_left_behind(
    pool: BrowserPool, provider: FakeProvider, step: str
) -> None:
    getattr(provider, step)[1] = BlockFailed("bad cookies")
    with pytest.raises(BlockFailed, match="bad cookies"):
        await taken(pool)
    await asyncio.sleep(0)
    assert provider.closed == [1]


@pytest.mark.parametrize("step", ["fails_to_launch", "fails_to_open", "fails_to_bind"])
async def test_a_taker_that_is_cancelled_leaves_no_browser_behind(
    pool: BrowserPool, provider: FakeProvider, step: str
) -> None:
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        reached.set()
        await go_on.wait()

    getattr(provider, step)[1] = hang
    task = asyncio.ensure_future(taken(pool))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()  # a launch cannot be called off: its browser comes, and is closed then
    async with asyncio.timeout(5):
        while 1 not in provider.closed:  # noqa: ASYNC110 - nothing announces it
            await asyncio.sleep(0.001)


async def test_a_launch_that_fails_is_reported_to_the_taker_and_tried_again_ahead(
    pool: BrowserPool, provider: FakeProvider
) -> None:
    provider.fails_to_launch[1] = Unavailable("No browser is installed.")
    with pytest.raises(Unavailable, match="No browser is installed"):
        await taken(pool)
    provider.fails_to_launch[2] = Unavailable("Still none.")
    await filled(pool)
    assert provider.launches == 4


def proxy(left: list[str], name: str) -> ProxyAddress:
    return ProxyAddress(f"http://{name}", leave=lambda: left.append(name))


async def test_a_taker_with_a_proxy_gets_a_fresh_context_and_the_prepared_proxy_is_left(
    provider: FakeProvider,
) -> None:
    left: list[str] = []
    pool = BrowserPool(provider, size=0, new_proxy=lambda: proxy(left, "prepared"))
    own = proxy(left, "own")
    session = await taken(pool, SessionOptions(save_file=no_file, proxy=own))
    assert session.proxy is own
    assert left == ["prepared"]
    await pool.close()


async def test_the_takers_proxy_is_kept_for_the_next_try_when_a_browser_dies(provider: FakeProvider) -> None:
    left: list[str] = []
    pool = BrowserPool(provider, size=0, new_proxy=lambda: proxy(left, "prepared"))
    provider.fails_to_bind[1] = BrowserLost("gone")
    session = await taken(pool, SessionOptions(save_file=no_file, proxy=proxy(left, "own")))
    assert session.number == 2
    assert "own" not in left
    await pool.close()


async def test_the_prepared_proxy_of_a_browser_that_died_is_left(provider: FakeProvider) -> None:
    left: list[str] = []
    names = iter(["first", "second"])
    pool = BrowserPool(provider, size=0, new_proxy=lambda: proxy(left, next(names)))
    provider.fails_to_bind[1] = BrowserLost("gone")
    await taken(pool)
    assert left == ["first"]
    await pool.close()


async def test_closing_ends_the_launch_under_way_and_the_provider(provider: FakeProvider) -> None:
    pool = BrowserPool(provider, size=2)
    reached = asyncio.Event()

    async def slowly() -> None:
        reached.set()
        await asyncio.sleep(0.01)

    provider.fails_to_launch[1] = slowly
    pool.start()
    await reached.wait()
    await pool.close()
    assert provider.closed == [1]
    assert (provider.is_closed, pool.ready) == (True, 0)
    pool.start()
    await asyncio.sleep(0)
    assert provider.launches == 1


async def test_a_browser_launched_for_the_first_is_the_only_one_ahead(provider: FakeProvider) -> None:
    pool = BrowserPool(provider, size=0)
    pool.warm_up()
    assert [(await taken(pool)).number, provider.launches] == [1, 1]
    assert (await taken(pool)).number == 2
    await pool.close()


async def test_a_browser_launched_for_a_first_that_never_comes_is_ended(provider: FakeProvider) -> None:
    pool = BrowserPool(provider, size=0)
    reached = asyncio.Event()

    async def slowly() -> None:
        reached.set()
        await asyncio.sleep(0.01)

    provider.fails_to_launch[1] = slowly
    pool.warm_up()
    await reached.wait()
    await pool.close()
    assert (provider.closed, provider.is_closed) == ([1], True)
