"""One field of a form: what the user says about it, how it is found, how it is filled in."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, Literal

from playwright.async_api import ElementHandle, FilePayload
from playwright.async_api import Locator as Element
from playwright.async_api import TimeoutError as PlaywrightTimeout
from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema

from pagehand.blocks.page.controls.acting import evaluate_on, time_left_ms
from pagehand.blocks.page.controls.checkbox import set_checkbox, set_radio
from pagehand.blocks.page.controls.choice import choose
from pagehand.blocks.page.controls.date_entry import enter_date
from pagehand.blocks.page.controls.model_finding import find_by_model
from pagehand.blocks.page.controls.options import Choice
from pagehand.blocks.page.controls.replacement_widget import find_control
from pagehand.blocks.page.controls.text_entry import enter_text
from pagehand.blocks.run_context import RunContext
from pagehand.browser import Press
from pagehand.browser_session import FoundElement, Purpose, addresses_of
from pagehand.errors import BlockFailed, Diagnosis, NotPresent
from pagehand.records import Json, is_array
from pagehand.workflow.locator import Locator
from pagehand.workflow.problems import shown
from pagehand.workflow.wire import RESOLVED, Text, WireModel
from pagehand.workflow.words import read_yes_no

InputType = Literal[
    "TextInput", "SensitiveTextInput", "Dropdown", "NativeDropdown", "Checkbox", "Radio", "Date", "File"
]

# dropdowns, dates and files may be buttons of the page's own
_FIELDS_ALWAYS = frozenset(("TextInput", "SensitiveTextInput", "NativeDropdown", "Checkbox", "Radio"))
_IS_FILE_INPUT = "el => (el.control ?? el).matches('input[type=file]')"
_SENDS = ("Enter", "NumpadEnter")
_KEEPING_KEYS = (*_SENDS, "Tab", "Escape")
_HAS_SECRET_MARK = "el => (el.control ?? el).getAttribute('data-pagehand-masked') === 'secret'"  # noqa: S105 - a script
_KEY_SECONDS = 1.0
_CHOOSER_MS = 10_000
_NO_CHOOSER = "Point at the `input` of type file itself; it may be hidden."
_ADVICE = (
    "Say which field in the page's own words (its label, its row or section), give a locator, "
    "or configure PAGEHAND_MODEL."
)


def _text_or_files(value: Any, info: ValidationInfo) -> Any:
    """A string as written; once templates are filled in, also what stands for files."""
    if isinstance(value, str) or (info.context is RESOLVED and isinstance(value, dict | list)):
        return value  # pyright: ignore[reportUnknownVariableType] - the user's own data
    if info.context is RESOLVED and isinstance(value, bool | int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    raise ValueError("expected a string")


Value = Annotated[Any, BeforeValidator(_text_or_files), WithJsonSchema({"type": "string"})]


class FieldData(WireModel):
    """Which field is meant, what goes into it and how."""

    key: Text = Field(default="", json_schema_extra={"x-insteadOfLocator": True})
    """Without a locator the field is found by this: its label, aria-label, placeholder, name or id."""
    input_type: InputType
    """What kind of field it is."""
    value: Value
    """What to put in: text; "true" or "false" for Checkbox; a file or files for File."""
    mode: Literal["code", "aiInference"] = "code"
    """`code` finds the field by locator or key; `aiInference` by what `prompt` or `key` says in words."""
    use_vision: bool = False
    """Let the model see a picture of the page too."""
    prompt: Text = ""
    """For aiInference: which field is meant, such as "Street in the billing address section"."""
    clear_first: bool = True
    """Replace what stands in the field; otherwise the value is appended."""
    press_enter: bool = False
    """Press Enter afterwards."""
    press_keys: list[Text] = Field(default_factory=list[str])
    """Keys to press afterwards, such as `Escape` or `Control+A`."""
    typing: Literal["insert", "keys"] = "insert"
    """`keys` types key by key at once, for pages that listen to every key."""

    @property
    def is_secret(self) -> bool:
        """True when the value must show nowhere."""
        return self.input_type == "SensitiveTextInput"


def value_problem(given: Json) -> str | None:
    """Why the value, as written, can never go into the field; None when it may."""
    value = given.get("value")
    if given.get("inputType") != "Checkbox" or not isinstance(value, str) or "{{" in value:
        return None
    if read_yes_no(value) is None:
        return f'a checkbox takes "true" or "false", got {shown(value)}.'
    return None


def name_of(data: FieldData, locator: Locator | None) -> str:
    """The field's name in messages."""
    return str(locator) if locator is not None else f"`{data.key}`"


async def find_field(ctx: RunContext, data: FieldData, locator: Locator | None) -> FoundElement:
    """The field, by its locator or else by its key."""
    if data.is_secret and data.value:
        # before anything is looked for: a failure to find the field may quote the page, and the value with it
        ctx.keep_secret(str(data.value))
    if locator is not None:
        kind = "field" if data.input_type in _FIELDS_ALWAYS else "anything"
        return await _look(data, lambda purpose: ctx.find(purpose, locator, kind=kind))
    words = data.prompt.strip() if data.mode == "aiInference" else ""
    words = words or data.key.strip()
    if not words:
        raise BlockFailed("Nothing says which field is meant: give a locator, or the field's label as `key`")
    if data.input_type == "Radio" and (group := await _radio_group(ctx, words)) is not None:
        return await ctx.find("touch", group)
    if data.mode == "aiInference":
        return await _look(data, lambda purpose: _by_words(ctx, data, words, purpose))
    return await _look(data, lambda purpose: _by_key(ctx, words, purpose))


async def _by_key(ctx: RunContext, key: str, purpose: Purpose) -> FoundElement:
    with ctx.timing("find"):
        found = await _named(ctx, key, purpose)
    ctx.note_found(found)
    return found


async def _named(ctx: RunContext, key: str, purpose: Purpose) -> FoundElement:
    """By key; every now and then by words too, which know labels that stand beside their field."""
    while True:
        try:
            return await ctx.page.find_by_key(
                key, purpose, timeout_seconds=min(ctx.remaining_seconds, _KEY_SECONDS)
            )
        except NotPresent:
            with suppress(BlockFailed):
                return await ctx.page.find(Locator(words=key), purpose, kind="field", timeout_seconds=0)
            if ctx.remaining_seconds < _KEY_SECONDS:
                raise


async def _by_words(ctx: RunContext, data: FieldData, words: str, purpose: Purpose) -> FoundElement:
    """The field the words mean; without a model they have to be the page's own."""
    # the other half is for the model to answer in
    patience = ctx.remaining_seconds / 2 if ctx.has_model else ctx.remaining_seconds
    try:
        with ctx.timing("find"):
            found = await ctx.page.find(Locator(words=words), purpose, kind="field", timeout_seconds=patience)
    except BlockFailed as refusal:
        refusal.diagnosis = replace(refusal.diagnosis, advice=_ADVICE)
        if not ctx.has_model:
            raise
        with ctx.timing("find"):
            found = await find_by_model(ctx, words, purpose, refusal, use_vision=data.use_vision)
    ctx.note_found(found)
    return found


async def _look(data: FieldData, find: Callable[[Purpose], Awaitable[FoundElement]]) -> FoundElement:
    """Boxes and file fields may be hidden; dropdowns and dates may have a widget in their place."""
    if data.input_type in ("Checkbox", "Radio", "File"):
        return await find("touch")
    if data.input_type in ("Dropdown", "Date"):
        return await find_control(find)
    return await find("act")


async def before_keys(ctx: RunContext, data: FieldData, found: FoundElement) -> Press | None:
    """The press of Enter that is to follow, if one is: it sends many a form."""
    is_sent = data.press_enter or any(key.rpartition("+")[2] in _SENDS for key in data.press_keys)
    return await ctx.page.before_press(found.element, by_enter=True) if is_sent else None


async def fill_field(ctx: RunContext, data: FieldData, found: FoundElement, locator: Locator | None) -> bool:
    """Put the value in and press the keys asked for; True when the page has answered after the last input."""
    element, name = found.element, name_of(data, locator)
    await _refuse_cutting(ctx, data, element, name)
    is_answered = False
    if data.input_type == "File":
        await _attach_files(ctx, element, data.value, name)
    elif not isinstance(data.value, str):
        raise BlockFailed(f"The value for {name} must be text; only the inputType File takes files")
    else:
        is_answered = await _enter_value(ctx, data, found, data.value, locator, name)
    for pressed in (*data.press_keys, *(["Enter"] if data.press_enter else [])):
        is_answered = False
        await element.press(pressed, timeout=time_left_ms(ctx))
    return is_answered


async def _refuse_cutting(ctx: RunContext, data: FieldData, element: Element, name: str) -> None:
    """Fail if keys could change a secret: a part of it is not recognized where it is shown."""
    if all(key in _KEEPING_KEYS for key in data.press_keys):
        return
    is_typed = isinstance(data.value, str) and ctx.holds_secret(data.value)
    may_be_there = ctx.page.secrets.may_be_held and not data.clear_first
    if is_typed or (may_be_there and await evaluate_on(element, _HAS_SECRET_MARK)):
        raise BlockFailed(
            f"{name} holds a secret of a login, and `pressKeys` could change it: "
            f"only {', '.join(f'`{key}`' for key in _KEEPING_KEYS)} can be pressed in it."
        )


async def _enter_value(
    ctx: RunContext, data: FieldData, found: FoundElement, value: str, locator: Locator | None, name: str
) -> bool:
    element = found.element
    secret_field = None
    if ctx.holds_secret(value):
        secret_field, value = await _reveal(ctx, element, value)
    match data.input_type:
        case "Dropdown" | "NativeDropdown":
            await choose(ctx, found, Choice((value,)))
        case "Checkbox":
            await set_checkbox(
                ctx, element, _as_flag(value, name), lambda: _found_again(ctx, element, locator)
            )
        case "Radio":
            await set_radio(ctx, element, value)
        case "Date":
            await enter_date(ctx, element, value, name)
        case _:
            return await _enter_text(ctx, data, secret_field or element, value, name)
    return False


async def _radio_group(ctx: RunContext, key: str) -> Locator | None:
    """A group whose own name is the key, such as a fieldset by its legend."""
    for role in ("radiogroup", "group"):
        group = Locator(role=role, text=key)
        if await ctx.page.find_all(group):
            return group
    return None


async def _found_again(ctx: RunContext, element: Element, locator: Locator | None) -> Element:
    """The box as it is after the click: pages may have drawn a new one in its place."""
    return (await ctx.find("touch", locator)).element if locator is not None else element


async def _reveal(ctx: RunContext, element: Element, value: str) -> tuple[ElementHandle, str]:
    """The value with its secrets, for a field whose document and those around it are of the login's site.

    The handle means this element alone; a locator would find another one in the page that comes next.
    """
    field = await element.element_handle(timeout=time_left_ms(ctx))
    addresses = addresses_of(await field.owner_frame())
    text = ctx.reveal(value, addresses, scripted_within=ctx.page.secrets.scripted_within)
    await ctx.page.hold_secret(field, text)
    return field, text


async def _enter_text(
    ctx: RunContext, data: FieldData, element: Element | ElementHandle, text: str, name: str
) -> bool:
    is_secret = data.is_secret or isinstance(element, ElementHandle)
    if isinstance(element, Element) and data.is_secret:
        await ctx.page.mask(element)
    by_keys = data.typing == "keys"
    return await enter_text(
        ctx, element, text, name, replace=data.clear_first, by_keys=by_keys, secret=is_secret
    )


async def _attach_files(ctx: RunContext, element: Element, value: Any, name: str) -> None:
    references = value if is_array(value) else [value]
    payloads: list[FilePayload] = []
    for reference in references:
        info = await ctx.files.find(reference)
        payloads.append({"name": info.name, "mimeType": info.mime_type, "buffer": await ctx.files.read(info)})
    if await evaluate_on(element, _IS_FILE_INPUT):
        await element.set_input_files(payloads, timeout=time_left_ms(ctx))
        return
    # a button of the page's own: the file chooser it opens is answered instead
    try:
        async with ctx.page.page.expect_file_chooser(timeout=_chooser_ms(ctx)) as opening:
            await element.click(timeout=_chooser_ms(ctx))
    except PlaywrightTimeout as error:
        raise BlockFailed(
            f"{name} is not a file field, and clicking it opened no file chooser",
            Diagnosis(expected="a file field, or a button that asks for a file", advice=_NO_CHOOSER),
        ) from error
    await (await opening.value).set_files(payloads, timeout=time_left_ms(ctx))


def _chooser_ms(ctx: RunContext) -> float:
    return min(time_left_ms(ctx), _CHOOSER_MS)


def _as_flag(text: str, name: str) -> bool:
    said = read_yes_no(text)
    if said is None:
        raise BlockFailed(f'A checkbox takes "true" or "false", and {name} got `{text}`')
    return said
