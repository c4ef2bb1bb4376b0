"""Choosing options: native selects, ARIA listboxes and comboboxes, lists drawn by the page."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from playwright.async_api import ElementHandle
from playwright.async_api import Locator as Element

from pagehand.blocks.base import RunContext
from pagehand.blocks.page.acting import ask, time_left_ms
from pagehand.errors import BlockFailed, Diagnosis
from pagehand.workflow.locator import Locator

MatchBy = Literal["text", "value", "index", "closest"]

_LATE_OPTIONS_SECONDS = 5.0
_DRAWN_OPTIONS_SECONDS = 2.0
_CLOSE_ENOUGH = 0.6
_SHOWN_OPTIONS = 30
_WORDS = "const words = t => (t ?? '').replace(/\\s+/g, ' ').trim();"
_NATIVE = f"""el => {{ {_WORDS} const s = el.control ?? el;
  if (!(s instanceof HTMLSelectElement)) return null;
  const off = o => o.disabled || !!o.closest('optgroup')?.disabled;
  const option = o => ({{text: words(o.label || o.text), value: o.value, off: off(o)}});
  return {{multiple: s.multiple, options: [...s.options].map(option)}} }}"""
_LIST = """const shown = e => e.checkVisibility({visibilityProperty: true}) && e.getClientRects().length > 0;
  const list = el => {
    const box = el.matches('[role=combobox], [aria-controls], [aria-owns]') ? el
      : el.querySelector('[role=combobox], [aria-haspopup=listbox]') ?? el;
    const id = box.getAttribute('aria-controls') || box.getAttribute('aria-owns');
    const own = id && el.getRootNode().getElementById?.(id.split(' ')[0]);
    if (own) return own;
    if (el.querySelector('[role=option]')) return el;
    return [...document.querySelectorAll('[role=listbox]')].filter(shown).at(-1) ?? null;
  };
  const options = el => [...(list(el)?.querySelectorAll('[role=option]') ?? [])].filter(shown);"""
_DRAWN = f"""el => {{ {_WORDS} {_LIST}
  return options(el).map(o => ({{text: words(o.getAttribute('aria-label') || o.innerText),
    value: o.getAttribute('data-value') ?? o.getAttribute('value') ?? '',
    off: o.getAttribute('aria-disabled') === 'true', on: o.getAttribute('aria-selected') === 'true'}})) }}"""
_DRAWN_AT = f"(el, at) => {{ {_LIST} return options(el)[at] }}"
_SCROLL = f"""el => {{ {_LIST} let box = list(el);
  while (box && box.scrollHeight <= box.clientHeight + 1) box = box.parentElement;
  if (!box || box === document.documentElement || box === document.body) return false;
  const before = box.scrollTop;
  box.scrollTop += Math.max(box.clientHeight - 10, 20);
  return box.scrollTop !== before }}"""
_TYPES_INTO = "el => el.matches('input:not([readonly]), textarea')"


@dataclass(frozen=True, slots=True)
class Choice:
    """What to choose and how to tell the option."""

    wanted: Sequence[str]
    match_by: MatchBy = "text"


async def choose(ctx: RunContext, element: Element, choice: Choice) -> list[str]:
    """Choose in whatever `element` is; the texts of the chosen options."""
    native = await ask(element, _NATIVE)
    if native is not None:
        return await _choose_native(ctx, element, choice, native)
    return [await _choose_drawn(ctx, element, one, choice.match_by) for one in choice.wanted]


async def _choose_native(
    ctx: RunContext, element: Element, choice: Choice, native: dict[str, Any]
) -> list[str]:
    if len(choice.wanted) > 1 and not native["multiple"]:
        raise BlockFailed(f"This dropdown takes one option, not {len(choice.wanted)}; give a single `value`")
    end = time.monotonic() + min(ctx.remaining_seconds, _LATE_OPTIONS_SECONDS)
    while True:
        places = [_place(native["options"], one, choice.match_by) for one in choice.wanted]
        chosen = [place for place in places if place is not None]
        if len(chosen) == len(places):
            break
        if time.monotonic() > end:
            raise _no_such_option(choice.wanted[places.index(None)], native["options"])
        await asyncio.sleep(0.1)  # options often follow another field's choice
        native = await ask(element, _NATIVE) or native
    for place in chosen:
        if native["options"][place]["off"]:
            raise BlockFailed(f"The option `{native['options'][place]['text']}` is disabled")
    await element.select_option(index=chosen, timeout=time_left_ms(ctx))
    return [native["options"][place]["text"] for place in chosen]


async def _choose_drawn(ctx: RunContext, element: Element, wanted: str, match_by: MatchBy) -> str:
    """Open the list, scroll it or type into it until the option is there, click the option."""
    options = await ask(element, _DRAWN)
    if not options:
        await element.click(timeout=time_left_ms(ctx))
    place, options = await _look_through(ctx, element, wanted, match_by)
    if place is None and await ask(element, _TYPES_INTO):
        await element.fill(wanted, timeout=time_left_ms(ctx))
        place, options = await _look_through(ctx, element, wanted, match_by)
    if place is None:
        return await _choose_by_text(ctx, wanted, options)
    if options[place]["off"]:
        raise BlockFailed(f"The option `{options[place]['text']}` is disabled")
    if not options[place]["on"]:  # clicking a chosen one would take it back where several may be chosen
        handle = (await element.evaluate_handle(_DRAWN_AT, place, timeout=time_left_ms(ctx))).as_element()
        await _click(ctx, handle, wanted)
    return options[place]["text"]


async def _look_through(
    ctx: RunContext, element: Element, wanted: str, match_by: MatchBy
) -> tuple[int | None, list[dict[str, Any]]]:
    """Where the option is among those shown now; scrolls lists that draw only what is in view."""
    seen: list[dict[str, Any]] = []
    end = time.monotonic() + min(ctx.remaining_seconds, _DRAWN_OPTIONS_SECONDS)
    while True:
        options = await ask(element, _DRAWN)
        place = _place(options, wanted, match_by)
        if place is not None:
            return place, options
        seen += [option for option in options if option not in seen]
        scrolled = bool(options) and await ask(element, _SCROLL)
        if scrolled:
            end = time.monotonic() + min(ctx.remaining_seconds, _DRAWN_OPTIONS_SECONDS)
        elif time.monotonic() > end:
            return None, seen
        await asyncio.sleep(0.05)


async def _choose_by_text(ctx: RunContext, wanted: str, options: list[dict[str, Any]]) -> str:
    """Lists without roles: the last visible element with the very text, drawn when the list opened."""
    if options:
        raise _no_such_option(wanted, options)
    for element in reversed(await ctx.page.find_all(Locator(text=wanted))):
        if await element.is_visible():
            await element.click(timeout=time_left_ms(ctx))
            return wanted
    raise _no_such_option(wanted, options)


async def _click(ctx: RunContext, handle: ElementHandle | None, wanted: str) -> None:
    if handle is None:
        raise BlockFailed(f"The option `{wanted}` went away before it could be clicked")
    await handle.click(timeout=time_left_ms(ctx))


def _place(options: list[dict[str, Any]], wanted: str, match_by: MatchBy) -> int | None:
    """Position of the wanted option; by text means the text, whatever its case, and then the value."""
    folded = " ".join(wanted.split())
    if match_by == "index":
        return int(folded) if folded.isdigit() and int(folded) < len(options) else None
    texts, values = [option["text"] for option in options], [option["value"] for option in options]
    if match_by == "value":
        return values.index(wanted) if wanted in values else None
    lowered = [text.casefold() for text in texts]
    for names, name in ((texts, folded), (lowered, folded.casefold()), (values, wanted)):
        if name in names:
            return names.index(name)
    return _closest(lowered, folded.casefold()) if match_by == "closest" else None


def _closest(texts: list[str], wanted: str) -> int | None:
    """The most similar text; nothing when none is near, or when two are equally near."""
    likeness = [
        max(SequenceMatcher(None, wanted, text).ratio(), float(bool(wanted) and wanted in text))
        for text in texts
    ]
    best = max(likeness, default=0.0)
    return likeness.index(best) if best >= _CLOSE_ENOUGH and likeness.count(best) == 1 else None


def _no_such_option(wanted: str, options: list[dict[str, Any]]) -> BlockFailed:
    names = [f"`{option['text'] or option['value']}`" for option in options]
    more = f" and {len(names) - _SHOWN_OPTIONS} more" if len(names) > _SHOWN_OPTIONS else ""
    offered = ", ".join(names[:_SHOWN_OPTIONS]) + more if names else "none"
    return BlockFailed(
        f"There is no option `{wanted}`; the options are: {offered}",
        Diagnosis(
            expected=f"an option `{wanted}`",
            found=f"the options {offered}",
            advice='Use one of the options, or `matchBy: "closest"`.',
        ),
    )
