"""Instructions with a word lost or exchanged: still the same action, or a refusal; never another one."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pytest

from pagehand.instructions.grammar import NotUnderstood
from pagehand.records import Json
from support.instructions import GRAMMAR, instructions, read_instructions

ACCEPTED: Final = list(
    dict.fromkeys(
        [
            *(
                instruction["say"]
                for name in ("instructions.json", "development.json")
                for instruction in instructions(name)
                if instruction["expect"] != "refuse"
            ),
            *(say for sentences in GRAMMAR.examples.values() for say in sentences),
        ]
    )
)
# verbs that name the action: another verb is another action
DECIDING: Final = frozenset(("date", "Date", "times", "twice", "Enter", "Tab", "key", "Otherwise", "not"))
# "does not show" is negated already, and "there is not a …" is as clear
DENIED: Final = ("not", "a")
AGAINST: Final = ("not", "or", "without", "never", "except")


def mutations(say: str, replacement: str) -> Iterator[tuple[str, str]]:
    """Each unquoted word in turn, and the sentence with `replacement` in its place."""
    for word in re.finditer(r"\S+", say):
        if say[: word.start()].count('"') % 2 == 0 and '"' not in word[0]:
            yield word[0].strip(".,:"), f"{say[: word.start()]}{replacement}{say[word.end() :]}"


def actions(blocks: Sequence[Json]) -> list[Any]:
    """What blocks do, without what they are about."""
    found: list[Any] = []
    for block in blocks:
        data = block["data"]
        over: Json = data.get("over", {})
        condition: Json = data.get("condition", over.get("while")) or {}
        nested = {name: actions(inner) for name, inner in block.get("sequenceData", {}).items()}
        choices = [data.get(name) for name in ("action", "inputType", "which", "method")]
        found.append([block["type"], choices, condition.get("state"), nested])
    return found


def read(say: str) -> list[Json] | None:
    try:
        return read_instructions(say)
    except NotUnderstood:
        return None


@pytest.mark.parametrize("replacement", ["", "zebra"])
@pytest.mark.parametrize("say", ACCEPTED, ids=lambda say: say[:50])
def test_a_word_lost_or_exchanged_never_makes_another_action(say: str, replacement: str) -> None:
    meant = actions(read_instructions(say))
    others = [
        (word, changed)
        for word, changed in mutations(say, replacement)
        if word not in DECIDING and (blocks := read(changed)) is not None and actions(blocks) != meant
    ]
    assert others == []


@pytest.mark.parametrize("against", AGAINST)
def test_a_word_that_denies_or_leaves_open_is_refused_wherever_it_stands(against: str) -> None:
    taken = [
        changed
        for say in ACCEPTED
        for word, changed in mutations(say, against)
        if word not in DENIED and read(changed) is not None
    ]
    assert taken == []
