"""Steps that complete the one before, and keys that are pressed in no field that was named."""

from collections.abc import Sequence

from pagehand.instructions.grammar.filling import ENTER, FILLING
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.scene import Scene
from pagehand.records import Json


def joined(blocks: Sequence[Json], more: Sequence[Json], scene: Scene) -> list[Json]:
    """Both, in order; a step that only says more of the one before becomes part of it."""
    result = list(blocks)
    for block in more:
        completed = scene.vocabulary.completed(result[-1], block) if result else None
        if completed is not None:
            result[-1] = completed
        else:
            result.append(block)
    return result


def focused_keys(blocks: Sequence[Json], scene: Scene) -> list[Json]:
    """Blocks for the keys that followed no typing: Enter goes to whatever has the focus."""
    return [_focused(block, scene) if "keys" in block else _with_nested(block, scene) for block in blocks]


def _with_nested(block: Json, scene: Scene) -> Json:
    if "sequenceData" not in block:
        return block
    sequences = {name: focused_keys(nested, scene) for name, nested in block["sequenceData"].items()}
    return {**block, "sequenceData": sequences}


def _focused(block: Json, scene: Scene) -> Json:
    [key] = block["keys"]
    if key != ENTER:
        raise NotUnderstood(f"press {key}", f"say in which field: `type … into … and press {key}`")
    # nothing is typed, and what stands in the field stays
    data: Json = {"key": "the focused field", "inputType": "TextInput", "value": "", "clearFirst": False}
    return scene.vocabulary.block(
        FILLING, {**data, "pressEnter": True}, name="Press Enter", locator={"css": ":focus"}
    )
