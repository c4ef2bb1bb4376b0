"""Blocks from plain instructions, without a model: what is not understood exactly is refused."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypedDict, Unpack

from pagehand.instructions.grammar.message import EXAMPLES, read_message
from pagehand.instructions.grammar.partial import Clause, read_clauses_of, suggest
from pagehand.instructions.grammar.refusal import Budget, NotUnderstood
from pagehand.instructions.grammar.vocabulary import (
    InstructableKind,
    Output,
    OutputKind,
    Pages,
    ParseContext,
    Vocabulary,
)
from pagehand.records import Json

__all__ = ["Clause", "Grammar", "Known", "NotUnderstood", "Output", "Pages"]

_COMBINED_HEADING = "Several steps, conditions, loops"


class Known(TypedDict, total=False):
    """What instructions may refer to."""

    parameters: Sequence[str]
    """Names of the workflow's parameters."""
    logins: Mapping[str, str] | None
    """Ids of stored logins by name."""
    existing: Sequence[Output]
    """The blocks that the workflow already has."""
    pages: Pages | None
    """Those that an execution visited."""


class Grammar:
    """Reads instructions by the sentences that block kinds declare."""

    def __init__(self, kinds: Iterable[InstructableKind]) -> None:
        self._vocabulary = Vocabulary(kinds)

    def read(self, text: str, **known: Unpack[Known]) -> list[Json]:
        """Block definitions for the instructions; `NotUnderstood` names the words that are not clear."""
        return read_message(text, ParseContext(self._vocabulary, **known))

    def read_partly(self, text: str, **known: Unpack[Known]) -> list[Clause]:
        """The clauses of instructions that are not understood as a whole; the open ones with suggestions."""
        budget = Budget()

        def is_understood(other: str) -> bool:
            try:
                return bool(read_message(other, ParseContext(self._vocabulary, budget=budget, **known)))
            except NotUnderstood:
                return False

        def with_suggestions(clause: Clause) -> Clause:
            if not clause.reason:
                return clause
            return replace(clause, suggestions=suggest(clause.text, self._vocabulary, is_understood))

        clauses = read_clauses_of(text, ParseContext(self._vocabulary, **known))
        return [with_suggestions(clause) for clause in clauses]

    def output_kind(self, type_name: str) -> OutputKind | None:
        """The output of blocks of that type, if a sentence can refer to it."""
        return self._vocabulary.output_kind_of_type(type_name)

    @property
    def examples(self) -> dict[str, tuple[str, ...]]:
        """Examples of what is understood, by heading."""
        by_heading = {heading: tuple(examples) for heading, examples in self._vocabulary.examples.items()}
        return {**by_heading, _COMBINED_HEADING: (*EXAMPLES, *by_heading.get(_COMBINED_HEADING, ()))}
