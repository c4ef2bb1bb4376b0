"""A hundred held-out instructions: how many become the exact blocks, are refused, or become wrong ones.

    python benchmarks/instructions.py [--all]

Each line of `instruction_lists/held_out.jsonl` is an instruction and the blocks it means, or "refuse" where
only a model could know or where it says no step. The lists that the grammar is written with are in
tests/unit/instructions. `--all` prints every instruction that is not exact.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from measuring.report import Figure, publish
from pagehand.blocks import kinds
from pagehand.instructions.grammar import Grammar, NotUnderstood
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks

Json = dict[str, Any]
_GRAMMAR: Final = Grammar(kinds())
_LIST: Final = Path(__file__).parent / "instruction_lists" / "held_out.jsonl"
_SEQUENCES: Final = ("sequence", "trueSequence", "falseSequence")
_NAME_FIELDS: Final = ("text", "label", "altText")
_KIND_WORDS: Final = r"button|link|field|box|checkbox|dropdown|list|cell|radio button|radio"


def main() -> None:
    """Judge every instruction and publish the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="print what is not exact")
    given = parser.parse_args()
    entries = [json.loads(line) for line in _LIST.read_text(encoding="utf-8").splitlines()]
    verdicts = [(entry, *judge(entry)) for entry in entries]
    counts = Counter(verdict for _, verdict, _ in verdicts)
    for entry, verdict, detail in verdicts:
        if verdict == "wrong" or (given.all and verdict == "refused"):
            print(f"{verdict}: {entry['say']!r}\n    {detail}")
    share = 100 / len(entries)
    figures = [
        Figure("exact, or refused where that is right", counts["exact"] * share, "%", at_least=65),
        Figure("refused though it says what to do", counts["refused"] * share, "%"),
        Figure("wrong", counts["wrong"], "", at_most=0),
        Figure("of those that say what to do, exact", _share_of_possible(verdicts), "%"),
    ]
    publish("instructions", f"Blocks from {len(entries)} instructions, without a model", figures)
    sys.exit(any(figure.is_met is False for figure in figures))


def _share_of_possible(verdicts: Sequence[tuple[Json, str, str]]) -> float:
    possible = [verdict for entry, verdict, _ in verdicts if entry["expect"] != "refuse"]
    return 100 * possible.count("exact") / len(possible)


def judge(entry: Json) -> tuple[str, str]:
    """exact, refused or wrong, and the blocks or the refusal."""
    expected = entry["expect"]
    try:
        given = _GRAMMAR.read(
            entry["say"], parameters=entry.get("parameters", ()), logins=entry.get("logins")
        )
    except NotUnderstood as refusal:
        return ("exact" if expected == "refuse" else "refused"), refusal.message
    # every block must be one that workflows/create accepts
    blocks = tree.to_json(parse_blocks(given, kinds()))
    is_exact = expected != "refuse" and _is_same_sequence(blocks, expected)
    return ("exact" if is_exact else "wrong"), json.dumps(given, ensure_ascii=False)


def _is_same_sequence(blocks: Sequence[Json], expected: Sequence[Json]) -> bool:
    return len(blocks) == len(expected) and all(map(_is_same, blocks, expected))


def _is_same(block: Json, expected: Json) -> bool:
    return (
        block["type"] == expected["type"]
        and _is_on(block, expected)
        and _has_data(block["data"], expected)
        and all(
            _is_same_sequence(block["sequenceData"][name], expected[name])
            for name in _SEQUENCES
            if name in expected
        )
    )


def _is_on(block: Json, expected: Json) -> bool:
    """Whether it acts on the expected element, by its own name, by words, or on none."""
    locator = cast("Json | None", block["locator"])
    if "words" in expected:
        return locator == {"words": expected["words"]}
    if "on" not in expected:
        return locator is None
    if locator is None:
        return block["data"].get("key") == expected["on"]
    if "words" in locator:
        return _is_phrase(locator, expected["on"], expected.get("role", ""))
    name = next((locator[field] for field in _NAME_FIELDS if field in locator), None)
    return name == expected["on"] and locator.get("role", "") == expected.get("role", "")


def _is_phrase(locator: Mapping[str, str], name: str, role: str) -> bool:
    """Whether words name this element and nothing else: "the Save button" for Save."""
    kind = role or _KIND_WORDS
    pattern = rf"(?:the )?(?:{kind} )?[\"']?{re.escape(name)}[\"']?(?: (?:{kind}))?"
    return re.fullmatch(pattern, locator["words"]) is not None and (not role or role in locator["words"])


def _has_data(data: Json, expected: Json) -> bool:
    if "reads" in expected:
        return _reads(data["schema"], expected["reads"], is_rows=expected.get("rows", False))
    has = {name: _without_strict(value) for name, value in data.items() if name != "key"}
    return has == expected["data"]


def _without_strict(value: Any) -> Any:
    """Every locator that the grammar writes is strict, so the lists do not say it."""
    if isinstance(value, list):
        return [_without_strict(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    return {name: _without_strict(item) for name, item in cast("Json", value).items() if name != "strict"}


def _reads(schema: Json, expected: Mapping[str, str], *, is_rows: bool) -> bool:
    """Names and types of what an Extract block reads."""
    if (schema["type"] == "array") != is_rows:
        return False
    properties = (schema.get("items") or schema)["properties"]
    return {name: value["type"] for name, value in properties.items()} == expected


if __name__ == "__main__":
    main()
