"""Blocks from plain instructions, without a model: what is understood is exact, the rest is refused."""

from collections.abc import Iterable, Mapping, Sequence

from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.scene import Output, OutputKind, Pages, Scene
from pagehand.instructions.grammar.sequence import TOGETHER, read_message
from pagehand.instructions.grammar.vocabulary import SpokenKind, Vocabulary
from pagehand.records import Json

__all__ = ["Grammar", "NotUnderstood", "Output", "Pages"]

_TOGETHER = "Several steps, conditions, loops"


class Grammar:
    """Reads instructions: what can be said is what the block kinds declare."""

    def __init__(self, kinds: Iterable[SpokenKind]) -> None:
        self._vocabulary = Vocabulary(kinds)

    def read(
        self,
        text: str,
        *,
        parameters: Sequence[str] = (),
        logins: Mapping[str, str] | None = None,
        present: Sequence[Output] = (),
        pages: Pages | None = None,
    ) -> list[Json]:
        """Block definitions for what the text says to do; `NotUnderstood` names the words that are not clear.

        `parameters` are the workflow's, `logins` the ids of stored logins by name, `present` the blocks that
        the workflow has already, `pages` what an execution saw.
        """
        if "\x00" in text:  # quoted or not, it would end up in a block that cannot be stored
            raise NotUnderstood("", "it holds a NUL character; take it out.")
        scene = Scene(self._vocabulary, parameters=parameters, logins=logins, present=present, pages=pages)
        return read_message(text, scene)

    def output_kind(self, type_name: str) -> OutputKind | None:
        """What blocks of that type put out, if a sentence can speak of it."""
        return self._vocabulary.output_kind(type_name)

    @property
    def examples(self) -> dict[str, tuple[str, ...]]:
        """Examples of what is understood, by what they are about."""
        by_subject = {about: tuple(says) for about, says in self._vocabulary.examples.items()}
        return {**by_subject, _TOGETHER: (*TOGETHER, *by_subject.get(_TOGETHER, ()))}
