"""Outputs of earlier steps, and the words that refer to them: "the results", "the file"."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.vocabulary import OutputKind, ParseContext
from pagehand.records import Json

_REFERENCES: Final[dict[OutputKind, re.Pattern[str]]] = {
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


def mark_output_use(block: Json, words: str, field: str, kind: OutputKind) -> Json | None:
    """The block, marked to use an earlier step's output in `field`; None when the words refer to none."""
    if _REFERENCES[kind].fullmatch(words.strip()) is None:
        return None
    return {**block, "uses": {"field": field, "kind": kind, "words": words.strip()}}


def fill_in_outputs(blocks: Sequence[Json], context: ParseContext) -> None:
    """Replace the marks of `mark_output_use` by templates; existing blocks of the workflow count too."""
    sources = [_Source(block.kind, block.reference) for block in context.existing]
    _Outputs({block.reference for block in context.existing}, context.vocabulary.output_kind).fill(
        blocks, sources
    )


@dataclass(slots=True)
class _Source:
    kind: OutputKind | None
    reference: str = ""
    block: Json | None = None
    """Set for a step of this message, which is preferred to existing blocks of the workflow."""


class _Outputs:
    """Finds the step that words refer to and gives it a `blockReferenceId`."""

    def __init__(self, taken: set[str], output_kind: Callable[[Json], OutputKind | None]) -> None:
        self._taken = taken
        self._output_kind = output_kind

    def fill(self, blocks: Sequence[Json], before: Sequence[_Source]) -> None:
        """In order; steps within a condition are unknown outside of it, because they may not have run."""
        sources = list(before)
        for block in blocks:
            for nested in block.get("sequenceData", {}).values():
                self.fill(nested, sources)
            if (uses := block.pop("uses", None)) is not None:
                block["data"][uses["field"]] = f"{{{{blocks.{self._reference(uses, sources)}}}}}"
            if (kind := self._output_kind(block)) is not None:
                sources.append(_Source(kind, block=block))

    def _reference(self, uses: Json, sources: Sequence[_Source]) -> str:
        fitting = [source for source in sources if source.kind == uses["kind"]]
        # a step of this message is preferred to a block that the workflow already has
        matching = [source for source in fitting if source.block is not None] or fitting
        if len(matching) != 1:
            which = "several steps before have" if matching else "no step before has"
            raise NotUnderstood(uses["words"], f"{which} such an output; name the block: `{{{{blocks.…}}}}`")
        return matching[0].reference or self._name(matching[0])

    def _name(self, source: _Source) -> str:
        block = source.block or {}
        number = 1
        while (reference := f"{block['type']}_{number}") in self._taken:
            number += 1
        self._taken.add(reference)
        source.reference = block["blockReferenceId"] = reference
        return reference
