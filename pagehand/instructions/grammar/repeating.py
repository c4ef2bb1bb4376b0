"""A click that is repeated until something is so: "keep clicking Load more until it disappears"."""

from typing import Final

from pagehand.instructions.grammar.conditions import read_condition
from pagehand.instructions.grammar.elements import block_on, read_element
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.rules import Rule, Words
from pagehand.instructions.grammar.scene import Scene
from pagehand.records import Json

# what holds as long as the state is not reached; an element that is not there is neither enabled nor disabled
_BEFORE: Final = {"hidden": "visible", "visible": "hidden", "disabled": "enabled"}


def _click_until(words: Words, scene: Scene) -> Json:
    element = read_element(words["element"], scene)
    reached = read_condition(words["condition"], scene)
    if reached.get("state") not in _BEFORE:
        raise NotUnderstood(
            scene.wording.written(words["condition"]),
            "say until what `is shown`, `disappears` or `is disabled`",
        )
    return _loop(
        {**reached, "state": _BEFORE[reached["state"]]}, block_on("Mouse", element, {"action": "click"})
    )


def _click_while(words: Words, scene: Scene) -> Json:
    element = read_element(words["element"], scene)
    return _loop(read_condition(words["condition"], scene), block_on("Mouse", element, {"action": "click"}))


def _loop(condition: Json, block: Json) -> Json:
    return {"type": "LoopV2", "data": {"over": {"while": condition}}, "sequenceData": {"sequence": [block]}}


_KEEP: Final = "keep clicking on|keep clicking|keep pressing|keep hitting|keep tapping"

REPEATING: Final = (
    Rule(
        f"{_KEEP}|click on|click|press|tap|hit",
        r" {element},? (?:until|till) {condition}",
        _click_until,
        ("Keep clicking Load more until it disappears", 'Click Next until "End of list" is shown'),
    ),
    Rule(
        _KEEP,
        r" {element},? (?:while|as long as) {condition}",
        _click_while,
        ("Keep clicking Load more while it is shown",),
    ),
)
