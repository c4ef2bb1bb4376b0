"""Blocks from plain instructions, without a model: what is understood is exact, the rest is refused."""

from collections.abc import Sequence

from pagehand.ai.grammar.refusal import NotUnderstood
from pagehand.ai.grammar.scene import Pages, Scene
from pagehand.ai.grammar.sequence import STEPS, read_message
from pagehand.records import Json

__all__ = ["STEPS", "NotUnderstood", "Pages", "read_instructions"]


def read_instructions(text: str, *, parameters: Sequence[str] = (), pages: Pages | None = None) -> list[Json]:
    """Block definitions for what the text says to do; `NotUnderstood` names the words that are not clear."""
    blocks = read_message(text, Scene(parameters=parameters, pages=pages))
    for block in blocks:
        if "keys" in block:
            raise NotUnderstood(
                f"press {block['keys'][0]}", "say into which field: `type … into … and press Enter`"
            )
    return blocks
