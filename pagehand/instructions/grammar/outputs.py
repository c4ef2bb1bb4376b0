"""What earlier steps put out, and the words that speak of it: "the results", "the file"."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.scene import OutputKind, Scene
from pagehand.records import Json

_SAID: Final[dict[OutputKind, re.Pattern[str]]] = {
    "data": re.compile(
        r"(?:(?:the|these|those|all|all the) (?:extracted |collected )?"
        r"(?:results?|data|values?|rows?|records|output)|it|them)",
        re.IGNORECASE,
    ),
    "file": re.compile(
        r"(?:(?:the|that|this) (?:downloaded |saved )?(?:file|download|archive|zip(?: file)?|pdf)|it)",
        re.IGNORECASE,
    ),
}


def using(block: Json, words: str, field: str, kind: OutputKind) -> Json | None:
    """The block, marked to get an earlier step's output in `field`; None when the words mean none."""
    if _SAID[kind].fullmatch(words.strip()) is None:
        return None
    return {**block, "uses": {"field": field, "kind": kind, "words": words.strip()}}


def fill_in_outputs(blocks: Sequence[Json], scene: Scene) -> None:
    """Put templates where `using` left marks; the workflow's own blocks may be meant too."""
    sources = [_Source(block.kind, block.reference) for block in scene.present]
    _Outputs({block.reference for block in scene.present}, scene.vocabulary.puts_out).fill(blocks, sources)


@dataclass(slots=True)
class _Source:
    kind: OutputKind | None
    reference: str = ""
    block: Json | None = None
    """Set for a step of this very message, which is meant before those of the workflow."""


class _Outputs:
    """Finds the one step that is meant and gives it a reference."""

    def __init__(self, taken: set[str], puts_out: Callable[[Json], OutputKind | None]) -> None:
        self._taken = taken
        self._puts_out = puts_out

    def fill(self, blocks: Sequence[Json], before: Sequence[_Source]) -> None:
        """In order; steps within a condition are not known outside of it, as they may not have run."""
        sources = list(before)
        for block in blocks:
            for nested in block.get("sequenceData", {}).values():
                self.fill(nested, sources)
            if (uses := block.pop("uses", None)) is not None:
                block["data"][uses["field"]] = f"{{{{blocks.{self._reference(uses, sources)}}}}}"
            if (kind := self._puts_out(block)) is not None:
                sources.append(_Source(kind, block=block))

    def _reference(self, uses: Json, sources: Sequence[_Source]) -> str:
        fitting = [source for source in sources if source.kind == uses["kind"]]
        # a step of this message is nearer than a block that the workflow has had for long
        meant = [plan for plan in fitting if plan.block is not None] or fitting
        if len(meant) != 1:
            why = "several steps before put such a thing out" if meant else "no step before puts it out"
            raise NotUnderstood(
                uses["words"], f"{why}; name the block whose output it is: `{{{{blocks.…}}}}`"
            )
        return meant[0].reference or self._named(meant[0])

    def _named(self, source: _Source) -> str:
        block = source.block or {}
        number = 1
        while (reference := f"{block['type']}_{number}") in self._taken:
            number += 1
        self._taken.add(reference)
        source.reference = block["blockReferenceId"] = reference
        return reference
