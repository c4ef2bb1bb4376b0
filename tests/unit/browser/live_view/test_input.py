"""A person's mouse and keyboard: in order, never too many, and nothing stays pressed."""

import asyncio
from typing import Any, cast

import pytest
from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.live_view import input as input_module
from pagehand.browser.live_view.input import UserInput

pytestmark = pytest.mark.anyio
LIMIT = 20


@pytest.fixture(autouse=True)
def few_may_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_module, "_MOST_WAITING", LIMIT)


class Tab:
    """The protocol channel of a tab; it answers when the test lets it."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict[str, Any]]] = []
        self.answers = asyncio.Event()
        self.answers.set()
        self.trouble: Exception | None = None

    async def send(self, method: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
        if self.trouble is not None:
            raise self.trouble
        await self.answers.wait()
        self.seen.append((method, parameters or {}))
        return {}

    async def channel(self) -> CDPSession:
        return cast("CDPSession", self)

    @property
    def types(self) -> list[str]:
        return [parameters.get("type", method) for method, parameters in self.seen]

    @property
    def pressed(self) -> set[str]:
        """What the page finds pressed."""
        down: set[str] = set()
        for _, event in self.seen:
            what = event.get("code") or event.get("button") or ""
            if event.get("type") in ("keyDown", "rawKeyDown", "mousePressed"):
                down.add(what)
            elif event.get("type") in ("keyUp", "mouseReleased"):
                down.discard(what)
        return down


def shift(given: UserInput, kind: Any) -> None:
    given.key(kind, key="Shift", code="ShiftLeft", key_code=16)


async def test_everything_reaches_the_page_in_its_order() -> None:
    tab = Tab()
    given = UserInput(tab.channel)
    given.mouse("move", x=1, y=2)
    given.mouse("down", x=1, y=2, button="left", buttons=1, clicks=1)
    given.mouse("up", x=1, y=2, button="left", clicks=1)
    given.key("down", key="a", code="KeyA", text="a")
    given.key("up", key="a", code="KeyA")
    given.insert_text("pasted ü")
    given.mouse("wheel", x=1, y=2, delta_y=100)
    await given.idle()
    assert tab.types == [
        "mouseMoved",
        "mousePressed",
        "mouseReleased",
        "keyDown",
        "keyUp",
        "Input.insertText",
        "mouseWheel",
    ]
    assert tab.seen[-1][1]["deltaY"] == 100
    assert tab.seen[3][1]["text"] == "a"


async def test_a_key_that_types_nothing_is_a_raw_one() -> None:
    tab = Tab()
    given = UserInput(tab.channel)
    shift(given, "down")
    await given.idle()
    assert tab.types == ["rawKeyDown"]


async def test_of_moves_that_pile_up_only_the_newest_counts() -> None:
    tab = Tab()
    given = UserInput(tab.channel)
    for x in range(50):
        given.mouse("move", x=x, y=0)
    await given.idle()
    assert [event["x"] for _, event in tab.seen] == [49]


async def test_what_is_held_is_let_go() -> None:
    tab = Tab()
    given = UserInput(tab.channel)
    shift(given, "down")
    given.mouse("down", x=5, y=6, button="left", buttons=1, clicks=1)
    await given.idle()
    assert tab.pressed == {"ShiftLeft", "left"}
    given.let_go()
    await given.idle()
    assert tab.pressed == set()
    assert tab.seen[-1][1]["buttons"] == 0
    seen = len(tab.seen)
    given.let_go()
    await given.idle()
    assert len(tab.seen) == seen


async def test_a_release_that_still_waits_is_not_forgotten_when_control_ends() -> None:
    tab = Tab()
    given = UserInput(tab.channel)
    shift(given, "down")
    await given.idle()
    tab.answers.clear()  # the page is busy
    given.insert_text("x")
    shift(given, "up")
    given.let_go()
    tab.answers.set()
    await given.idle()
    assert tab.pressed == set()


@pytest.mark.parametrize("releases", [True, False])
async def test_a_page_that_takes_nothing_holds_up_only_so_much(releases: bool) -> None:
    tab = Tab()
    given = UserInput(tab.channel)
    shift(given, "down")
    await given.idle()
    tab.answers.clear()
    for _ in range(3 * LIMIT):
        given.insert_text("x")
    if releases:
        shift(given, "up")
    else:
        given.let_go()
    tab.answers.set()
    await given.idle()
    assert tab.pressed == set()
    assert len(tab.seen) <= LIMIT + 3


async def test_a_flood_of_keys_is_bounded_and_nothing_stays_pressed() -> None:
    tab = Tab()
    given = UserInput(tab.channel)
    for number in range(5 * LIMIT):
        given.key("down", key="a", code=f"Key{number}", text="a")
        given.key("up", key="a", code=f"Key{number}")
    await given.idle()
    given.let_go()
    await given.idle()
    assert tab.pressed == set()
    assert len(tab.seen) <= 2 * LIMIT + 2


async def test_a_tab_that_is_gone_takes_nothing_and_the_next_input_works() -> None:
    tab = Tab()
    given = UserInput(tab.channel)
    tab.trouble = PlaywrightError("Target closed")
    given.insert_text("lost")
    await given.idle()
    tab.trouble = None
    given.insert_text("there")
    await given.idle()
    assert [event["text"] for _, event in tab.seen] == ["there"]


async def test_a_watcher_gets_everything_but_moves_before_and_after() -> None:
    class Watching:
        def __init__(self) -> None:
            self.heard: list[str] = []

        async def before(self, event: dict[str, Any], /) -> None:
            self.heard.append(f"before {event['type']}")

        async def after(self, event: dict[str, Any], /) -> None:
            self.heard.append(f"after {event['type']}")

    tab, watching = Tab(), Watching()
    given = UserInput(tab.channel)
    given.observer = watching
    given.mouse("move", x=0, y=0)
    given.mouse("down", x=0, y=0, button="left")
    await given.idle()
    assert watching.heard == ["before mousePressed", "after mousePressed"]


async def test_idle_returns_at_once_where_nothing_was_done() -> None:
    await UserInput(Tab().channel).idle()
