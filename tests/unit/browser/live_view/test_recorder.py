"""Which acts inputs become, with the elements of the page given by the test."""

import asyncio
from typing import Any, cast

import pytest
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from pagehand.browser.live_view import recorder as recorder_module
from pagehand.browser.live_view.recorder import Recorder
from pagehand.browser_session import KeyInput, MouseButton, MouseInput, TextInput
from pagehand.workflow.locator import Locator
from pagehand.workflow.recorded import RecordedAct

pytestmark = pytest.mark.anyio


class Element:
    """An element as the recorder asks for it."""

    def __init__(self, name: str, kind: str = "other", value: str = "") -> None:
        self.name, self.kind, self.value = name, kind, value
        self.error: Exception | None = None

    async def evaluate(self, _script: str, other: object = None) -> Any:
        if self.error is not None:
            raise self.error
        if isinstance(other, Element):
            return other is self
        return {"kind": self.kind} if self.kind == "secret" else {"kind": self.kind, "value": self.value}

    async def evaluate_handle(self, _script: str) -> "Element":
        return self

    def as_element(self) -> None:
        """No option is active."""


class Person:
    """Somebody who is recorded on a page with elements at given heights."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **elements: Element) -> None:
        self.elements = elements
        self.url = "https://shop.example/"
        self.focused: Element | None = None
        self.acts: list[RecordedAct] = []
        self.recorder = Recorder(lambda: cast("Page", self), self.acts.append)
        monkeypatch.setattr(recorder_module, "element_at", self._element_at)
        monkeypatch.setattr(recorder_module, "focused_element", self._focused_element)
        monkeypatch.setattr(recorder_module, "locate", self._locate)
        monkeypatch.setattr(recorder_module, "_PAUSE_SECONDS", 0.001)

    async def _element_at(self, page: object, x: float, y: float) -> tuple[str, Element] | None:
        del page, x
        found = list(self.elements.values())
        return ("main", found[int(y)]) if y < len(found) else None

    async def _focused_element(self, page: object) -> tuple[str, Element] | None:
        del page
        return ("main", self.focused) if self.focused else None

    async def _locate(self, page: object, frame: object, element: Element) -> tuple[Locator, str]:
        del page, frame
        return Locator(words=element.name), element.name

    async def click(self, name: str, *, clicks: int = 1, button: MouseButton = "left") -> None:
        y = list(self.elements).index(name) if name in self.elements else len(self.elements)
        down = MouseInput(kind="down", x=0, y=y, clicks=clicks, button=button)
        await self.recorder.before(down)
        self.focused = self.elements.get(name)
        await self.recorder.after(down)
        up = MouseInput(kind="up", x=0, y=y, clicks=clicks, button=button)
        # a drag would ask the frame for a selection; a click does not move
        await self.recorder.before(up)
        await self.recorder.after(up)

    async def key(self, key: str, text: str = "") -> None:
        for event in (
            KeyInput(kind="down", key=key, code=key, text=text),
            KeyInput(kind="up", key=key, code=key),
        ):
            await self.recorder.before(event)
            await self.recorder.after(event)

    async def paste(self, text: str) -> None:
        event = TextInput(text)
        await self.recorder.before(event)
        await self.recorder.after(event)

    async def pause(self) -> None:
        await asyncio.sleep(0.02)

    @property
    def kinds(self) -> list[str]:
        return [act.kind for act in self.acts]


async def test_a_press_of_a_control_is_a_click(monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(monkeypatch, save=Element("Save"))
    await person.click("save")
    assert [(act.kind, act.name, act.locator) for act in person.acts] == [
        ("click", "Save", Locator(words="Save"))
    ]


async def test_the_second_press_makes_a_double_click_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(monkeypatch, row=Element("Row"))
    await person.click("row")
    await person.click("row", clicks=2)
    assert [(act.kind, act.replaces_last) for act in person.acts] == [
        ("click", False),
        ("double click", True),
    ]


async def test_the_right_button_is_a_right_click_and_the_middle_one_is_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    person = Person(monkeypatch, row=Element("Row"))
    await person.click("row", button="right")
    await person.click("row", button="middle")
    assert person.kinds == ["right click"]


async def test_a_click_beside_everything_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(monkeypatch, page=Element("", kind="nothing"))
    await person.click("page")
    await person.click("nowhere")
    assert person.acts == []


async def test_typed_and_pasted_text_is_recorded_after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    field = Element("Search", kind="text")
    person = Person(monkeypatch, search=field)
    await person.click("search")
    field.value = "A"
    await person.key("A", "A")
    await person.pause()
    field.value = "ACME"
    await person.paste("CME")
    await person.pause()
    assert [(act.kind, act.value, act.replaces_last) for act in person.acts] == [
        ("fill", "A", False),
        ("fill", "ACME", True),
    ]


async def test_a_secret_is_recorded_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(monkeypatch, password=Element("Password", kind="secret", value="hush"))
    await person.click("password")
    await person.key("h", "h")
    await person.pause()
    assert [(act.kind, act.value) for act in person.acts] == [("fill secret", "")]


async def test_enter_belongs_to_the_field_it_submits(monkeypatch: pytest.MonkeyPatch) -> None:
    field = Element("Search", kind="text")
    person = Person(monkeypatch, search=field)
    await person.click("search")
    field.value = "ACME"
    await person.key("Enter", "\r")
    await person.recorder.end()
    assert [(act.kind, act.value, act.presses_enter) for act in person.acts] == [("fill", "ACME", True)]


async def test_enter_on_a_focused_button_is_a_click(monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(monkeypatch)
    person.focused = Element("Send")
    await person.key("Enter", "\r")
    await person.recorder.end()
    assert [(act.kind, act.name) for act in person.acts] == [("click", "Send")]


async def test_tab_records_the_field_that_is_left_and_enters_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = Element("First", kind="text"), Element("Second", kind="text")
    person = Person(monkeypatch, first=first, second=second)
    await person.click("first")
    first.value = "1"
    person.focused = second
    await person.key("Tab")
    second.value = "2"
    await person.key("2", "2")
    await person.pause()
    assert [(act.name, act.value) for act in person.acts] == [("First", "1"), ("Second", "2")]


async def test_a_choice_is_recorded_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    box = Element("Agree", kind="checkbox", value="false")
    person = Person(monkeypatch, box=box)
    await person.click("box")
    box.value = "true"
    await person.click("box")
    assert [(act.kind, act.value) for act in person.acts] == [("check", "true")]


async def test_a_download_and_a_tab_right_after_a_click_belong_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(monkeypatch, export=Element("Export"), more=Element("Help"))
    await person.click("export")
    person.recorder.download_began(cast("Any", None))
    await person.click("more")
    person.recorder.tab_opened(cast("Any", None))
    assert [(act.kind, act.name, act.opens_tab, act.replaces_last) for act in person.acts] == [
        ("click", "Export", False, False),
        ("download", "Export", False, True),
        ("click", "Help", False, False),
        ("click", "Help", True, True),
    ]


async def test_a_download_long_after_a_click_is_not_its_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(monkeypatch, export=Element("Export"))
    await person.click("export")
    monkeypatch.setattr(recorder_module, "_FOLLOWS_SECONDS", 0.0)
    person.recorder.download_began(cast("Any", None))
    assert person.kinds == ["click"]


@pytest.mark.parametrize(("url", "kinds"), [("https://shop.example/", ["open"]), ("about:blank", [])])
async def test_recording_begins_with_the_address_of_a_site(
    monkeypatch: pytest.MonkeyPatch, url: str, kinds: list[str]
) -> None:
    person = Person(monkeypatch)
    person.url = url
    person.recorder.begin(with_address=True)
    assert person.kinds == kinds


async def test_an_element_that_is_gone_costs_an_act_and_not_the_input(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone = Element("Gone")
    gone.error = PlaywrightError("Target closed")
    person = Person(monkeypatch, gone=gone, save=Element("Save"))
    await person.click("gone")
    await person.click("save")
    assert [act.name for act in person.acts] == ["Save"]


async def test_the_end_records_what_was_typed_last(monkeypatch: pytest.MonkeyPatch) -> None:
    field = Element("Search", kind="text")
    person = Person(monkeypatch, search=field)
    await person.click("search")
    field.value = "ACME"
    await person.recorder.end()
    assert [(act.kind, act.value) for act in person.acts] == [("fill", "ACME")]
