"""Checkboxes and radio buttons, also those drawn by the page over a hidden box."""

from collections.abc import Awaitable, Callable

from msgspec import Struct, convert
from playwright.async_api import JSHandle
from playwright.async_api import Locator as Element

from pagehand.blocks.page.controls.acting import becomes_true, evaluate_on, time_left_ms
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed, Diagnosis
from pagehand.javascript import load_script, member
from pagehand.page.dom import on_dom

_SCRIPT = on_dom(load_script(__file__, "checkbox"))
_IS_ON = member(_SCRIPT, "isOn")
_RADIO_IS_ON = "el => 'checked' in el ? el.checked : el.getAttribute('aria-checked') === 'true'"
_STATE = member(_SCRIPT, "state")
_WHAT_TO_CLICK = member(_SCRIPT, "target")
_CHOICES = member(_SCRIPT, "choices")
_CHOICE_AT = member(_SCRIPT, "choiceAt")


class _BoxState(Struct):
    """What `checkbox.js` says of a box."""

    on: bool
    direct: bool
    """True when the box itself can be clicked, and not something drawn over it."""


class _RadioButton(Struct):
    """One of a group, as `checkbox.js` lists them."""

    label: str
    value: str


async def set_checkbox(
    ctx: RunContext, element: Element, wanted: bool, find: Callable[[], Awaitable[Element]]
) -> None:
    """Tick or untick, unless it is right already. `find` finds the box again after the click."""
    state = convert(await evaluate_on(element, _STATE), _BoxState)
    # as the contract says: a click on a box that is right would change it
    if state.on == wanted:
        return
    if state.direct:
        await element.click(timeout=time_left_ms(ctx))
    else:
        await _click(ctx, await element.evaluate_handle(_WHAT_TO_CLICK, timeout=time_left_ms(ctx)))
    # found again, because frameworks often redraw the box after the click
    if not await becomes_true(lambda: _is_on(find, wanted)):
        raise BlockFailed(
            f"The checkbox did not become {'checked' if wanted else 'unchecked'} after it was clicked",
            Diagnosis(
                cause="the page takes the click back",
                advice="Look whether another field must be filled first.",
            ),
        )


async def set_radio(ctx: RunContext, element: Element, wanted: str) -> None:
    """Choose the radio button with that value or label in the group of `element`."""
    buttons = convert(await evaluate_on(element, _CHOICES), list[_RadioButton])
    at = _position(buttons, wanted)
    if at is None:
        offered = ", ".join(f"`{button.label or button.value}`" for button in buttons) or "no radio buttons"
        raise BlockFailed(f"No radio button has the value or label `{wanted}`; there are: {offered}")
    handle = (await element.evaluate_handle(_CHOICE_AT, at, timeout=time_left_ms(ctx))).as_element()
    if handle is None:
        raise BlockFailed(f"The radio button `{wanted}` went away before it could be chosen")
    if not await handle.evaluate(_RADIO_IS_ON):
        await _click(ctx, await handle.evaluate_handle(_WHAT_TO_CLICK))
        if not await becomes_true(lambda: handle.evaluate(_RADIO_IS_ON)):
            raise BlockFailed(f"The radio button `{wanted}` did not stay chosen after it was clicked")


async def _is_on(find: Callable[[], Awaitable[Element]], wanted: bool) -> bool:
    return bool(await evaluate_on(await find(), _IS_ON)) == wanted


async def _click(ctx: RunContext, target: JSHandle) -> None:
    element = target.as_element()
    if element is None:
        raise BlockFailed("The checkbox or radio button went away before it could be clicked")
    await element.click(timeout=time_left_ms(ctx))


def _position(buttons: list[_RadioButton], wanted: str) -> int | None:
    """By value, then by label, then by label whatever the case."""
    folded = " ".join(wanted.split())
    values = [button.value for button in buttons]
    labels = [button.label for button in buttons]
    lowered = [label.casefold() for label in labels]
    for names, name in ((values, wanted), (labels, folded), (lowered, folded.casefold())):
        if name in names:
            return names.index(name)
    return None
