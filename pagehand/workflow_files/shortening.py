"""From a workflow as the API shows it to the short form: without ids and defaults, always in one order."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import orjson

from pagehand.blocks import Registry
from pagehand.blocks.base import Block
from pagehand.records import Json
from pagehand.workflow.parse import as_parsed_locator
from pagehand.workflow_files.words import (
    FLAGS,
    LOGIN,
    LOGIN_ID,
    PARAMETER_FIELDS,
    PARAMETER_WORDS,
    SEQUENCES,
    WORKFLOW_DEFAULTS,
    WORKFLOW_FIELDS,
    defaults,
    names_login,
    written_field,
)

LoginName = Callable[[str], str | None]
"""The name of the login with that id; None where it cannot stand for the id."""
_WORD: Final = re.compile(r"[A-Za-z0-9_-]+")


def no_login(login_id: str) -> None:
    """Leaves the ids of logins as they are."""
    del login_id


def shorten(workflow: Json, kinds: Registry, login_name: LoginName) -> Json:
    """The short form of a workflow: what `/workflows/export` answers with, or a definition."""
    shortener = _Shortener(workflow, kinds, login_name)
    short = {**WORKFLOW_DEFAULTS, **{key: value for key, value in workflow.items() if value is not None}}
    short["blocks"] = [shortener.block(block) for block in workflow.get("blocks", [])]
    short["parameters"] = {declared["name"]: _parameter(declared) for declared in short["parameters"]}
    short["tags"] = sorted(short["tags"])
    return {
        key: short[key]
        for key in WORKFLOW_FIELDS
        if key not in WORKFLOW_DEFAULTS or (short[key] and not _same(short[key], WORKFLOW_DEFAULTS[key]))
    }


def _parameter(given: Json) -> Json:
    words = {name: word for word, name in PARAMETER_WORDS.items()}
    short = {words.get(key, key): value for key, value in given.items()}
    # a default may be false or empty, which is not the same as none
    return {
        key: short[key] for key in PARAMETER_FIELDS if short.get(key) or (key == "default" and _is_set(short))
    }


def _is_set(parameter: Json) -> bool:
    return parameter.get("default") is not None


class _Shortener:
    def __init__(self, workflow: Json, kinds: Registry, login_name: LoginName) -> None:
        self._kinds = kinds
        self._login_name = login_name
        self._needed = _needed_references(workflow)

    def block(self, block: Json) -> Json:
        """One block with what is nested in it."""
        kind, reference = self._kinds[block["type"]], block["blockReferenceId"]
        short: Json = {"kind": kind.type}
        if block["name"] != kind.title:
            short["name"] = block["name"]
        if reference in self._needed:
            short["ref"] = reference
        if locator := block.get("locator"):
            short["at"] = locator["words"] if list(locator) == ["words"] else locator
        short |= self._data(block, kind)
        for name, default in FLAGS.items():
            if block.get(name, default) != default:
                short[name] = block[name]
        nested: Json = block.get("sequenceData") or {}
        for word, name in SEQUENCES.items():
            if nested.get(name):
                short[word] = [self.block(child) for child in nested[name]]
        return short

    def _data(self, block: Json, kind: type[Block]) -> Json:
        data = block["data"]
        left_out = defaults(kind)
        kept = {
            name: data[name]
            for name in kind.field_names()
            if name in data
            and not (name in left_out and (data[name] is None or _same(data[name], left_out[name])))
        }
        for name in [name for name in kept if name in left_out and _is_completed(name, kept, block, kind)]:
            del kept[name]
        login = self._login_name(kept.get(LOGIN_ID, "")) if names_login(kind) else None
        if login is not None:
            kept = {LOGIN if name == LOGIN_ID else name: value for name, value in kept.items()}
            kept[LOGIN] = login
            return kept
        return {written_field(name, kind): value for name, value in kept.items()}


def _is_completed(name: str, data: Json, block: Json, kind: type[Block]) -> bool:
    """Whether the kind itself fills in that very value where it is left out."""
    if kind.complete is Block.complete:
        return False
    rest = {key: value for key, value in data.items() if key != name}
    locator = block.get("locator")
    completed = kind.complete(rest, locator or {}, block["blockReferenceId"])
    if not _same(completed.get(name), data[name]):
        return False
    return kind.what_prevents_running(rest, as_parsed_locator(locator)) is None


def _needed_references(workflow: Json) -> set[str]:
    """References that must be written: chosen ones, and those that something in the workflow may name."""
    blocks = list(walk_blocks(workflow.get("blocks", [])))
    texts = orjson.dumps(
        [workflow.get("output"), workflow.get("parameters"), [_own(block) for block in blocks]]
    )
    named = set(_WORD.findall(texts.decode()))
    needed = {block["blockReferenceId"] for block in blocks if block["blockReferenceId"] in named}
    # what is left out is numbered when it is read, around those that are written
    while missed := {reference for reference, made in _numbered(blocks, needed) if reference != made}:
        needed |= missed
    return needed


def _own(block: Json) -> list[Any]:
    return [block["data"], block.get("locator"), block.get("transformerFn")]


def _numbered(blocks: list[Json], written: set[str]) -> Iterator[tuple[str, str]]:
    """The references of blocks that have none written, and those that the parser would give them."""
    numbers: dict[str, int] = {}
    for block in blocks:
        reference, kind = block["blockReferenceId"], block["type"]
        if reference in written:
            continue
        number = numbers.get(kind, 0) + 1
        while (made := f"{kind}_{number}") in written:
            number += 1
        numbers[kind] = number
        yield reference, made


def walk_blocks(blocks: list[Json]) -> Iterator[Json]:
    """All blocks, parents before their children."""
    for block in blocks:
        yield block
        nested: Json = block.get("sequenceData") or {}
        # in the order in which the file has them, and so the parser
        for name in SEQUENCES.values():
            yield from walk_blocks(nested.get(name) or [])


def _same(left: Any, right: Any) -> bool:
    # by type too: to Python, true is 1
    return orjson.dumps(left, option=orjson.OPT_SORT_KEYS) == orjson.dumps(right, option=orjson.OPT_SORT_KEYS)
