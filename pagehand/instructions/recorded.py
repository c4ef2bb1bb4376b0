"""What a person did becomes the block that does it again."""

from collections.abc import Callable
from typing import Final

from pagehand.records import Json
from pagehand.workflow.recorded import ActKind, RecordedAct


def block_of(act: RecordedAct) -> Json:
    """A definition for what was recorded; secrets are references to the login, never values."""
    kind, words, data = _BLOCKS[act.kind]
    definition: Json = {
        "type": kind,
        "name": f"{words} {act.name}".strip()[:_LONGEST_NAME],
        "data": data(act),
    }
    if act.locator is not None:
        definition["locator"] = act.locator.model_dump(by_alias=True, exclude_none=True)
    return definition


def _nothing(_: RecordedAct) -> Json:
    return {}


def _filled(input_type: str, value: str | None = None) -> Callable[[RecordedAct], Json]:
    """What a field gets: what stands in it, or the reference given here."""

    def data(act: RecordedAct) -> Json:
        enter = {"pressEnter": True} if act.presses_enter else {}
        return {"key": act.name, "inputType": input_type, "value": value or act.value, **enter}

    return data


def _reading(act: RecordedAct) -> Json:
    """A table by its columns, a text by the element itself."""
    if not act.columns:
        return {"prompt": act.name, "fields": {"text": {}}}
    columns = {column: {"type": "string"} for column in act.columns}
    return {
        "prompt": act.name,
        "schema": {"type": "array", "items": {"type": "object", "properties": columns}},
    }


_LONGEST_NAME: Final = 100
_BLOCKS: Final[dict[ActKind, tuple[str, str, Callable[[RecordedAct], Json]]]] = {
    "open": ("Navigate", "Open the page", lambda act: {"url": act.value}),
    "click": ("Mouse", "Click", _nothing),
    "fill": ("Input", "Fill in", _filled("TextInput")),
    "fill secret": ("Input", "Fill in", _filled("SensitiveTextInput", "{{login.password}}")),
    "fill username": ("Input", "Fill in", _filled("TextInput", "{{login.username}}")),
    "choose": ("Dropdown", "Choose", lambda act: {"value": act.value}),
    "check": ("Input", "Set", _filled("Checkbox")),
    "upload": ("Input", "Upload to", _filled("File", "{{params.file}}")),
    "download": ("DownloadFile", "Download", _nothing),
    "read": ("Extract", "Read", _reading),
}
"""The kind, how its name begins, and its data."""
