"""Blocks from plain instructions, without a model: what is not understood exactly is refused."""

from collections.abc import Iterable, Mapping, Sequence

from pagehand.instructions.grammar.message import EXAMPLES, read_message
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.vocabulary import (
    InstructableKind,
    Output,
    OutputKind,
    Pages,
    ParseContext,
    Vocabulary,
)
from pagehand.records import Json

__all__ = ["Grammar", "NotUnderstood", "Output", "Pages"]

_COMBINED_HEADING = "Several steps, conditions, loops"


class Grammar:
    """Reads instructions by the sentences that block kinds declare."""

    def __init__(self, kinds: Iterable[InstructableKind]) -> None:
        self._vocabulary = Vocabulary(kinds)

    def read(
        self,
        text: str,
        *,
        parameters: Sequence[str] = (),
        logins: Mapping[str, str] | None = None,
        existing: Sequence[Output] = (),
        pages: Pages | None = None,
    ) -> list[Json]:
        """Block definitions for the instructions; `NotUnderstood` names the words that are not clear.

        `parameters` are the workflow's, `logins` the ids of stored logins by name, `existing` the blocks that
        the workflow already has, `pages` those that an execution visited.
        """
        if "\x00" in text:  # it would end up in a block, which then cannot be stored
            raise NotUnderstood("", "it holds a NUL character; take it out.")
        context = ParseContext(
            self._vocabulary, parameters=parameters, logins=logins, existing=existing, pages=pages
        )
        return read_message(text, context)

    def output_kind(self, type_name: str) -> OutputKind | None:
        """The output of blocks of that type, if a sentence can refer to it."""
        return self._vocabulary.output_kind_of_type(type_name)

    @property
    def examples(self) -> dict[str, tuple[str, ...]]:
        """Examples of what is understood, by heading."""
        by_heading = {heading: tuple(examples) for heading, examples in self._vocabulary.examples.items()}
        return {**by_heading, _COMBINED_HEADING: (*EXAMPLES, *by_heading.get(_COMBINED_HEADING, ()))}
