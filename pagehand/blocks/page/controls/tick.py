"""Checkboxes and radio buttons, also those drawn by the page over a hidden box."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from playwright.async_api import JSHandle
from playwright.async_api import Locator as Element

from pagehand.blocks.base import RunContext
from pagehand.blocks.page.controls.acting import ask, time_left_ms
from pagehand.errors import BlockFailed, Diagnosis

_TAKES_EFFECT_SECONDS = 1.0
_BOX = """const box = el => el.matches('input, [aria-checked]') ? el
    : el.control ?? el.querySelector('input[type=checkbox], [role=checkbox], [role=switch]') ?? el;
  const on = b => 'checked' in b ? b.checked : b.getAttribute('aria-checked') === 'true';"""
_IS_ON = f"el => {{ {_BOX} return on(box(el)) }}"
_RADIO_IS_ON = "el => 'checked' in el ? el.checked : el.getAttribute('aria-checked') === 'true'"
# what to click: the box where a click reaches it, its label where the box is hidden or drawn over by it
_TARGET = f"""{_BOX} const target = el => {{
    const b = box(el), label = b.labels?.[0] ?? b.closest('label');
    if (!label) return b;
    b.scrollIntoViewIfNeeded();
    const {{x, y, width, height}} = b.getBoundingClientRect();
    const hit = width && height && b.getRootNode().elementFromPoint(x + width / 2, y + height / 2);
    const foreign = hit && !label.contains(hit) && !hit.contains(b);
    return hit === b || foreign ? b : label;
  }};"""
_STATE = f"el => {{ {_TARGET} return {{on: on(box(el)), direct: target(el) === el}} }}"
_WHAT_TO_CLICK = f"el => {{ {_TARGET} return target(el) }}"
_GROUP = """const same = el => {
    if (!el.matches('input[type=radio], [role=radio]')) {
      const inner = el.control ?? el; if (inner !== el) return same(inner);
      const radios = 'input[type=radio], [role=radio]', held = [...el.querySelectorAll(radios)];
      // a web component's group holds its buttons in a slot
      const slots = [...el.querySelectorAll("slot")];
      const slotted = slots.flatMap(slot => slot.assignedElements({flatten: true}));
      return held.length ? held : slotted.filter(one => one.matches(radios));
    }
    if (el.matches('[role=radio]:not(input)')) {
      const group = el.closest('[role=radiogroup]') ?? el.parentElement;
      return [...group.querySelectorAll('[role=radio]')];
    }
    const root = el.form ?? el.getRootNode();
    if (!el.name) return [el];
    const all = [...root.querySelectorAll('input[type=radio]')];
    return all.filter(r => r.name === el.name && r.form === el.form);
  };
  const words = t => (t ?? '').replace(/\\s+/g, ' ').trim();
  const label = r => words(r.getAttribute('aria-label') || r.labels?.[0]?.innerText || r.innerText);
  const value = r => r.value ?? r.getAttribute('data-value') ?? '';"""
_CHOICES = f"el => {{ {_GROUP} return same(el).map(r => ({{label: label(r), value: value(r)}})) }}"
_CHOICE_AT = f"(el, at) => {{ {_GROUP} return same(el)[at] }}"


async def set_checkbox(
    ctx: RunContext, element: Element, wanted: bool, again: Callable[[], Awaitable[Element]]
) -> None:
    """Tick or untick; one already right is left alone. `again` finds the box anew after the click."""
    state = await ask(element, _STATE)
    if state["on"] == wanted:
        return
    if state["direct"]:
        await element.click(timeout=time_left_ms(ctx))
    else:
        await _click(ctx, await element.evaluate_handle(_WHAT_TO_CLICK, timeout=time_left_ms(ctx)))
    if not await _comes_true(lambda: _is_on(again, wanted)):
        raise BlockFailed(
            f"The checkbox did not become {'checked' if wanted else 'unchecked'} after it was clicked",
            Diagnosis(
                cause="the page takes the click back",
                advice="Look whether another field must be filled first.",
            ),
        )


async def set_radio(ctx: RunContext, element: Element, wanted: str) -> None:
    """Choose the radio button with that value or label in the group of `element`."""
    choices = await ask(element, _CHOICES)
    at = _position(choices, wanted)
    if at is None:
        offered = (
            ", ".join(f"`{choice['label'] or choice['value']}`" for choice in choices) or "no radio buttons"
        )
        raise BlockFailed(f"No radio button has the value or label `{wanted}`; there are: {offered}")
    handle = (await element.evaluate_handle(_CHOICE_AT, at, timeout=time_left_ms(ctx))).as_element()
    if handle is None:
        raise BlockFailed(f"The radio button `{wanted}` went away before it could be chosen")
    if not await handle.evaluate(_RADIO_IS_ON):
        await _click(ctx, await handle.evaluate_handle(_WHAT_TO_CLICK))
        if not await _comes_true(lambda: handle.evaluate(_RADIO_IS_ON)):
            raise BlockFailed(f"The radio button `{wanted}` did not stay chosen after it was clicked")


async def _is_on(again: Callable[[], Awaitable[Element]], wanted: bool) -> bool:
    return bool(await ask(await again(), _IS_ON)) == wanted


async def _click(ctx: RunContext, target: JSHandle) -> None:
    element = target.as_element()
    if element is None:
        raise BlockFailed("The checkbox or radio button went away before it could be clicked")
    await element.click(timeout=time_left_ms(ctx))


async def _comes_true(claim: Callable[[], Awaitable[Any]]) -> bool:
    """Give the page a moment: some redraw the box after the click."""
    end = time.monotonic() + _TAKES_EFFECT_SECONDS
    while not await claim():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.05)
    return True


def _position(choices: list[dict[str, str]], wanted: str) -> int | None:
    """By value, then by label, then by label whatever the case."""
    folded = " ".join(wanted.split())
    values = [choice["value"] for choice in choices]
    labels = [choice["label"] for choice in choices]
    lowered = [label.casefold() for label in labels]
    for names, name in ((values, wanted), (labels, folded), (lowered, folded.casefold())):
        if name in names:
            return names.index(name)
    return None
