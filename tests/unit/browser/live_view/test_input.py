"""A person's mouse and keyboard: in order, never too many, and nothing stays pressed."""

import asyncio
from typing import Any, Literal, cast

import pytest
from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.live_view import input as input_module
from pagehand.browser.live_view.input import UserInput
from pagehand.browser_session import InputEvent, KeyInput, MouseInput, TextInput

pytestmark = pytest.mark.anyio
LIMIT = 20


@pytest.fixture(autouse=True)
def few_may_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_module, "_MAX_WAITING", LIMIT)


class FakeTab:
    """The protocol channel of a tab; it answers when the test lets it."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict[str, Any]]] = []
        self.answers = asyncio.Event()
        self.answers.set()
        self.trouble: Exception | None = None
        self.seconds = 0.0
        """How long it takes for each input."""

    async def send(self, method: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
        if self.trouble is not None:
            raise self.trouble
        await self.answers.wait()
        await asyncio.sleep(self.seconds)
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
            key = event.get("code") or event.get("button") or ""
            if event.get("type") in ("keyDown", "rawKeyDown", "mousePressed"):
                down.add(key)
            elif event.get("type") in ("keyUp", "mouseReleased"):
                down.discard(key)
        return down


def shift(user_input: UserInput, kind: Literal["down", "up"]) -> None:
    user_input.send(KeyInput(kind=kind, key="Shift", code="ShiftLeft", key_code=16))


async def test_everything_reaches_the_page_in_its_order() -> None:
    tab = FakeTab()
    user_input = UserInput(tab.channel)
    user_input.send(MouseInput(kind="move", x=1, y=2))
    user_input.send(MouseInput(kind="down", x=1, y=2, button="left", buttons=1, clicks=1))
    user_input.send(MouseInput(kind="up", x=1, y=2, button="left", clicks=1))
    user_input.send(KeyInput(kind="down", key="a", code="KeyA", text="a"))
    user_input.send(KeyInput(kind="up", key="a", code="KeyA"))
    user_input.send(TextInput("pasted ü"))
    user_input.send(MouseInput(kind="wheel", x=1, y=2, delta_y=100))
    await user_input.idle()
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
    tab = FakeTab()
    user_input = UserInput(tab.channel)
    shift(user_input, "down")
    await user_input.idle()
    assert tab.types == ["rawKeyDown"]


async def test_of_moves_that_pile_up_only_the_newest_counts() -> None:
    tab = FakeTab()
    user_input = UserInput(tab.channel)
    for x in range(50):
        user_input.send(MouseInput(kind="move", x=x, y=0))
    await user_input.idle()
    assert [event["x"] for _, event in tab.seen] == [49]


async def test_what_is_held_is_released() -> None:
    tab = FakeTab()
    user_input = UserInput(tab.channel)
    shift(user_input, "down")
    user_input.send(MouseInput(kind="down", x=5, y=6, button="left", buttons=1, clicks=1))
    await user_input.idle()
    assert tab.pressed == {"ShiftLeft", "left"}
    user_input.release_all()
    await user_input.idle()
    assert tab.pressed == set()
    assert tab.seen[-1][1]["buttons"] == 0
    seen = len(tab.seen)
    user_input.release_all()
    await user_input.idle()
    assert len(tab.seen) == seen


async def test_a_release_that_still_waits_is_not_forgotten_when_control_ends() -> None:
    tab = FakeTab()
    user_input = UserInput(tab.channel)
    shift(user_input, "down")
    await user_input.idle()
    tab.answers.clear()  # the page is busy
    user_input.send(TextInput("x"))
    shift(user_input, "up")
    user_input.release_all()
    tab.answers.set()
    await user_input.idle()
    assert tab.pressed == set()


@pytest.mark.parametrize("releases", [True, False])
async def test_a_page_that_takes_nothing_holds_up_only_so_much(releases: bool) -> None:
    tab = FakeTab()
    user_input = UserInput(tab.channel)
    shift(user_input, "down")
    await user_input.idle()
    tab.answers.clear()
    taken = [user_input.send(TextInput("x")) for _ in range(3 * LIMIT)]
    assert (taken[0], taken[-1]) == (True, False)  # the person hears of it
    if releases:
        shift(user_input, "up")
    else:
        user_input.release_all()
    tab.answers.set()
    await user_input.idle()
    assert tab.pressed == set()
    assert len(tab.seen) <= LIMIT + 3


async def test_a_flood_of_keys_is_bounded_and_nothing_stays_pressed() -> None:
    tab = FakeTab()
    user_input = UserInput(tab.channel)
    for number in range(5 * LIMIT):
        user_input.send(KeyInput(kind="down", key="a", code=f"Key{number}", text="a"))
        user_input.send(KeyInput(kind="up", key="a", code=f"Key{number}"))
    await user_input.idle()
    user_input.release_all()
    await user_input.idle()
    assert tab.pressed == set()
    assert len(tab.seen) <= 2 * LIMIT + 2


async def test_a_tab_that_is_gone_takes_nothing_and_the_next_input_works() -> None:
    tab = FakeTab()
    user_input = UserInput(tab.channel)
    tab.trouble = PlaywrightError("Target closed")
    user_input.send(TextInput("lost"))
    await user_input.idle()
    tab.trouble = None
    user_input.send(TextInput("there"))
    await user_input.idle()
    assert [event["text"] for _, event in tab.seen] == ["there"]


async def test_an_observer_gets_everything_but_moves_before_and_after() -> None:
    class Observer:
        def __init__(self) -> None:
            self.calls: list[tuple[str, InputEvent]] = []

        async def before(self, event: InputEvent, /) -> None:
            self.calls.append(("before", event))

        async def after(self, event: InputEvent, /) -> None:
            self.calls.append(("after", event))

    tab, observer = FakeTab(), Observer()
    user_input = UserInput(tab.channel)
    user_input.observer = observer
    user_input.send(MouseInput(kind="move", x=0, y=0))
    press, text = MouseInput(kind="down", x=0, y=0, button="left"), TextInput("pasted")
    user_input.send(press)
    user_input.send(text)
    await user_input.idle()
    assert observer.calls == [("before", press), ("after", press), ("before", text), ("after", text)]


async def test_an_observer_sees_what_an_input_did_however_late_the_page_takes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Observer:
        def __init__(self) -> None:
            self.seen: list[int] = []

        async def before(self, _event: InputEvent, /) -> None:
            await asyncio.sleep(0.05)

        async def after(self, _event: InputEvent, /) -> None:
            self.seen.append(len(tab.seen))

    for short in ("_ANSWER_SECONDS", "_IDLE_SECONDS"):
        monkeypatch.setattr(input_module, short, 0.01)
    tab, observer = FakeTab(), Observer()
    tab.seconds = 0.05
    user_input = UserInput(tab.channel)
    user_input.observer = observer
    for letter in "Li":
        user_input.send(TextInput(letter))
    await user_input.idle()
    assert observer.seen == [1, 2]


async def test_idle_returns_at_once_where_nothing_was_done() -> None:
    await UserInput(FakeTab().channel).idle()


async def test_idle_waits_for_a_slow_page_as_long_as_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_module, "_IDLE_SECONDS", 0.5)
    tab = FakeTab()
    tab.seconds = 0.06
    user_input = UserInput(tab.channel)
    for _ in range(14):
        user_input.send(TextInput("x"))
    await user_input.idle()
    assert len(tab.seen) == 14
    tab.answers.clear()  # it shows a dialog
    user_input.send(TextInput("x"))
    await user_input.idle()
    assert len(tab.seen) == 14


async def test_typing_ahead_of_a_recorder_loses_nothing() -> None:
    class Slow:
        async def before(self, _event: InputEvent, /) -> None:
            await asyncio.sleep(0)

        async def after(self, _event: InputEvent, /) -> None:
            await asyncio.sleep(0)

    tab = FakeTab()
    user_input = UserInput(tab.channel)
    user_input.observer = Slow()
    typed = [f"{number} " for number in range(5 * LIMIT)]
    assert all(user_input.send(TextInput(text)) for text in typed)
    await user_input.idle()
    assert [event["text"] for _, event in tab.seen] == typed
