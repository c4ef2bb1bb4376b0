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


def _pressed(action: str | None = None) -> Callable[[RecordedAct], Json]:
    """A press of the mouse; one that opened a tab waits for it, since what follows was done there."""

    def data(act: RecordedAct) -> Json:
        named = {"action": action} if action else {}
        return {**named, "expect": "popup"} if act.opens_tab else named

    return data


def _dragged(act: RecordedAct) -> Json:
    if act.to_locator is not None:
        return {"action": "drag", "toLocator": act.to_locator.model_dump(by_alias=True, exclude_none=True)}
    right, down = act.moved_by
    return {"action": "drag", "x": right, "y": down}


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
    "click": ("Mouse", "Click", _pressed()),
    "double click": ("Mouse", "Double-click", _pressed("doubleClick")),
    "right click": ("Mouse", "Right-click", _pressed("rightClick")),
    "drag": ("Mouse", "Drag", _dragged),
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
