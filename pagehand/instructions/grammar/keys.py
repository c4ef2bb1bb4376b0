"""Keys that are pressed without naming a field: they go to whatever has the focus."""

from collections.abc import Sequence

from pagehand.instructions.grammar.filling import ENTER, FILLING
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.vocabulary import ParseContext
from pagehand.records import Json


def focused_key_blocks(blocks: Sequence[Json], context: ParseContext) -> list[Json]:
    """The blocks, with a block for every key press that follows no typing."""
    return [_focused(block, context) if "keys" in block else _with_nested(block, context) for block in blocks]


def _with_nested(block: Json, context: ParseContext) -> Json:
    if "sequenceData" not in block:
        return block
    sequences = {name: focused_key_blocks(nested, context) for name, nested in block["sequenceData"].items()}
    return {**block, "sequenceData": sequences}


def _focused(block: Json, context: ParseContext) -> Json:
    [key] = block["keys"]
    if key != ENTER:
        raise NotUnderstood(f"press {key}", f"say in which field: `type … into … and press {key}`")
    # nothing is typed, and the text in the field stays
    data: Json = {"key": "the focused field", "inputType": "TextInput", "value": "", "clearFirst": False}
    return context.vocabulary.block(
        FILLING, {**data, "pressEnter": True}, name="Press Enter", locator={"css": ":focus"}
    )
