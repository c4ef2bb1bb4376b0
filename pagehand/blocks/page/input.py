"""Fill in one field of a page: text, a password, a dropdown, a checkbox, a radio button, a date or a file.

Reach for it whenever a single field has to get a value. The field is found by the block's locator, or
without one by `key`: its label, aria-label, placeholder, name or id. Text is put in at once and checked;
only if the page does not keep it is it typed key by key. What goes into a `SensitiveTextInput` shows up
nowhere: not in events, not in pictures. Secrets of a login (`{{login.password}}`) are typed only into pages
and frames of the login's own addresses. For several fields at once use Form.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pagehand.blocks.agent_tool import AgentTarget, AgentTool
from pagehand.blocks.base import Block, LocatorUse, RecordingRule
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.page.controls.acting import DialogAnswer, acting, dialog_output
from pagehand.blocks.page.controls.field import (
    FieldData,
    before_keys,
    fill_field,
    find_field,
    name_of,
    value_problem,
)
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed
from pagehand.records import Json
from pagehand.workflow.locator import Locator
from pagehand.workflow.recorded import ActKind, RecordedAct


class Input(FieldData, Block):
    """Fill in one field."""

    type: ClassVar[str] = "Input"
    title: ClassVar[str] = "Input"
    label: ClassVar[str] = "Fill in a field"
    menu_position: ClassVar[int] = 3
    verb: ClassVar[str] = "fills in"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.filling:FILLING"
    recorded_as: ClassVar[Mapping[ActKind, RecordingRule]] = {
        "fill": RecordingRule("Fill in", lambda act: _filled(act, "TextInput")),
        "fill secret": RecordingRule(
            "Fill in", lambda act: _filled(act, "SensitiveTextInput", "{{login.password}}")
        ),
        "fill username": RecordingRule(
            "Fill in", lambda act: _filled(act, "TextInput", "{{login.username}}")
        ),
        "check": RecordingRule("Set", lambda act: _filled(act, "Checkbox")),
        "upload": RecordingRule("Upload to", lambda act: _filled(act, "File", "{{params.file}}")),
    }
    also_called: ClassVar[tuple[str, ...]] = (
        "type",
        "fill",
        "enter",
        "text",
        "textInput",
        "setText",
        "checkbox",
        "radio",
        "check",
        "upload",
        "uploadFile",
        "sendKeys",
        "keys",
        "keyboard",
        "password",
        "write",
    )
    key_hints: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("text", "content"), "did you mean `value`?"),
        **dict.fromkeys(("field", "name"), "did you mean `key`?"),
        "type": "did you mean `inputType`?",
    }
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True
    changes_by_acting: ClassVar[bool] = True
    secret_fields: ClassVar[frozenset[str]] = frozenset(("value",))
    locator_use: ClassVar[LocatorUse] = "optional"
    agent_tool: ClassVar[AgentTool | None] = AgentTool(
        "Fill in a field with text, or tick a checkbox (`true` or `false`).",
        ("value", "pressEnter"),
        required=("value",),
    )

    dialog: DialogAnswer | None = None
    """How to answer a dialog that opens meanwhile."""

    @classmethod
    def complete(cls, data: Json, locator: Json, reference: str) -> Json:
        """Every answer has a key: beside a locator it may be left out."""
        if data.get("key"):
            return data
        named = (locator.get(name) for name in ("label", "text", "placeholder", "title", "words"))
        return {"key": next(filter(None, named), reference), **data}

    @classmethod
    def what_prevents_running(cls, data: Json, locator: Locator | None) -> str | None:
        """Nothing says which field is meant, or it cannot take the value."""
        words = (data.get("key"), data.get("prompt") if data.get("mode") not in (None, "code") else None)
        if locator is None and not any(str(text or "").strip() for text in words):
            return "`data.key`: expected the field's label, or a `locator` beside it."
        problem = value_problem(data)
        return f"`data.value`: {problem}" if problem else None

    @classmethod
    def agent_data(cls, data: Json, target: AgentTarget | None) -> Json:
        """The model says what goes in; which kind of field it is, the page says."""
        if target is None:
            return data
        if target.input_type == "Radio":
            raise BlockFailed("Radio buttons are clicked: use `Mouse`.")
        return {**data, "key": target.name, "inputType": target.input_type}

    @classmethod
    def agent_presses(cls, data: Mapping[str, Any], target: AgentTarget) -> Sequence[str]:
        """Enter presses the form's button."""
        return target.submit_says if data.get("pressEnter") else ()

    async def run(self, ctx: RunContext) -> Outcome:
        """Find the field, put the value in."""
        found = await find_field(ctx, self, ctx.locator)
        name = name_of(self, ctx.locator)
        press = await before_keys(ctx, self, found)
        async with acting(ctx, f"fill in {name}", self.dialog, press) as action:
            action.is_answered = await fill_field(ctx, self, found, ctx.locator)
        details = {"inputType": self.input_type, "how": found.how, "matches": found.matches}
        outcome = Outcome(message=f"Filled in {name}", details=details)
        if self.dialog is not None:
            outcome.output = dialog_output(action, self.dialog)
        return outcome


def _filled(act: RecordedAct, input_type: str, value: str | None = None) -> Json:
    """What a field gets: what stands in it, or the reference given here."""
    enter = {"pressEnter": True} if act.presses_enter else {}
    return {"key": act.name, "inputType": input_type, "value": value or act.value, **enter}


EXAMPLES: list[Json] = [
    {
        "type": "Input",
        "data": {"key": "First name", "inputType": "TextInput", "value": "{{params.firstName}}"},
    },
    {
        "type": "Input",
        "locator": {"label": "Password"},
        "data": {
            "key": "password",
            "mode": "code",
            "inputType": "SensitiveTextInput",
            "value": "{{login.password}}",
        },
    },
    {"type": "Input", "data": {"key": "I agree", "inputType": "Checkbox", "value": "true"}},
]
