"""Blocks from plain instructions, without a model: what is understood is exact, the rest is refused."""

from collections.abc import Sequence

from pagehand.ai.grammar.acting import ACTING
from pagehand.ai.grammar.other_steps import OTHER
from pagehand.ai.grammar.reading import READING
from pagehand.ai.grammar.refusal import NotUnderstood
from pagehand.ai.grammar.scene import Pages, Scene
from pagehand.ai.grammar.sequence import TOGETHER, read_message
from pagehand.records import Json

__all__ = ["SENTENCES", "NotUnderstood", "Pages", "read_instructions"]

SENTENCES = {
    "Reaching and acting on a page": tuple(say for rule in ACTING for say in rule.says),
    "Reading a page and keeping files": tuple(say for rule in READING for say in rule.says),
    "Waiting, searching, closing, signing in, mail": tuple(say for rule in OTHER for say in rule.says),
    "Several steps, conditions, loops": TOGETHER,
}
"""Examples of what is understood, by what they are about."""


def read_instructions(text: str, *, parameters: Sequence[str] = (), pages: Pages | None = None) -> list[Json]:
    """Block definitions for what the text says to do; `NotUnderstood` names the words that are not clear."""
    blocks = read_message(text, Scene(parameters=parameters, pages=pages))
    _refuse_keys_alone(blocks)
    return blocks


def _refuse_keys_alone(blocks: Sequence[Json]) -> None:
    """A key that followed no typing is no block."""
    for block in blocks:
        if "keys" in block:
            raise NotUnderstood(
                f"press {block['keys'][0]}", "say into which field: `type … into … and press Enter`"
            )
        for nested in block.get("sequenceData", {}).values():
            _refuse_keys_alone(nested)
