"""Put a date into a field, whatever the field is: native, text with or without a mask, or a calendar.

Reach for it whenever a page asks for a date. `value` is an ISO date or a phrase that counts from now
(UTC): `tomorrow`, `next Friday`, `in 3 days`, `2 weeks ago`, `last day of month`. Text fields get the
date in `format`, or in the style their placeholder, pattern, present value or language shows;
read-only fields and those that do not say how they want it are filled through their calendar. What the
field shows afterwards is read back, and another date is a failure.
"""

from typing import ClassVar

from pydantic import Field

from pagehand.blocks.agent_tool import AgentTool
from pagehand.blocks.base import Block, LocatorUse
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.page.controls.acting import DialogAnswer, acting, dialog_output
from pagehand.blocks.page.controls.date_entry import enter_date
from pagehand.blocks.page.controls.replacement_widget import find_control
from pagehand.blocks.run_context import RunContext
from pagehand.records import Json
from pagehand.workflow.wire import Text


class DateInput(Block):
    """Put a date into a field."""

    type: ClassVar[str] = "DateInput"
    title: ClassVar[str] = "Date Input"
    label: ClassVar[str] = "Enter a date"
    menu_position: ClassVar[int] = 5
    verb: ClassVar[str] = "fills in"
    also_called: ClassVar[tuple[str, ...]] = ("date", "datePicker", "setDate", "calendar")
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True
    changes_by_acting: ClassVar[bool] = True
    locator_use: ClassVar[LocatorUse] = "required"
    agent_tool: ClassVar[AgentTool | None] = AgentTool(
        "Enter a date, as YYYY-MM-DD.", ("value",), required=("value",)
    )

    value: Text = Field(min_length=1)
    """The date: ISO (2026-01-31, 2026-01-31T14:30) or a phrase such as `next Friday` or `in 3 days`."""
    format: Text | None = None
    """How a text field wants it, in YYYY MM DD tokens (HH, mm for a time); guessed when not given."""
    dialog: DialogAnswer | None = None
    """How to answer a dialog that opens meanwhile."""

    async def run(self, ctx: RunContext) -> Outcome:
        """Find the field, put the date in, say what the field shows."""
        found = await find_control(ctx.find)
        async with acting(ctx, f"put a date into {ctx.locator}", self.dialog) as action:
            shown = await enter_date(ctx, found.element, self.value, str(ctx.locator), self.format)
        outcome = Outcome(message=f"Put in the date: the field shows `{shown}`", details={"shows": shown})
        if self.dialog is not None:
            outcome.output = dialog_output(action, self.dialog)
        return outcome


EXAMPLES: list[Json] = [
    {"type": "DateInput", "locator": {"label": "Arrival"}, "data": {"value": "next Friday"}},
    {
        "type": "DateInput",
        "locator": {"label": "Date of birth"},
        "data": {"value": "{{params.born}}", "format": "DD.MM.YYYY"},
    },
]
