"""From the short form to the definition that the API takes; what is wrong is collected with its place."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from pagehand.blocks import Registry
from pagehand.blocks.base import Block
from pagehand.errors import InvalidRequest, UserMistake
from pagehand.records import Json, is_array, is_object
from pagehand.workflow.block_keys import sentence
from pagehand.workflow.parse import MAX_DEPTH, find_kind
from pagehand.workflow.problems import shown
from pagehand.workflow.refusals import ARRAY, OBJECT, STRING, missing, unknown_key
from pagehand.workflow_files.positions import Complaint, Document, Path
from pagehand.workflow_files.words import (
    LOGIN,
    PARAMETER_FIELDS,
    PARAMETER_WORDS,
    SEQUENCES,
    WORKFLOW_FIELDS,
    block_words,
)

LoginId = Callable[[str], str]
"""The id of the login with that name; raises UserMistake if there is none."""
_KIND: Final = "kind"


class Expander:
    """Expands one document; `complaints` are complete once `definition` was made."""

    def __init__(self, document: Document, kinds: Registry, login_id: LoginId) -> None:
        self._document = document
        self._kinds = kinds
        self._login_id = login_id
        self.complaints: list[Complaint] = []
        self.places: dict[str, Path] = {}
        """Where in the file each block stands, by its place in the definition: `blocks[0]`."""

    def definition(self) -> Json:
        """The body of a `/workflows/create` request, as far as it could be made."""
        given = self._document.value
        if not is_object(given):
            self._complain((), f"expected the fields of a workflow, got {shown(given)}.")
            return {}
        for key in given:
            if key not in WORKFLOW_FIELDS:
                self._complain((key,), sentence(f"`{key}`: {unknown_key(key, WORKFLOW_FIELDS)}"))
        made = {key: given[key] for key in WORKFLOW_FIELDS if given.get(key) is not None}
        if "name" not in made:
            self._complain((), sentence(missing("name")))
        if "parameters" in made:
            made["parameters"] = list(self._parameters(made["parameters"]))
        made["blocks"] = self._sequence(made.get("blocks", []), ("blocks",), "blocks")
        return made

    def _parameters(self, given: Any) -> Iterator[Json]:
        if not is_object(given):
            self._complain(("parameters",), f"`parameters`: expected a map by name, got {shown(given)}.")
            return
        for name, fields in given.items():
            path = ("parameters", name)
            # `claim:` alone declares a parameter that may be anything
            described: Any = Json() if fields is None else fields
            if not is_object(described):
                self._complain(path, f"`{name}`: expected {OBJECT}, got {shown(described)}.")
                continue
            for key in described:
                if key not in PARAMETER_FIELDS:
                    problem = unknown_key(key, PARAMETER_FIELDS)
                    self._complain((*path, key), sentence(f"`{name}.{key}`: {problem}"))
            yield {
                "name": name,
                **{
                    PARAMETER_WORDS.get(key, key): value
                    for key, value in described.items()
                    if key in PARAMETER_FIELDS and value is not None
                },
            }

    def _sequence(self, given: Any, path: Path, at: str) -> list[Json]:
        if not is_array(given):
            self._complain(path, f"`{path[-1]}`: expected {ARRAY} of blocks, got {shown(given)}.")
            return []
        blocks = (self._block(item, (*path, number), f"{at}[{number}]") for number, item in enumerate(given))
        return [block for block in blocks if block is not None]

    def _block(self, given: Any, path: Path, at: str) -> Json | None:
        self.places[at] = path
        if not is_object(given):
            self._complain(path, f"expected a block, such as `kind: Navigate`, got {shown(given)}.")
            return None
        kind = self._kind(given, path, at)
        # deeper than any workflow may be: the parser refuses it when it comes there
        if kind is None or len(path) > 2 * MAX_DEPTH + 4:
            return None
        block: Json = {"type": kind.type, "data": {}}
        words = block_words(kind)
        for key, value in given.items():
            if key not in words:
                self._complain((*path, key), sentence(f"`{key}`: {self._unknown(key, kind, words)}"))
            elif value is not None and key != _KIND:
                self._set(block, words[key], self._value(key, value, (*path, key), at))
        return block

    def _value(self, key: str, value: Any, path: Path, at: str) -> Any:
        if key in SEQUENCES:
            return self._sequence(value, path, f"{at}.sequenceData.{SEQUENCES[key]}")
        if key == LOGIN:
            return self._login(value, path)
        # words alone say which element is meant
        return {"words": value} if key == "at" and isinstance(value, str) else value

    def _login(self, name: Any, path: Path) -> Any:
        if not isinstance(name, str):
            self._complain(path, f"`login`: expected {STRING}, got {shown(name)}.")
            return None
        try:
            return self._login_id(name)
        except UserMistake as problem:
            self._complain(path, f"`login`: {problem}")
            return None

    def _kind(self, given: Json, path: Path, at: str) -> type[Block] | None:
        if _KIND not in given:
            self._complain(path, sentence(missing(_KIND)))
            return None
        try:
            return self._kinds[find_kind(self._kinds, given[_KIND], at).type]
        except InvalidRequest as problem:
            self._complain((*path, _KIND), problem.message.replace(f"`{at}.type`", "`kind`"))
            return None

    @staticmethod
    def _unknown(key: str, kind: type[Block], words: dict[str, str]) -> str:
        if key in kind.key_hints:
            return f"unknown key; {kind.key_hints[key]}"
        if key in SEQUENCES:
            return f"{kind.title} blocks have no blocks there"
        if key == "at":
            return f"{kind.title} blocks have no use for an element; leave it out"
        return unknown_key(key, [word for word in words if not word.startswith("data.")])

    @staticmethod
    def _set(block: Json, field: str, value: Any) -> None:
        outer, _, inner = field.partition(".")
        if inner:
            block.setdefault(outer, {})[inner] = value
        else:
            block[outer] = value

    def _complain(self, path: Path, message: str) -> None:
        self.complaints.append(Complaint(message, self._document.nearest(path)))
