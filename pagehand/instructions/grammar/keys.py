"""Steps that complete the one before: keys in the field just typed into, the result of a search to open."""

from collections.abc import Sequence
from typing import Final

from pagehand.instructions.grammar.other_steps import with_pick
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.records import Json

_ENTER: Final = "Enter"
_FOCUSED: Final[Json] = {"css": ":focus"}


def with_keys(blocks: Sequence[Json], more: Sequence[Json]) -> list[Json]:
    """Both, in order; keys pressed after typing belong to the field that was typed into."""
    result = list(blocks)
    for block in more:
        before = result[-1] if result else {}
        if (opened := with_pick(before, block)) is not None:
            result[-1] = opened
        elif "keys" not in block:
            result.append(block)
        elif _is_typed_into(before):
            result[-1] = {**before, "data": _pressed(before["data"], block["keys"])}
        elif before.get("type") == "Search" and block["keys"] == [_ENTER]:
            continue  # a search is sent with Enter as it is
        else:
            result.append(block)
    return result


def _is_typed_into(block: Json) -> bool:
    return block.get("type") == "Input" and block["data"]["inputType"].endswith("TextInput")


def _pressed(data: Json, keys: Sequence[str]) -> Json:
    """With more keys after those pressed already; `pressEnter` comes last, so it can only stand alone."""
    before = [*data.get("pressKeys", []), *([_ENTER] if data.get("pressEnter") else [])]
    pressed = [*before, *keys]
    rest = {name: value for name, value in data.items() if name not in ("pressKeys", "pressEnter")}
    return {**rest, "pressEnter": True} if pressed == [_ENTER] else {**rest, "pressKeys": pressed}


def focused_keys(blocks: Sequence[Json]) -> list[Json]:
    """Blocks for the keys that followed no typing: Enter goes to whatever has the focus."""
    return [_focused(block) if "keys" in block else _with_nested(block) for block in blocks]


def _with_nested(block: Json) -> Json:
    if "sequenceData" not in block:
        return block
    sequences = {name: focused_keys(nested) for name, nested in block["sequenceData"].items()}
    return {**block, "sequenceData": sequences}


def _focused(block: Json) -> Json:
    [key] = block["keys"]
    if key != _ENTER:
        raise NotUnderstood(f"press {key}", f"say in which field: `type … into … and press {key}`")
    # nothing is typed, and what stands in the field stays
    data = {"key": "the focused field", "inputType": "TextInput", "value": "", "clearFirst": False}
    return {
        "name": "Press Enter",
        "type": "Input",
        "locator": dict(_FOCUSED),
        "data": {**data, "pressEnter": True},
    }
