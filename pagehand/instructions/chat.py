"""Blocks from a message: by the grammar where it understands every word, else by the model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

from pagehand.errors import InvalidRequest
from pagehand.instructions.grammar import Grammar, NotUnderstood, Output, Pages
from pagehand.records import Json
from pagehand.workflow import tree
from pagehand.workflow.envelope import Envelope, Kinds
from pagehand.workflow.parse import Parser, Taken

_SET_A_MODEL: Final = (
    "Say it in plain steps (docs/chat.md lists them), or set `PAGEHAND_MODEL` to `provider:model` "
    "so that a language model can read it"
)
_ROUNDS: Final = 2
"""The model answers, and mends what it answered once."""


class Asked(Protocol):
    """What is needed of a language model."""

    def prompt(self, name: str, /, **words: str) -> str:
        """The instructions of a task."""
        ...

    async def data(self, instructions: str, material: str, schema: Mapping[str, Any], /) -> Any:
        """An answer that is valid against `schema`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatContext:
    """What a message is about."""

    present: Sequence[Envelope] = ()
    """The blocks the workflow has."""
    parameters: Sequence[str] = ()
    logins: Mapping[str, str] | None = None
    """Ids of the organization's stored logins by their names."""
    pages: Pages | None = None
    material: str = ""
    """What the pages showed and what was said before, for the model."""


class Chat:
    """Answers messages with blocks."""

    def __init__(self, kinds: Kinds, grammar: Grammar, catalog: Callable[[], str]) -> None:
        """`catalog` describes the kinds to the model; it is asked for only then."""
        self._kinds = kinds
        self._grammar = grammar
        self._catalog = catalog

    async def blocks(self, message: str, about: ChatContext, model: Asked | None) -> list[Envelope]:
        """Valid blocks that do what the message says; `InvalidRequest` says why there are none."""
        try:
            definitions = self._grammar.read(
                message,
                parameters=about.parameters,
                logins=about.logins,
                present=self._outputs(about.present),
                pages=about.pages,
            )
            # checked like any definition: what the grammar builds may still not fit the workflow
            return self._parse(definitions, about)
        except NotUnderstood as refusal:
            if model is None:
                raise InvalidRequest(f"{refusal.message}. {_SET_A_MODEL}") from refusal
        return await self._ask(message, about, model)

    def _outputs(self, present: Sequence[Envelope]) -> list[Output]:
        """What the workflow's blocks put out; those within loops and conditions only by reference."""
        # what a block within a loop or a branch puts out may not be there when a later one asks for it
        outside = {block.id for block in present}
        kind = self._grammar.output_kind
        return [
            Output(inner.block_reference_id, kind(inner.type) if inner.id in outside else None)
            for inner in tree.walk(present)
        ]

    def _parse(self, definitions: Any, about: ChatContext) -> list[Envelope]:
        return Parser(self._kinds, Taken(about.present)).sequence(definitions, "blocks")

    async def _ask(self, message: str, about: ChatContext, model: Asked) -> list[Envelope]:
        problem = ""
        # bounded, as each round costs a call
        for _ in range(_ROUNDS):
            answer = cast(
                "Json",
                await model.data(self._prompt(message, about, model, problem), about.material, _ANSWER),
            )
            if not answer.get("blocks"):
                raise InvalidRequest(
                    f"No blocks were made of it: {answer.get('refusal') or 'the model gave no reason'}"
                )
            try:
                return self._parse(answer["blocks"], about)
            except InvalidRequest as wrong:
                problem = (
                    f"- Your last answer was refused: {wrong.message} Give the whole list again, mended."
                )
        raise InvalidRequest(f"The model's blocks are not valid, and it could not mend them: {problem}")

    def _prompt(self, message: str, about: ChatContext, model: Asked, problem: str) -> str:
        return model.prompt(
            "chat",
            instruction=message,
            parameters=", ".join(about.parameters) or "none declared",
            present=", ".join(f"{block.block_reference_id} ({block.name})" for block in about.present)
            or "none",
            kinds=self._catalog(),
            problem=problem,
        )


_BLOCK: Final = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "name": {"type": "string"},
        "data": {"type": "object"},
        "locator": {"type": "object"},
        "skipIfNotPresent": {"type": "boolean"},
        "sequenceData": {"type": "object"},
    },
    "required": ["type", "data"],
    "additionalProperties": False,
}
_ANSWER: Final = {
    "type": "object",
    "properties": {"blocks": {"type": "array", "items": _BLOCK}, "refusal": {"type": "string"}},
    "required": ["blocks"],
}
