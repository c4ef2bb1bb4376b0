"""Fill in a whole form, field by field, and send it if asked to.

Reach for it when a page has several fields to fill: each entry of `fields` says what an Input block
says, and names its field by a locator or by its label as `key`. With `submit` the form is sent: by
`submitLocator`, else by the form's own submit button, else with Enter. Mark it `isCommit` when sending
it twice would do harm.
"""

from typing import ClassVar, Self

from playwright.async_api import ElementHandle
from playwright.async_api import Locator as Element
from pydantic import Field, model_validator

from pagehand.blocks.base import ACT_IN_DOUBT, CommittingBlock, LocatorUse
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.page.controls.acting import DialogAnswer, acting, dialog_output, time_left_ms
from pagehand.blocks.page.controls.field import (
    FieldData,
    InputType,
    before_keys,
    fill_field,
    find_field,
    name_of,
    value_problem,
)
from pagehand.blocks.run_context import RunContext
from pagehand.browser_session import Action
from pagehand.errors import BlockFailed
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom_core
from pagehand.records import Json, is_array, is_object
from pagehand.workflow.locator import Locator
from pagehand.workflow.wire import Text

_SUBMIT_BUTTON = on_dom_core(load_script(__file__, "submit_button"))


class FormField(FieldData):
    """One field of the form."""

    key: Text = ""
    """Without a locator the field is found by this: its label, aria-label, placeholder, name or id."""
    input_type: InputType = "TextInput"
    """What kind of field it is."""
    locator: Locator | None = None
    """Which field is meant."""

    @model_validator(mode="after")
    def _names_its_field(self) -> Self:
        if not self.key and self.locator is None:
            raise ValueError("give a locator, or the field's label as key")
        return self


class Form(CommittingBlock):
    """Fill in fields and send the form."""

    type: ClassVar[str] = "Form"
    title: ClassVar[str] = "Form Block"
    label: ClassVar[str] = "Fill in a form"
    menu_position: ClassVar[int] = 6
    sentences: ClassVar[str] = "pagehand.instructions.grammar.signing_in:SIGN_IN_FORM"
    also_called: ClassVar[tuple[str, ...]] = ("fillForm", "fields", "forms", "submitForm")
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True
    changes_by_acting: ClassVar[bool] = True
    secret_fields: ClassVar[frozenset[str]] = frozenset(("fields",))
    locator_use: ClassVar[LocatorUse] = "optional"

    fields: list[FormField]
    """The fields, filled in this order."""
    submit: bool = False
    """Send the form afterwards."""
    submit_locator: Locator | None = None
    """What to click to send it; giving it sends the form."""
    dialog: DialogAnswer | None = Field(default=None)
    """How to answer a dialog that opens meanwhile."""

    @classmethod
    def what_prevents_running(cls, data: Json, locator: Locator | None) -> str | None:
        """Nothing says which form to send, or a field cannot take its value."""
        fields, is_sent = data["fields"], data.get("submit") is True
        if is_sent and not fields and locator is None and data.get("submitLocator") is None:
            return "`data.submitLocator` is missing: give it, a `locator` of the form, or `data.fields`."
        for position, field in enumerate(fields if is_array(fields) else ()):
            if is_object(field) and (problem := value_problem(field)):
                return f"`data.fields[{position}].value`: {problem}"
        return None

    async def run(self, ctx: RunContext) -> Outcome:
        """Fill in each field in turn, then send."""
        last: Element | None = None
        for field in self.fields:
            found = await find_field(ctx, field, field.locator)
            doing, press = f"fill in {name_of(field, field.locator)}", await before_keys(ctx, field, found)
            async with acting(ctx, doing, self.dialog, press) as action:
                action.is_answered = await fill_field(ctx, field, found, field.locator)
            last = found.element
        outcome = Outcome(
            message=f"Filled in {len(self.fields)} fields", details={"fields": len(self.fields)}
        )
        if self.submit or self.submit_locator is not None:
            try:
                action = await self._send(ctx, last)
            except ACT_IN_DOUBT as error:
                return await self.settle_doubt(ctx, error)
            outcome.message += " and sent the form"
            if self.dialog is not None:
                outcome.output = dialog_output(action, self.dialog)
        return outcome

    async def _send(self, ctx: RunContext, last: Element | None) -> Action:
        button = await self._button(ctx, last)
        pressed = button or last
        if pressed is None:
            raise BlockFailed("The form has no submit button; give `submitLocator`")
        press = await ctx.page.before_press(pressed, by_enter=button is None)
        async with acting(ctx, "send the form", self.dialog, press) as action:
            if button is not None:
                await button.click(timeout=time_left_ms(ctx))
            else:
                await pressed.press("Enter", timeout=time_left_ms(ctx))
        return action

    async def _button(self, ctx: RunContext, last: Element | None) -> Element | ElementHandle | None:
        """What to click; None when the form has no submit button and Enter has to send it."""
        if self.submit_locator is not None:
            return (await ctx.find("act", self.submit_locator)).element
        start = (await ctx.find("touch")).element if ctx.locator is not None else last
        if start is None:
            raise BlockFailed("Nothing says which form to send: give a locator, `submitLocator` or fields")
        async with ctx.page.guard("find the form's submit button"):
            handle = await start.evaluate_handle(_SUBMIT_BUTTON, timeout=time_left_ms(ctx))
        return handle.as_element()


EXAMPLES: list[Json] = [
    {
        "type": "Form",
        "data": {
            "fields": [
                {"key": "First name", "value": "{{params.firstName}}"},
                {"key": "Colour", "inputType": "NativeDropdown", "value": "Blue"},
                {"locator": {"css": "#terms"}, "inputType": "Checkbox", "value": "true"},
            ],
            "submit": True,
            "isCommit": True,
        },
    }
]
