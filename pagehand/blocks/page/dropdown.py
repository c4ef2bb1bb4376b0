"""Choose one or several options of a dropdown.

Reach for it with native selects, also those hidden behind a widget, with ARIA listboxes and comboboxes,
fields that offer completions as one types, and lists drawn by the page: they are opened, scrolled and
typed into until the option is there. Options are named by their text; `matchBy` takes the value, the
position (from 0) or the closest text instead; a number stands for its text. An option that is not there
fails the block, and the failure lists the options there are. Where the page draws the list itself, `values`
are added to those chosen already.
"""

from collections.abc import Mapping
from typing import ClassVar, Self

from pydantic import Field, model_validator

from pagehand.blocks.agent_tool import AgentTool
from pagehand.blocks.base import Block, LocatorUse, RecordingRule
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.page.controls.acting import DialogAnswer, acting, dialog_output
from pagehand.blocks.page.controls.choice import choose
from pagehand.blocks.page.controls.options import Choice, MatchBy
from pagehand.blocks.page.controls.replacement_widget import find_control
from pagehand.blocks.run_context import RunContext
from pagehand.records import Json
from pagehand.workflow.recorded import ActKind
from pagehand.workflow.wire import TextOrNumber


class Dropdown(Block):
    """Choose options."""

    type: ClassVar[str] = "Dropdown"
    title: ClassVar[str] = "Dropdown"
    label: ClassVar[str] = "Choose from a list"
    menu_position: ClassVar[int] = 4
    sentences: ClassVar[str] = "pagehand.instructions.grammar.filling:CHOOSING_SEVERAL"
    verb: ClassVar[str] = "chooses in"
    also_called: ClassVar[tuple[str, ...]] = (
        "select",
        "choose",
        "option",
        "combobox",
        "selectOption",
        "pick",
    )
    key_hints: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("option", "text", "label"), "did you mean `value`?"),
        "options": "did you mean `values`?",
    }
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True
    changes_by_acting: ClassVar[bool] = True
    locator_use: ClassVar[LocatorUse] = "required"
    recorded_as: ClassVar[Mapping[ActKind, RecordingRule]] = {
        "choose": RecordingRule("Choose", lambda act: {"value": act.value})
    }
    agent_tool: ClassVar[AgentTool | None] = AgentTool(
        "Choose an option of a list by its text.", ("value",), required=("value",)
    )

    value: TextOrNumber | None = None
    """The option to choose."""
    values: list[TextOrNumber] | None = Field(default=None, min_length=1)
    """The options to choose where several may be."""
    match_by: MatchBy = "text"
    """How the option is named."""
    dialog: DialogAnswer | None = None
    """How to answer a dialog that opens meanwhile."""

    @model_validator(mode="after")
    def _chooses_something(self) -> Self:
        if (self.value is None) == (self.values is None):
            raise ValueError("give either value or values")
        return self

    async def run(self, ctx: RunContext) -> Outcome:
        """Find the dropdown, choose."""
        found = await find_control(ctx.find)
        wanted = self.values if self.values is not None else [self.value or ""]
        async with acting(ctx, f"choose in {ctx.locator}", self.dialog) as action:
            chosen = await choose(ctx, found, Choice(wanted, self.match_by))
        outcome = Outcome(
            message=f"Chose {', '.join(f'`{text}`' for text in chosen)}", details={"chosen": chosen}
        )
        if self.dialog is not None:
            outcome.output = dialog_output(action, self.dialog)
        return outcome


EXAMPLES: list[Json] = [
    {"type": "Dropdown", "locator": {"label": "Colour"}, "data": {"value": "Blue"}},
    {"type": "Dropdown", "locator": {"label": "Sizes"}, "data": {"values": ["s", "l"], "matchBy": "value"}},
]
