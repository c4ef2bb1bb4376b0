"""From steps to the text of a workflow file that passes `pagehand check`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import orjson

from pagehand.blocks import Registry
from pagehand.checks import check_workflow
from pagehand.checks.grammar import code_problem, problem_of
from pagehand.checks.workflow import code_of, fragments_of_block
from pagehand.errors import InvalidRequest
from pagehand.imports.steps import COMMENT, Steps, Unmapped
from pagehand.records import Json
from pagehand.workflow import tree
from pagehand.workflow.parse import MAX_BLOCKS, MAX_DEPTH, Parser, parse_blocks
from pagehand.workflow_files.shortening import no_login, shorten
from pagehand.workflow_files.words import SEQUENCES
from pagehand.workflow_files.writing import to_text

_NAMED: Final = re.compile(r"block `([^`]*)`, `([^`]*)`: (.*)", re.DOTALL)
_LONGEST_NAME: Final = 200
_LONGEST_COMMENT: Final = 2000
_MARK: Final = "comment-of-import"


@dataclass(slots=True, frozen=True)
class Imported:
    """A recording that has become a workflow."""

    name: str
    text: str
    """The workflow file."""
    unmapped: list[Unmapped]
    mapped: int
    """How many steps became blocks."""


def finish(name: str, steps: Steps, kinds: Registry, logins: frozenset[str] = frozenset()) -> Imported:
    """The workflow file; blocks that would not pass `pagehand check` become comments, with the reason."""
    _Checker(steps, kinds).check()
    _hide_in_comments(steps, steps.blocks)
    shown = " ".join(name.split())[:_LONGEST_NAME] or "Imported workflow"
    parameters = [
        {
            "name": key,
            "isRequired": value.get("required", False),
            "isSecret": value.get("secret", False),
            **{field: value[field] for field in ("type", "default", "description") if field in value},
        }
        for key, value in steps.parameters.items()
    ]
    whole = {"name": shown, "blocks": _parsed(steps.blocks, kinds), "parameters": parameters}
    short = shorten(whole, kinds, lambda login: login if login in logins else no_login(login))
    comments: list[list[Unmapped]] = []
    mark = _unused_mark(short)
    short["blocks"] = _with_comments(short["blocks"], steps.blocks, comments, mark)
    text = _comments_as_lines(to_text(short), ["\n".join(map(str, group)) for group in comments], mark)
    unmapped = [step for group in comments for step in group]
    return Imported(shown, text, unmapped, steps.mapped)


def _parsed(blocks: list[Json], kinds: Registry) -> list[Json]:
    return tree.to_json(parse_blocks(_definitions(blocks), kinds))


def _definitions(blocks: list[Json]) -> list[Json]:
    """The definitions alone, without comments."""
    return [
        {
            **{key: value for key, value in block.items() if key != "step"},
            "sequenceData": {
                name: _definitions(inner) for name, inner in block.get("sequenceData", {}).items()
            },
        }
        for block in blocks
        if COMMENT not in block
    ]


class _Checker:
    """Turns blocks that nobody could run into comments."""

    def __init__(self, steps: Steps, kinds: Registry) -> None:
        self._steps = steps
        self._kinds = kinds

    def check(self) -> None:
        """Check the blocks one by one, then their references to each other."""
        self._sequence(self._steps.blocks, 1)
        _refuse_too_many(self._steps.blocks)
        while (problem := self._problem_together()) is not None:
            named, reason = problem
            if not self._drop(self._steps.blocks, named, reason):
                raise InvalidRequest(reason)

    def _sequence(self, blocks: list[Json], depth: int) -> None:
        for position, block in enumerate(blocks):
            if COMMENT in block:
                continue
            block["data"] = self._steps.with_parameters(block["data"])
            too_deep = f"blocks are nested more than {MAX_DEPTH} deep" if depth > MAX_DEPTH else None
            if problem := too_deep or self._problem(block):
                self._replace(blocks, position, problem)
                continue
            for inner in block.get("sequenceData", {}).values():
                self._sequence(inner, depth + 1)

    def _problem(self, block: Json) -> str | None:
        written = [str(item) for key, item in block.items() if key not in ("step", "sequenceData")]
        if any(self._steps.has_secret(text) for text in written):
            return "it holds a secret"
        definition = {key: value for key, value in block.items() if key not in ("step", "sequenceData")}
        try:
            parsed = Parser(self._kinds).block(definition, "blocks[0]")
        except InvalidRequest as refusal:
            return refusal.message.partition(": ")[2] or refusal.message
        kind = self._kinds[parsed.type]
        found = (problem_of(fragment) for fragment in fragments_of_block(parsed, kind))
        in_code = (code_problem(code) for code in code_of(parsed, kind))
        return next((problem for problem in (*found, *in_code) if problem is not None), None)

    def _problem_together(self) -> tuple[str, str] | None:
        parsed = parse_blocks(_definitions(self._steps.blocks), self._kinds)
        try:
            check_workflow(
                parsed, self._kinds, parameters=[{"name": name} for name in self._steps.parameters]
            )
        except InvalidRequest as refusal:
            found = _NAMED.fullmatch(refusal.message)
            if found is None:
                raise
            names = [block.block_reference_id for block in tree.walk(parsed)]
            return str(names.index(found[1])), found[3]
        return None

    def _drop(self, blocks: list[Json], number: str, reason: str) -> bool:
        """Replace the block of that number, counted as the parser does: parents first."""
        for at, (sequence, position) in enumerate(_places(blocks)):
            if str(at) == number:
                self._replace(sequence, position, reason)
                return True
        return False

    def _replace(self, blocks: list[Json], position: int, reason: str) -> None:
        """A comment in place of a block; what is nested in it goes with it, since it has lost its sense."""
        block = blocks[position]
        lost = [
            block,
            *(
                sequence[at]
                for inner in block.get("sequenceData", {}).values()
                for sequence, at in _places(inner)
            ),
        ]
        self._steps.mapped -= len(lost)
        made = [
            Unmapped(
                step.get("step", ""),
                _described(step),
                reason.rstrip(".") if step is block else "it is part of the step before",
            )
            for step in lost
        ]
        blocks[position] = {COMMENT: made}


def _hide_in_comments(steps: Steps, blocks: list[Json]) -> None:
    """Take the secrets out of comments: those that came after them, too."""
    for block in blocks:
        if COMMENT in block:
            block[COMMENT] = [
                Unmapped(unmapped.where, steps.hidden(unmapped.what), steps.hidden(unmapped.reason))
                for unmapped in block[COMMENT]
            ]
        for inner in block.get("sequenceData", {}).values():
            _hide_in_comments(steps, inner)


def _refuse_too_many(blocks: list[Json]) -> None:
    count = sum(1 for _ in _places(blocks))
    if count > MAX_BLOCKS:
        raise InvalidRequest(f"the recording has {count} steps; a workflow can have {MAX_BLOCKS} blocks.")


def _places(blocks: list[Json]) -> Iterator[tuple[list[Json], int]]:
    """Where every block stands, parents first, as the parser counts them."""
    for position, block in enumerate(blocks):
        if COMMENT not in block:
            yield blocks, position
            for name in SEQUENCES.values():
                yield from _places(block.get("sequenceData", {}).get(name, []))


def _described(block: Json) -> str:
    shown: Any = {key: block[key] for key in ("locator", "data") if block.get(key)}
    return f"{block.get('name') or block['type']} {orjson.dumps(shown).decode()}"


def _unused_mark(short: Json) -> str:
    written, mark = orjson.dumps(short).decode(), _MARK
    while mark in written:
        mark += "-"
    return mark


def _with_comments(
    short: list[Json], blocks: list[Json], comments: list[list[Unmapped]], mark: str
) -> list[Json]:
    """The short blocks, with a line to be replaced where a comment stands."""
    left, made = iter(short), list[Json]()
    for block in blocks:
        if COMMENT in block:
            made.append({mark: len(comments)})
            comments.append(block[COMMENT])
            continue
        written = next(left)
        for word, name in SEQUENCES.items():
            if inner := block.get("sequenceData", {}).get(name):
                written[word] = _with_comments(written.get(word, []), inner, comments, mark)
        made.append(written)
    return made


def _comments_as_lines(text: str, comments: list[str], mark: str) -> str:
    line = re.compile(rf"^( *)- {re.escape(mark)}: ([0-9]+)$", re.MULTILINE)
    return line.sub(lambda found: _lines(found[1], comments[int(found[2])]), text)


def _lines(indent: str, comment: str) -> str:
    return (
        "\n".join(f"{indent}# {_printable(line)}".rstrip() for line in comment.splitlines()) or indent + "#"
    )


def _printable(line: str) -> str:
    shown = "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape", "replace").decode()
        for letter in line
    )
    return shown if len(shown) <= _LONGEST_COMMENT else f"{shown[:_LONGEST_COMMENT]}…"
