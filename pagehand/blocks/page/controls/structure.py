"""Reading what a schema asks for by the structure of the page, away from the event loop; what was missing."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, JSHandle
from playwright.async_api import Locator as Element

from pagehand.blocks.conversion import Schema, check
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.page.controls.acting import time_left_ms
from pagehand.blocks.page.controls.reading import read_long_text
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed, NotPresent
from pagehand.page.extraction import (
    SCRIPT,
    Plan,
    Snapshot,
    apply_plan,
    make_plan,
    read_snapshot,
    records_named,
)
from pagehand.records import is_array, is_object
from pagehand.workflow.refusals import listed

_PAUSE_SECONDS = 0.2
_Read = tuple[Plan, Any]
_FRAME_SECONDS: Final = 3.0
"""A frame that answers no script, such as one whose own script is forbidden, has nothing to offer."""
_READ_FRAME: Final = f"() => ({SCRIPT})(null)"


class StructureReader:
    """Looks at the page until it has what is asked for."""

    def __init__(self, ctx: RunContext, schema: Schema, prompt: str, known: Plan | None) -> None:
        """`known` is the plan of an earlier run."""
        self._ctx, self._schema, self._prompt = ctx, schema, prompt
        # the prompt of this run may name another record
        self._known = None if records_named(schema, prompt) else known

    async def read(self, scope: Element | None, gives_up: Callable[[], bool]) -> _Read:
        """The plan and the data; `BlockFailed` says what could not be found, or does not fit the schema."""
        while True:
            try:
                plan, value = await self._look(scope)
                await asyncio.to_thread(check, value, self._schema, "What was read")
            except BlockFailed:
                if gives_up():
                    raise
            else:
                if value not in (None, [], {}) or gives_up():
                    return plan, value
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _look(self, scope: Element | None) -> _Read:
        """By the first frame that has it all; the page's own refusal when none does."""
        refused: list[NotPresent] = []
        async for snapshot in snapshots(self._ctx, scope):
            try:
                return await asyncio.to_thread(self._from, snapshot)
            except NotPresent as refusal:
                refused.append(refusal)
        raise refused[0]

    def _from(self, snapshot: Snapshot) -> _Read:
        if self._known is not None and (value := self._by_known(self._known, snapshot)):
            return self._known, value
        plan = make_plan(snapshot, self._schema, self._prompt)
        return plan, apply_plan(plan, snapshot)

    def _by_known(self, known: Plan, snapshot: Snapshot) -> Any:
        """What the plan of an earlier run finds; None when it does not fit any more."""
        try:
            value = apply_plan(known, snapshot)
            check(value, self._schema, "What was read")
        except BlockFailed:
            return None
        return value


async def snapshots(ctx: RunContext, scope: Element | None) -> AsyncGenerator[Snapshot]:
    """What an element shows, or the page and then each of its frames."""
    if scope is not None:
        async with ctx.page.guard("read the page"):
            yield await _snapshot(scope.evaluate_handle(SCRIPT, timeout=time_left_ms(ctx)))
        return
    main, *others = ctx.page.page.frames
    async with ctx.page.guard("read the page"):
        yield await _snapshot(main.evaluate_handle(_READ_FRAME))
    for found in await asyncio.gather(*(_of_frame(frame) for frame in others)):
        if found is not None:
            yield found


async def _of_frame(frame: Frame) -> Snapshot | None:
    """None for a frame that went away, is loading or does not answer: the next look may see it."""
    try:
        async with asyncio.timeout(_FRAME_SECONDS):
            return await _snapshot(frame.evaluate_handle(_READ_FRAME))
    except (PlaywrightError, TimeoutError):
        return None


async def _snapshot(reading: Awaitable[JSHandle]) -> Snapshot:
    # parsing a long page is slow: other runs go on meanwhile
    return await asyncio.to_thread(read_snapshot, await read_long_text(await reading))


_NOTHING: Final[tuple[Any, ...]] = (None, [])


def reading_outcome(
    value: Any, names: Iterable[str], how: str = "", details: Mapping[str, Any] | None = None
) -> Outcome:
    """The outcome of a reading that says what it did not find."""
    rows = value if is_array(value) else None
    given: list[Any] = rows if rows is not None else [value]
    records = [item for item in given if is_object(item)]
    missing = _missing(records, names)
    counted = {name: count for name, count in missing.items() if count}
    report = {**(details or {}), **({"missing": counted} if counted else {})}
    if rows is not None:
        report["rows"] = len(rows)
        remark = _about_rows(len(rows), missing)
        return Outcome(
            value, f"Read {len(rows)} row{'' if len(rows) == 1 else 's'}{how}{_added(remark)}", report, remark
        )
    if not records and value is not None:
        return Outcome(value, f"Read one value{how}", report)
    found = [name for name, count in missing.items() if not count]
    report["fields"] = len(found)
    amount = listed(found) if found and not how else "one record" if found else "nothing"
    remark = _about_record([name for name, count in missing.items() if count])
    return Outcome(value, f"Read {amount}{how}{_added(remark)}", report, remark)


def _missing(records: Sequence[Mapping[str, Any]], names: Iterable[str]) -> dict[str, int]:
    """For each name the number of records without it."""
    return {name: sum(record.get(name) in _NOTHING for record in records) for name in names}


def _about_rows(count: int, missing: Mapping[str, int]) -> str:
    if not count:
        return "There were no rows"
    absent = [name for name, without in missing.items() if without == count]
    if not absent:
        return ""
    where = "the row" if count == 1 else "every row"
    return f"{listed(absent)} {'is' if len(absent) == 1 else 'are'} missing in {where}"


def _about_record(absent: Sequence[str]) -> str:
    if not absent:
        return ""
    return f"{listed(absent)} {'was' if len(absent) == 1 else 'were'} not found on the page"


def _added(remark: str) -> str:
    return f". {remark}" if remark else ""
