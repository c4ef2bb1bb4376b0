"""Events are written soon, all of them, in order."""

import asyncio
from collections.abc import Sequence

import pytest

from pagehand.engine.reporting import events
from pagehand.engine.reporting.events import EventLog
from pagehand.errors import Unavailable
from pagehand.records import Event
from pagehand.secrets.redactor import Redactor
from pagehand.storage.events import EventStore

pytestmark = pytest.mark.anyio


class Store(EventStore):
    """Keeps events; the first `failures` writes find no database, and each takes a moment."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.kept: list[str] = []
        self.events: list[Event] = []
        self.fence: int | None = None

    async def add(self, added: Sequence[Event], fence: int | None = None) -> bool:
        await asyncio.sleep(0.05)
        if self.fence is not None and fence != self.fence:
            return False
        if self.failures:
            self.failures -= 1
            raise Unavailable
        self.events += added
        self.kept += [event.message for event in added]
        return True


async def written(store: Store, count: int) -> list[str]:
    async with asyncio.timeout(5):
        while len(store.kept) < count:  # noqa: ASYNC110 - nobody announces it
            await asyncio.sleep(0.01)
    return store.kept


async def test_a_database_that_was_away_gets_the_events_without_another_one() -> None:
    store = Store(failures=2)
    log = EventLog(store, "exec_1", Redactor(), 0)
    log.add("a.b", "one")
    assert await written(store, 1) == ["one"]


async def test_an_event_that_comes_while_others_are_written_is_written_too() -> None:
    store = Store()
    log = EventLog(store, "exec_1", Redactor(), 0)
    log.add("a.b", "one")
    await asyncio.sleep(0.12)  # the first write is under way
    log.add("a.b", "two")
    assert await written(store, 2) == ["one", "two"]


async def test_closing_writes_the_last_events() -> None:
    store = Store()
    log = EventLog(store, "exec_1", Redactor(["geheim"]), 0)
    log.add("a.b", "the word is geheim")
    await log.close()
    assert store.kept == ["the word is ***"]


async def test_events_beyond_the_limit_are_counted_and_ends_are_always_kept() -> None:
    store, seen = Store(), list[str]()
    log = EventLog(
        store, "exec_1", Redactor(), 0, max_events=3, observe=lambda type_, _block, _data: seen.append(type_)
    )
    for number in range(5):
        log.add("note.made", f"note {number}")
    log.add("block.finished", "done")
    log.add("execution.completed", "Completed")
    await log.close()
    assert store.kept == [
        "note 0",
        "note 1",
        "note 2",
        "Completed",
        "3 more events were left out: 3 are kept.",
    ]
    assert store.events[-1].data == {"leftOut": {"note.made": 2, "block.finished": 1}}
    assert len(seen) == 7  # metrics and traces see all of them
    await log.close()
    assert len(store.kept) == 5


async def test_events_have_growing_numbers_and_times_though_the_clock_is_set_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter([2_000, 1_000, 3_000])
    monkeypatch.setattr(events, "now_ms", lambda: next(clock))
    store = Store()
    log = EventLog(store, "exec_1", Redactor(), first_seq=7)
    for name in ("a", "b", "c"):
        log.add("note.made", name)
    await log.close()
    assert [(event.seq, event.at) for event in store.events] == [(8, 2_000), (9, 2_000), (10, 3_000)]


async def test_what_no_store_takes_is_cut_or_left_out() -> None:
    store = Store()
    log = EventLog(store, "exec_1", Redactor(["geheim"]), 0)
    log.add("note.made", "x" * 20_000 + "\ud800", data={"a": "\ud800", "big": 2**70, "word": "geheim"})
    log.add("note.made", "large", data={"a": "x" * 300_000})
    await log.close()
    first, large = store.events
    assert (len(first.message), first.message[-1]) == (10_001, "…")
    first.data["a"].encode()
    assert (first.data["word"], isinstance(first.data["big"], str)) == ("***", True)
    assert list(large.data) == ["leftOut"]


async def test_events_of_a_run_that_was_taken_over_are_refused_and_known() -> None:
    store = Store()
    store.fence = 2
    log = EventLog(store, "exec_1", Redactor(), 0, fence=lambda: 1)
    log.add("block.finished", "late", picture="org/exec/shot.jpg")
    await log.close()
    assert (store.kept, [event.screenshot_key for event in log.rejected]) == ([], ["org/exec/shot.jpg"])


async def test_the_newest_event_with_a_picture_is_known() -> None:
    log = EventLog(Store(), "exec_1", Redactor(), 0)
    assert log.last_pictured is None
    log.add("block.finished", "one", picture="shot")
    log.add("block.finished", "two")
    assert log.last_pictured == 1
    await log.close()


async def test_an_event_is_written_with_its_picture_and_those_after_it_in_their_order() -> None:
    store = Store()
    log = EventLog(store, "exec_1", Redactor(), 0)
    key: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
    log.add("block.started", "one")
    log.add("block.finished", "one", picture=key)
    log.add("block.started", "two")
    # the timer writes what is complete; who asks for all waits for the picture
    while not store.events:  # noqa: ASYNC110 - the store tells nobody
        await asyncio.sleep(0.01)
    assert [event.type for event in store.events] == ["block.started"]
    writing = asyncio.ensure_future(log.flush())
    await asyncio.sleep(0.01)
    assert not writing.done()
    key.set_result("shot")
    await writing
    assert [event.screenshot_key for event in store.events] == [None, "shot", None]
    assert (log.last_pictured, log.pictures) == (2, {"shot"})
    await log.close()


async def test_a_picture_that_could_not_be_taken_is_no_picture() -> None:
    store = Store()
    log = EventLog(store, "exec_1", Redactor(), 0)
    log.add("block.finished", "one", picture="first")
    key: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
    log.add("block.finished", "two", picture=key)
    assert log.last_pictured == 2
    key.set_result(None)
    await log.close()
    assert [event.screenshot_key for event in store.events] == ["first", None]
    assert log.last_pictured == 1
