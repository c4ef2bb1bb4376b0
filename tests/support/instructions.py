"""Instructions in words, the blocks expected of them, and whether the two fit."""

import json
from pathlib import Path
from typing import Any, Unpack, cast

from pagehand.blocks import kinds
from pagehand.errors import InvalidRequest
from pagehand.instructions.grammar import Grammar, Known, NotUnderstood
from pagehand.instructions.grammar.values import read_value
from pagehand.instructions.grammar.vocabulary import Frame, ParseContext, Sentences, Slots
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks

Json = dict[str, Any]
GRAMMAR = Grammar(kinds())
_LISTS = Path(__file__).parent.parent / "unit" / "instructions"
SEQUENCES = ("sequence", "trueSequence", "falseSequence")


def read_instructions(say: str, **known: Unpack[Known]) -> list[Json]:
    """The blocks, without the `strict` that every locator of an element has unless it is words."""
    blocks = GRAMMAR.read(say, **known)
    for block in blocks:
        _drop_strict(block)
    return blocks


def _drop_strict(block: Json) -> None:
    data = block["data"]
    locators = [block.get("locator"), data.get("toLocator"), data.get("over", {}).get("pages")]
    for locator in filter(None, locators):
        assert locator.pop("strict", False) != ("words" in locator), locator
    for condition in (data.get("condition"), data.get("over", {}).get("while"), data.get("until")):
        if isinstance(condition, dict):
            cast("Json", condition).get("element", {}).pop("strict", None)
    for inner in (inner for nested in block.get("sequenceData", {}).values() for inner in nested):
        _drop_strict(inner)


def instructions(name: str) -> list[Json]:
    return json.loads((_LISTS / name).read_text())


def judge(instruction: Json) -> str:
    """exact, refused or wrong; an instruction that must be refused is exact when it is."""
    try:
        blocks = tree.to_json(parse_blocks(read_instructions(instruction["say"]), kinds()))
    except NotUnderstood:
        return "exact" if instruction["expect"] == "refuse" else "refused"
    except InvalidRequest:
        return "refused"  # a kind that this installation does not have
    expected = instruction["expect"]
    return "exact" if expected != "refuse" and fits_all(blocks, expected) else "wrong"


def fits_all(blocks: list[Json], expected: list[Json]) -> bool:
    return len(blocks) == len(expected) and all(map(fits, blocks, expected))


def fits(block: Json, expected: Json) -> bool:
    types = cast("list[str]", expected["type"] if isinstance(expected["type"], list) else [expected["type"]])
    message = json.dumps([block["data"], block["locator"]], ensure_ascii=False)
    return (
        block["type"] in types
        and holds(block["data"], expected.get("data", {}))
        and holds(block["locator"] or {}, expected.get("locator", {}))
        and expected.get("mentions", "") in message
        and ("about" not in expected or expected["about"] in names_of(block))
        and reads(block, expected)
        and all(
            fits_all(block["sequenceData"][name], expected[name]) for name in SEQUENCES if name in expected
        )
    )


def holds(given: Any, expected: Any) -> bool:
    if isinstance(expected, dict) and isinstance(given, dict):
        wanted, there = cast("Json", expected), cast("Json", given)
        return all(name in there and holds(there[name], value) for name, value in wanted.items())
    return given == expected


def names_of(block: Json) -> list[Any]:
    return [*(block["locator"] or {}).values(), block["data"].get("key")]


def reads(block: Json, expected: Json) -> bool:
    """Names and types of what an Extract block reads."""
    if "fields" not in expected:
        return True
    schema = block["data"]["schema"]
    if (schema["type"] == "array") != expected.get("rows", False):
        return False
    properties = (schema.get("items") or schema)["properties"]
    types = {name: value["type"] for name, value in properties.items()}
    return list(properties) == expected["fields"] and holds(types, expected.get("types", {}))


def _ring(slots: Slots, context: ParseContext) -> Json:
    return {"data": {"whom": read_value(slots["whom"], context)}}


RINGING = Sentences("Telephones", (Frame("(ring|ring up) {whom}", _ring, ("Ring Ada",)),))
"""What a kind of an outside package may declare."""
