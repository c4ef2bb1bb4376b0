"""A click that is repeated until something is so: "keep clicking Load more until it disappears"."""

from typing import Final

from pagehand.instructions.grammar.acting import CLICK, POINTING
from pagehand.instructions.grammar.conditions import read_condition
from pagehand.instructions.grammar.elements import locator_of, read_element
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.rules import Rule, Sentences, Words
from pagehand.instructions.grammar.scene import Element, Scene
from pagehand.records import Json

# what holds as long as the state is not reached; an element that is not there is neither enabled nor disabled
_BEFORE: Final = {"hidden": "visible", "visible": "hidden", "disabled": "enabled"}
_USUAL_LIMIT: Final = 1000
"""How many rounds a loop makes at most where nothing else is set."""


def _click_until(words: Words, scene: Scene) -> Json:
    element = read_element(words["element"], scene)
    reached = read_condition(words["condition"], scene)
    # other states have no opposite that says "not yet"
    if reached.get("state") not in _BEFORE:
        raise NotUnderstood(
            scene.wording.written(words["condition"]),
            "say until what `is shown`, `disappears` or `is disabled`",
        )
    return _clicking({**reached, "state": _BEFORE[reached["state"]]}, element, scene)


def _click_while(words: Words, scene: Scene) -> Json:
    element = read_element(words["element"], scene)
    return _clicking(read_condition(words["condition"], scene), element, scene)


def _clicking(condition: Json, element: Element, scene: Scene) -> Json:
    click = scene.vocabulary.block(POINTING, CLICK, locator=locator_of(element))
    return {"data": {"over": {"while": condition}}, "sequenceData": {"sequence": [click]}}


def loop(over: Json, sequence: list[Json], scene: Scene) -> Json:
    """A loop over items, pages or rounds."""
    data: Json = {"over": over}
    if over.get("times", 0) > _USUAL_LIMIT:
        # without it the loop would end early, and the run would still look well done
        data["maxIterations"] = over["times"]
    return scene.vocabulary.block(LOOPING, data, sequenceData={"sequence": sequence})


_KEEP: Final = "keep clicking on|keep clicking|keep pressing|keep hitting|keep tapping"

LOOPING: Final = Sentences(
    "Several steps, conditions, loops",
    (
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
    ),
)
