"""Outputs of earlier steps, and the words that refer to them: "the results", "the file"."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.vocabulary import OutputKind, ParseContext
from pagehand.records import Json

_REFERENCES: Final[dict[OutputKind, re.Pattern[str]]] = {
    "data": re.compile(
        r"(?:(?:the|these|those|all|all the) (?:extracted |collected )?"
        r"(?:results?|data|values?|rows?|records|output|table|list)|it|them|all of (?:it|them))",
        re.IGNORECASE,
    ),
    "file": re.compile(
        r"(?:(?:the|that|this|these|all the) (?:[a-z]+ed |new |finished |csv |zip |pdf |word |excel )?"
        r"(?:files?|download|archive|zip|pdf|csv|document|form|letter|spreadsheet|workbook|sheet|result|"
        r"outcome|copy|"
        r"screenshot|report|invoice|statement|images|pictures|photos)|it|them|all of (?:it|them))",
        re.IGNORECASE,
    ),
}


_MARK: Final = re.compile(r"ꙮ\d+ꙮ")


def mark_output_use(block: Json, words: str, **fields: str) -> Json | None:
    """The block, marked to use an earlier step's output in a field for its kind; None for other words."""
    kinds = [kind for kind in fields if _REFERENCES[cast("OutputKind", kind)].fullmatch(words.strip())]
    if not kinds:
        return None
    return {**block, "uses": {"fields": {kind: fields[kind] for kind in kinds}, "words": words.strip()}}


def fill_in_outputs(blocks: Sequence[Json], context: ParseContext) -> None:
    """Replace the marks of `mark_output_use` by templates; existing blocks of the workflow count too."""
    sources = [_Source(block.kind, block.reference) for block in context.existing]
    outputs = _Outputs({block.reference for block in context.existing}, context.vocabulary.output_kind)
    outputs.fill(blocks, sources)
    outputs.fill_in_values(blocks)


@dataclass(slots=True)
class _Source:
    kind: OutputKind | None
    reference: str = ""
    block: Json | None = None
    """Set for a step of this message, which is preferred to existing blocks of the workflow."""


def is_marked(block: Json) -> bool:
    """True when the block uses a value that a step before reads."""
    return _MARK.search(json.dumps([block["data"], block.get("locator")], ensure_ascii=False)) is not None


def read_mark(number: int) -> str:
    """Stands for the reference of a block that reads values, until it has one."""
    # a letter that no text has by accident: names and expressions take it like any other
    return f"ꙮ{number}ꙮ"


def merge_name(block: Json, step: Json) -> Json | None:
    """The file that a block makes is called as the step after it says."""
    if "file_name" not in step or "fileName" in block["data"]:
        return None
    return {**block, "data": {**block["data"], "fileName": step["file_name"]}} if step["file_name"] else block


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
                if uses.get("given") and not any(source.kind in uses["fields"] for source in sources):
                    block["data"]["file"] = uses["given"]
                    continue
                source = self._source(uses, sources)
                reference = source.reference or self._name(source)
                block["data"][uses["fields"][source.kind]] = f"{{{{blocks.{reference}}}}}"
                # what was made of it is meant from now on: the unpacked files, not the archive
                if source.kind == self._output_kind(block):
                    sources.remove(source)
            if (kind := self._output_kind(block)) is not None:
                sources.append(_Source(kind, block=block))

    def _source(self, uses: Json, sources: Sequence[_Source]) -> _Source:
        if uses.get("given"):
            raise NotUnderstood(uses["words"], f"it may be `{uses['given']}` or what a step before made")
        fitting = [source for source in sources if source.kind in uses["fields"]]
        # a step of this message is preferred to a block that the workflow already has
        matching = [source for source in fitting if source.block is not None] or fitting
        # "it" may be a file or what was read: the one that came last
        matching = [source for source in matching if source.kind == matching[-1].kind]
        if len(matching) != 1:
            which = "several steps before have" if matching else "no step before has"
            raise NotUnderstood(uses["words"], f"{which} such an output; name the block: `{{{{blocks.…}}}}`")
        return matching[0]

    def fill_in_values(self, blocks: Sequence[Json]) -> None:
        """Replace the marks of blocks that read values by their references."""
        for block in _all_blocks(blocks):
            if (mark := block.pop("mark", None)) is None or mark not in (
                text := json.dumps(blocks, ensure_ascii=False)
            ):
                continue
            numbers = re.findall(rf"{mark}\.(\w+) (?:[<>]=?|[!=]= -?\d)", text)
            for name in (*numbers, *re.findall(rf"[<>]=? blocks\.{mark}\.(\w+)", text)):
                schema = block["data"]["schema"]
                (schema if "properties" in schema else schema["items"])["properties"][name] = {
                    "type": "number"
                }
            reference = block.get("blockReferenceId") or self._name(_Source(None, block=block))
            for other in _all_blocks(blocks):
                _replace_in(other, mark, reference)

    def _name(self, source: _Source) -> str:
        block = source.block or {}
        number = 1
        while (reference := f"{block['type']}_{number}") in self._taken:
            number += 1
        self._taken.add(reference)
        source.reference = block["blockReferenceId"] = reference
        return reference


def _all_blocks(blocks: Sequence[Json]) -> Iterator[Json]:
    for block in blocks:
        yield block
        for nested in block.get("sequenceData", {}).values():
            yield from _all_blocks(nested)


def _replace_in(block: Json, mark: str, reference: str) -> None:
    for key in ("data", "locator"):
        if key in block:
            text = json.dumps(block[key], ensure_ascii=False)
            block[key] = json.loads(text.replace(mark, reference))
