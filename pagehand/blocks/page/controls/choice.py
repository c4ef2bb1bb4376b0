"""Choosing options: in native selects, in lists drawn by the page, and in widgets over a hidden select."""

import asyncio
import time
from typing import Final

from msgspec import Struct
from msgspec.json import decode
from playwright.async_api import Locator as Element

from pagehand.blocks.page.controls.acting import evaluate_on, time_left_ms
from pagehand.blocks.page.controls.listbox import Listbox
from pagehand.blocks.page.controls.options import Choice, Option, demand_enabled, find_place, no_such_option
from pagehand.blocks.page.controls.replacement_widget import ReplacementWidget
from pagehand.blocks.run_context import RunContext
from pagehand.browser_session import FoundElement
from pagehand.errors import BlockFailed, Diagnosis
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom_core

_LATE_OPTIONS_SECONDS: Final = 5.0
_TAKES_EFFECT_SECONDS: Final = 1.0
_NATIVE: Final = on_dom_core(load_script(__file__, "native_select"))
_TYPES_INTO: Final = "el => el.matches('input:not([readonly])')"


class _NativeSelect(Struct):
    """What `native_select.js` answers."""

    multiple: bool
    options: list[Option]


async def choose(ctx: RunContext, found: FoundElement, choice: Choice) -> list[str]:
    """Choose in whatever was found; the texts of the chosen options, read back where the page shows them."""
    if isinstance(found, ReplacementWidget):
        return await _choose_over_native(ctx, found, choice)
    native = await _native(found.element)
    if native is not None:
        return await _choose_native(ctx, found.element, choice, native)
    listbox = Listbox(ctx, found.element)
    # with one option wanted, an option that is on is clicked all the same: some lists close only then
    several = len(choice.wanted) > 1
    before = await listbox.text()
    chosen = [await listbox.choose(option, choice.match_by, several=several) for option in choice.wanted]
    if await evaluate_on(found.element, _TYPES_INTO):
        await _demand_shown(listbox, chosen, before)
    return chosen


async def _native(element: Element) -> _NativeSelect | None:
    """A select and its options; None for other elements."""
    options = await evaluate_on(
        element, _NATIVE
    )  # as one text: Playwright takes seconds over thousands of objects
    return None if options is None else decode(options, type=_NativeSelect)


async def _choose_native(
    ctx: RunContext, element: Element, choice: Choice, native: _NativeSelect
) -> list[str]:
    if len(choice.wanted) > 1 and not native.multiple:
        raise _takes_one(choice)
    end = time.monotonic() + min(ctx.remaining_seconds, _LATE_OPTIONS_SECONDS)
    while True:
        places = [await find_place(native.options, option, choice.match_by) for option in choice.wanted]
        chosen = [place for place in places if place is not None]
        if len(chosen) == len(places):
            break
        if time.monotonic() > end:
            raise no_such_option(choice.wanted[places.index(None)], native.options)
        await asyncio.sleep(0.1)  # options often follow another field's choice
        native = await _native(element) or native
    for place in chosen:
        demand_enabled(native.options[place])
    await element.select_option(index=chosen, timeout=time_left_ms(ctx))
    return [native.options[place].text for place in chosen]


async def _choose_over_native(ctx: RunContext, found: ReplacementWidget, choice: Choice) -> list[str]:
    """Choose in the widget; the hidden select says which option is meant and whether it was taken."""
    native = await _native(found.field)
    if native is None:
        return await choose(ctx, FoundElement(found.element, found.matches, found.how), choice)
    if len(choice.wanted) > 1 and not native.multiple:
        raise _takes_one(choice)
    listbox = Listbox(ctx, found.element)
    chosen: list[str] = []
    for option in choice.wanted:
        place = await find_place(native.options, option, choice.match_by)
        meant = None if place is None else native.options[place]
        if meant is not None and meant.on and native.multiple:
            chosen.append(meant.text)  # widgets offer a chosen one no more, or would take it back
        elif meant is not None and meant.text:
            chosen.append(await listbox.choose(meant.text, "text"))
        else:  # not every widget tells its select of all options
            chosen.append(await listbox.choose(option, choice.match_by, several=native.multiple))
    await _demand_selected(found.field, chosen)
    return chosen


async def _demand_selected(field: Element, chosen: list[str]) -> None:
    end = time.monotonic() + _TAKES_EFFECT_SECONDS
    while True:
        native = await _native(field)
        selected = [option.text for option in native.options if option.on] if native else chosen
        if set(chosen) <= set(selected):
            return
        if time.monotonic() > end:
            raise _not_taken(chosen, ", ".join(selected))
        await asyncio.sleep(0.05)


async def _demand_shown(listbox: Listbox, chosen: list[str], before: str) -> None:
    """A field that was typed into shows the choice, or at least something else than before."""
    end = time.monotonic() + _TAKES_EFFECT_SECONDS
    while True:
        shown = await listbox.text()
        if all(text.casefold() in shown.casefold() for text in chosen):
            return
        if time.monotonic() > end:
            # many widgets show something else for a choice, such as a code; unchanged means not taken
            if shown == before:
                raise _not_taken(chosen, shown)
            return
        await asyncio.sleep(0.05)


def _not_taken(chosen: list[str], shown: str) -> BlockFailed:
    wanted = ", ".join(f"`{text}`" for text in chosen)
    return BlockFailed(
        f"The dropdown did not take {wanted}: it shows `{shown}`",
        Diagnosis(
            expected=f"{wanted} to be chosen",
            found=f"`{shown}`",
            cause="the page takes the choice back or allows fewer options",
        ),
    )


def _takes_one(choice: Choice) -> BlockFailed:
    return BlockFailed(f"This dropdown takes one option, not {len(choice.wanted)}; give a single `value`")
