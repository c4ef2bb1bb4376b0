"""Lists that pages draw themselves: opened, scrolled or typed into until the option is there, clicked."""

import asyncio
import time
from typing import Any, Final

from msgspec.json import decode
from playwright.async_api import ElementHandle
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator as Element

from pagehand.blocks.page.controls.acting import evaluate_on, time_left_ms
from pagehand.blocks.page.controls.options import (
    MatchBy,
    Option,
    demand_enabled,
    find_place,
    no_such_option,
    place_of,
)
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed, Diagnosis
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom_core
from pagehand.workflow.locator import Locator

_PATIENCE_SECONDS: Final = 2.0
_BEFORE_TYPING_SECONDS: Final = 0.4
_REMOTE_SECONDS: Final = 3.0
_CLICKS: Final = 3
_GONE: Final = ("not attached", "detached", "not connected")

_SCRIPT: Final = on_dom_core(load_script(__file__, "listbox"))
_OPTIONS: Final = f"el => ({_SCRIPT})(el).described()"
_OPTION_NOW: Final = f"(el, option) => ({_SCRIPT})(el).optionNow(option)"
_SCROLL: Final = f"(el, toTop) => ({_SCRIPT})(el).scroll(toTop)"
_SEARCH_FIELD: Final = f"el => ({_SCRIPT})(el).searchField()"
_TRIGGER: Final = f"el => ({_SCRIPT})(el).trigger()"
_STATE: Final = f"el => ({_SCRIPT})(el).expanded()"
_PLAIN_FIELD: Final = load_script(__file__, "plain_field")
_TEXT: Final = f"el => ({_SCRIPT})(el).text()"


class Listbox:
    """One drawn list and what opens it."""

    def __init__(self, ctx: RunContext, element: Element) -> None:
        """`element` is the trigger, the combobox input, or the widget around them."""
        self._ctx = ctx
        self._element = element
        self._seen: list[Option] = []
        self._known: set[Option] = set()

    async def choose(self, wanted: str, match_by: MatchBy, *, several: bool = False) -> str:
        """Choose one option; its text. With `several`, one chosen already is left as it is."""
        self._seen, self._known = [], set()
        await self._open()
        found = await self._find(wanted, match_by)
        if found is None:
            return await self._choose_by_text(wanted)
        option, place = found
        demand_enabled(option)
        if not (several and option.on):  # a click would take it back
            await self._click(option, place)
        return option.text

    async def text(self) -> str:
        """All that the widget shows of itself."""
        return str(await evaluate_on(self._element, _TEXT))

    async def _open(self) -> None:
        state = await evaluate_on(self._element, _STATE)
        if state == "open" or (state != "closed" and await self._options()):
            return
        trigger = await self._handle(_TRIGGER)
        if trigger is not None:
            await trigger.click(timeout=time_left_ms(self._ctx))

    async def _find(self, wanted: str, match_by: MatchBy) -> tuple[Option, int] | None:
        """Look through the list; then type, where that filters it; then take what is closest, if asked to."""
        exact: MatchBy = "text" if match_by == "closest" else match_by
        # typing filters by what is shown, so a value or a position is never typed
        types = exact == "text" and await self._handle(_SEARCH_FIELD) is not None
        patience = _BEFORE_TYPING_SECONDS if types else _PATIENCE_SECONDS
        found = await self._look_through(wanted, exact, patience)
        if found is None and types and await self._type(wanted):
            found = await self._look_through(wanted, exact, _PATIENCE_SECONDS, _REMOTE_SECONDS)
            if found is None:
                # what was typed would stay as a filter, and the list of options in the failure would be empty
                await self._type("")
        if found is None and match_by == "closest":
            near = await find_place(self._seen, wanted, "closest")
            if near is not None:
                return await self._look_through(self._seen[near].text, "text", _PATIENCE_SECONDS)
        return found

    async def _look_through(
        self, wanted: str, match_by: MatchBy, patience: float, late: float = 0
    ) -> tuple[Option, int] | None:
        """The option and its place among those drawn now; scrolls lists that draw only what is in view.

        An empty list is given `late` seconds more: options that come over the network take a while.
        """
        end = time.monotonic() + patience
        at_top = False
        while True:
            options = await self._options()
            if options and not at_top and match_by == "index":  # positions count from the very first
                at_top = True
                await evaluate_on(self._element, _SCROLL, True)
                continue
            self._note(options)
            if (place := self._place(options, wanted, match_by)) is not None:
                return options[place], place
            if options and (await evaluate_on(self._element, _SCROLL, not at_top) or not at_top):
                at_top = True
                end = time.monotonic() + patience
            elif time.monotonic() > (end if options else end + late):
                return None
            else:
                await asyncio.sleep(0.03)

    def _note(self, options: list[Option]) -> None:
        """Remember those that were not drawn before."""
        for option in options:
            known = len(self._known)
            self._known.add(option)
            if len(self._known) > known:
                self._seen.append(option)

    def _place(self, options: list[Option], wanted: str, match_by: MatchBy) -> int | None:
        if match_by != "index":
            return place_of(options, wanted, match_by)
        overall = place_of(self._seen, wanted, "index")
        if overall is None or self._seen[overall] not in options:
            return None
        return options.index(self._seen[overall])

    async def _type(self, text: str) -> bool:
        """Type into the list's search field as a person does; False when it has none."""
        field = await self._handle(_SEARCH_FIELD)
        if field is None:
            return False
        await field.fill("", timeout=time_left_ms(self._ctx))
        await self._ctx.page.page.keyboard.type(text)
        return True

    async def _click(self, option: Option, place: int) -> None:
        """Click the option; lists that redraw themselves meanwhile are looked at again."""
        for attempt in range(1, _CLICKS + 1):
            handle = await self._still_there(option, place)
            if handle is None:
                break
            try:
                return await handle.click(timeout=time_left_ms(self._ctx))
            except PlaywrightError as error:
                if attempt == _CLICKS or not any(sign in error.message for sign in _GONE):
                    raise
        raise BlockFailed(f"The option `{option.text}` went away before it could be clicked")

    async def _still_there(self, option: Option, place: int) -> ElementHandle | None:
        """The option's element; a list that is being redrawn gets time to finish."""
        meant = {"at": place, "text": option.text, "value": option.value}
        end = time.monotonic() + _PATIENCE_SECONDS
        while True:
            handle = await self._handle(_OPTION_NOW, meant)
            if handle is not None or time.monotonic() > end:
                return handle
            await asyncio.sleep(0.03)

    async def _choose_by_text(self, wanted: str) -> str:
        """Lists without roles: the last visible element with the very text, drawn when the list opened."""
        if not self._seen:
            # last first: a list that opens is drawn at the end of the document
            for element in reversed(await self._ctx.page.find_all(Locator(text=wanted))):
                if await element.is_visible():
                    await element.click(timeout=time_left_ms(self._ctx))
                    return wanted
        if not self._seen and (kind := await evaluate_on(self._element, _PLAIN_FIELD)):
            raise BlockFailed(
                f"This is a {kind}, not a dropdown: it offers no options",
                Diagnosis(
                    expected=f"a list with the option `{wanted}`",
                    found=f"a {kind}",
                    advice="Use an Input block for it, or correct the locator.",
                ),
            )
        raise no_such_option(wanted, self._seen)

    async def _options(self) -> list[Option]:
        # one text is sooner sent than very many objects
        return decode(await evaluate_on(self._element, _OPTIONS), type=list[Option])

    async def _handle(self, function: str, argument: Any = None) -> ElementHandle | None:
        handle = await self._element.evaluate_handle(function, argument, timeout=time_left_ms(self._ctx))
        return handle.as_element()
