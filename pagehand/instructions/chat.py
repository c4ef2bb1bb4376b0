"""Blocks from a message: by the grammar if it understands every word, else by the model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from msgspec import Struct, convert

from pagehand.errors import InvalidRequest, NotPresent
from pagehand.instructions.grammar import Clause, Grammar, Known, NotUnderstood, Output, Pages
from pagehand.loop import OneThread
from pagehand.page.phrases import NotClear, Snapshot, TargetKind, resolve
from pagehand.records import Json
from pagehand.workflow import tree
from pagehand.workflow.parse import Parser, UsedIds
from pagehand.workflow.tree import Envelope, Kinds

_SET_A_MODEL: Final = (
    "Say it in plain steps (docs/chat.md lists them), or set `PAGEHAND_MODEL` to `provider:model` "
    "so that a language model can read it"
)
_THREAD: Final = OneThread("instructions")
_MAX_ANSWERS: Final = 2
"""The model may correct its answer once."""
_MAX_FOR_MODEL: Final = 300


class ChatModel(Protocol):
    """What the chat needs of a language model."""

    def prompt(self, name: str, /, **words: str) -> str:
        """The instructions of a task."""
        ...

    async def data(self, instructions: str, material: str, schema: Mapping[str, Any], /) -> Any:
        """An answer that is valid against `schema`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatContext:
    """What a message can refer to."""

    existing: Sequence[Envelope] = ()
    """The blocks that the workflow already has."""
    parameters: Sequence[str] = ()
    logins: Mapping[str, str] | None = None
    """Ids of the organization's stored logins by name."""
    pages: Pages | None = None
    material: str = ""
    """For the model: elements of the visited pages, and earlier messages."""


class Chat:
    """Answers messages with blocks."""

    def __init__(self, kinds: Kinds, grammar: Grammar, catalog: Callable[[], str]) -> None:
        """`catalog` describes the kinds to the model; called only when the model is needed."""
        self._kinds = kinds
        self._grammar = grammar
        self._catalog = catalog

    async def blocks(self, message: str, context: ChatContext, model: ChatModel | None) -> list[Envelope]:
        """Valid blocks for the message; `InvalidRequest` says why there are none."""
        known = Known(
            parameters=context.parameters,
            logins=context.logins,
            existing=self._outputs(context.existing),
            pages=context.pages,
        )
        try:
            definitions = await _THREAD.run(self._grammar.read, message, **known)
            # checked like any definition: what the grammar builds may still not fit the workflow
            return self._parse(definitions, context)
        except InvalidRequest as refusal:
            is_for_model = isinstance(refusal, NotUnderstood)
            if model is None or not is_for_model:
                clauses = await _THREAD.run(self._grammar.read_partly, message, **known)
                sentence = f"{refusal.message}. {_SET_A_MODEL}" if is_for_model else refusal.message
                raise InvalidRequest(sentence, beside=self._understood_part(clauses, context)) from refusal
        return await self._ask(message, context, model)

    def _understood_part(self, clauses: Sequence[Clause], context: ChatContext) -> Json:
        """What of a message was understood, and what was not, for its author to settle."""
        parser = Parser(self._kinds, UsedIds(context.existing))
        understood: list[Envelope] = []
        open_clauses: list[Clause] = []
        for clause in clauses:
            try:
                understood.extend(parser.sequence(list(clause.blocks), "blocks"))
            except InvalidRequest as problem:
                open_clauses.append(replace(clause, reason=problem.message))
            else:
                open_clauses.extend([clause] if clause.reason else [])
        return {
            "understood": tree.to_json(understood),
            "notUnderstood": [
                {
                    "text": clause.text,
                    "position": clause.position,
                    "reason": clause.reason,
                    "suggestions": list(clause.suggestions),
                }
                for clause in open_clauses
            ],
        }

    def _outputs(self, existing: Sequence[Envelope]) -> list[Output]:
        """The outputs of the existing blocks; those in loops and branches can only be used by reference."""
        # a block in a loop or a branch may not have run when a later one uses its output
        top_level = {block.id for block in existing}
        kind = self._grammar.output_kind
        return [
            Output(inner.block_reference_id, kind(inner.type) if inner.id in top_level else None)
            for inner in tree.walk(existing)
        ]

    def _parse(self, definitions: Any, context: ChatContext) -> list[Envelope]:
        return Parser(self._kinds, UsedIds(context.existing)).sequence(definitions, "blocks")

    async def _ask(self, message: str, context: ChatContext, model: ChatModel) -> list[Envelope]:
        problem = ""
        # bounded, because each answer costs a call
        for _ in range(_MAX_ANSWERS):
            # beside the event loop: the description of all kinds is made from their schemas
            prompt = await _THREAD.run(self._prompt, message, context, model, problem)
            answer = convert(await model.data(prompt, context.material, _ANSWER_SCHEMA), _Answer)
            if not answer.blocks:
                raise InvalidRequest(
                    f"No blocks were made of it: {answer.refusal or 'the model gave no reason'}"
                )
            try:
                return _with_strict_locators(self._parse(answer.blocks, context))
            except InvalidRequest as error:
                problem = (
                    f"- Your last answer was refused: {error.message} Give the whole list again, mended."
                )
        raise InvalidRequest(f"The model's blocks are not valid, and it could not mend them: {problem}")

    def _prompt(self, message: str, context: ChatContext, model: ChatModel, problem: str) -> str:
        return model.prompt(
            "chat",
            instruction=message,
            parameters=", ".join(context.parameters) or "none declared",
            present=", ".join(f"{block.block_reference_id} ({block.name})" for block in context.existing)
            or "none",
            kinds=self._catalog(),
            problem=problem,
        )


def _with_strict_locators(blocks: list[Envelope]) -> list[Envelope]:
    """The blocks of a model: what it saw of the page may not be all that the page has when they run."""
    for block in tree.walk(blocks):
        if block.locator and "words" not in block.locator:
            block.locator = {"strict": True, **block.locator}
    return blocks


class _Answer(Struct):
    """What the model answers; the schema below says the same to the model."""

    blocks: list[Json]
    refusal: str = ""


_BLOCK_SCHEMA: Final = {
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
_ANSWER_SCHEMA: Final = {
    "type": "object",
    "properties": {"blocks": {"type": "array", "items": _BLOCK_SCHEMA}, "refusal": {"type": "string"}},
    "required": ["blocks"],
}


class VisitedPages:
    """Snapshots of pages; the newest is searched first."""

    def __init__(self, oldest_first: Sequence[Snapshot]) -> None:
        self._newest_first = list(reversed(oldest_first))
        self._found: dict[tuple[str, TargetKind], Json | NotUnderstood | None] = {}

    def __bool__(self) -> bool:
        """False when no page was kept: then nothing is known to be missing."""
        return bool(self._newest_first)

    def describe_for_model(self) -> str:
        """The elements of the newest page, one per line."""
        newest = self._newest_first[0].candidates[:_MAX_FOR_MODEL] if self._newest_first else []
        return "\n".join(str(item) for item in newest)

    def find(self, words: str, target: TargetKind, /) -> Json | None:
        """A locator of the element; None when no page has it, `NotUnderstood` when several elements fit."""
        # each reading that is tried asks for the same words, and a large page takes milliseconds
        if (words, target) not in self._found:
            self._found[words, target] = self._search(words, target)
        found = self._found[words, target]
        if isinstance(found, NotUnderstood):
            raise NotUnderstood(found.words, found.reason) from found
        return dict(found) if found is not None else None

    def _search(self, words: str, target: TargetKind) -> Json | NotUnderstood | None:
        try:
            found = (_find_on(page, words, target) for page in self._newest_first)
            return next((locator for locator in found if locator is not None), None)
        except NotUnderstood as refusal:
            return refusal


def _find_on(page: Snapshot, words: str, target: TargetKind) -> Json | None:
    """By role and name where these are enough, else by the words; never by a path in the page."""
    try:
        locator = resolve(words, page, target).locator
    except NotPresent:
        return None
    except NotClear as problem:
        raise NotUnderstood(words, problem.message) from problem
    found = locator.as_given()
    # a selector may break with the next release of the site; words are looked up at every run
    return {"words": words} if "css" in found or "xpath" in found else found
