"""Typing into a form: what was typed is in no error, and a form that is gone has done its work."""

from functools import partial
from typing import Any, cast

import pytest
from playwright.async_api import ElementHandle
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pagehand.errors import BlockFailed, BrowserLost, PagehandError
from pagehand.logins.sign_in import form_filling
from pagehand.logins.sign_in.form_filling import choose, press, submit, tick, type_code, type_text
from support.scripted_site import ScriptedElement, ScriptedSite, closed

pytestmark = pytest.mark.anyio
DETACHED = PlaywrightError("Element is not attached to the DOM")


class Field:
    """A field that takes what it is given, or goes wrong as the test says."""

    def __init__(self, *, drops: int = 0, error: Exception | None = None) -> None:
        self.value = ""
        self.keys = ""
        self._drops = drops
        self._error = error

    async def fill(self, text: str, **_: float) -> None:
        if self._error is not None:
            raise self._error
        if text and self._drops:
            self._drops -= 1
            return
        self.value = text

    async def type(self, text: str) -> None:
        self.keys += text
        self.value = text

    async def click(self, **_: float) -> None:
        if self._error is not None:
            raise self._error

    async def evaluate(self, _script: str, *_: object) -> Any:
        if self._error is not None:
            raise self._error
        return self.value


def handle(field: object) -> ElementHandle:
    return cast("ElementHandle", field)


async def test_a_field_that_does_not_take_the_text_at_once_is_typed_key_by_key() -> None:
    field = Field(drops=1)
    await type_text(handle(field), "hunter22", "password")
    assert (field.value, field.keys) == ("hunter22", "hunter22")
    quick = Field()
    await type_text(handle(quick), "hunter22", "password")
    assert quick.keys == ""


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (PlaywrightError('fill("hunter22"): element is not an <input>'), BlockFailed),
        (PlaywrightTimeout('waiting to fill("hunter22")'), BlockFailed),
        (PlaywrightError('Target page has been closed while fill("hunter22")'), BrowserLost),
    ],
)
async def test_no_error_of_a_field_repeats_what_was_typed(
    error: Exception, kind: type[PagehandError]
) -> None:
    with pytest.raises(kind) as failure:
        await type_text(handle(Field(error=error)), "hunter22", "password")
    shown = f"{failure.value!r} {failure.value.message} {failure.value.__cause__!r}"
    assert "hunter22" not in shown
    assert failure.value.__suppress_context__


async def test_a_code_goes_into_one_field_or_a_character_into_each() -> None:
    single = Field()
    await type_code([handle(single)], "123456")
    assert single.value == "123456"
    several = [Field() for _ in range(6)]
    await type_code([handle(field) for field in several], "123456")
    assert [field.value for field in several] == list("123456")


async def test_a_button_that_is_gone_after_the_click_has_done_its_work() -> None:
    await press(handle(Field(error=DETACHED)), 10)


@pytest.mark.parametrize(
    "error", [PlaywrightTimeout("covered"), closed(), PlaywrightError("Element is hidden")]
)
async def test_other_errors_of_a_click_are_raised(error: Exception) -> None:
    with pytest.raises(type(error)):
        await press(handle(Field(error=error)), 10)


@pytest.mark.parametrize("act", [partial(choose, words="sms"), tick], ids=["choose", "tick"])
async def test_a_list_or_box_that_does_not_work_is_left_alone_unless_the_browser_is_lost(act: Any) -> None:
    await act(handle(Field(error=DETACHED)))
    with pytest.raises(PlaywrightError, match="has been closed"):
        await act(handle(Field(error=closed())))


async def test_a_covering_banner_is_put_away_before_the_form_is_sent() -> None:
    site = ScriptedSite()
    form = site.show("user", "password", parts=("banner_button",))
    assert await submit(site.session, form) == ""
    assert site.pressed == ["banner_button", "button"]


async def test_what_a_dialog_says_while_the_form_is_sent_is_given() -> None:
    site = ScriptedSite()
    site.dialogs = ["Wrong password"]
    assert await submit(site.session, site.show("user", "password")) == "Wrong password"


async def test_a_form_that_sent_itself_after_the_last_character_is_not_sent_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def is_gone(*_: object) -> bool:
        return False

    monkeypatch.setattr(form_filling, "_is_there", is_gone)
    site = ScriptedSite()
    await submit(site.session, site.show("code"))
    assert site.pressed == []


async def test_enter_stands_in_for_a_button_that_is_missing_or_cannot_be_pressed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = ScriptedSite()
    form = site.show("user", "password")
    form.button = None
    await submit(site.session, form)
    assert site.pressed == ["password"]

    async def covered(self: ScriptedElement, **_: float) -> None:
        del self
        raise PlaywrightTimeout("covered for good")

    monkeypatch.setattr(ScriptedElement, "click", covered)
    await submit(site.session, site.show("user", "password"))
    assert site.pressed == ["password", "password"]


async def test_a_field_that_goes_before_enter_is_pressed_was_sent_by_its_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def gone(self: ScriptedElement, *_: str, **__: float) -> None:
        del self
        raise DETACHED

    monkeypatch.setattr(ScriptedElement, "press", gone)
    site = ScriptedSite()
    form = site.show("user", "password")
    form.button = None
    assert await submit(site.session, form) == ""


async def test_other_errors_of_enter_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    async def lost(self: ScriptedElement, *_: str, **__: float) -> None:
        del self
        raise closed()

    monkeypatch.setattr(ScriptedElement, "press", lost)
    site = ScriptedSite()
    form = site.show("user", "password")
    form.button = None
    with pytest.raises(PlaywrightError, match="has been closed"):
        await submit(site.session, form)
