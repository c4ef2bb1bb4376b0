"""Reads YAML 1.2, of which JSON is a part, into JSON values, and knows where each of them stands."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from pagehand.errors import InvalidRequest

Path = tuple[str | int, ...]
"""Keys and positions from the top of the document to a value."""
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_WHOLE: Final = re.compile(r"[-+]?[0-9]+")
_BASES: Final = {"0o": 8, "0x": 16}
_DIGITS: Final = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_DECIMAL: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_MOST_DIGITS: Final = 1000
_STRING_TAG: Final = "tag:yaml.org,2002:str"
_TAG_NAMES: Final = "tag:yaml.org,2002:"


class Position(NamedTuple):
    """A place in a text; both count from 1."""

    line: int
    column: int


@dataclass(slots=True, frozen=True)
class Complaint:
    """Something wrong in a file, and where."""

    message: str
    position: Position

    def __str__(self) -> str:
        """As compilers write it, so that editors can jump there."""
        return f"{self.position.line}:{self.position.column}: {self.message}"


class FileRefused(InvalidRequest):
    """A workflow file is not valid."""

    def __init__(self, complaints: Sequence[Complaint]) -> None:
        super().__init__("\n".join(str(complaint) for complaint in complaints))
        self.complaints = list(complaints)


@dataclass(slots=True, frozen=True)
class Document:
    """The value of a text, and the position of everything in it: of a key where it has one."""

    value: Any
    positions: dict[Path, Position]

    def nearest(self, path: Path) -> Position:
        """Where that stands, or else the innermost thing around it that is there."""
        while path and path not in self.positions:
            path = path[:-1]
        return self.positions[path]


def read_document(text: str) -> Document:
    """The document; raises FileRefused where it is not YAML, or more than JSON can say."""
    try:
        node = YAML(typ="safe", pure=True).compose(text)  # pyright: ignore[reportUnknownMemberType] - its types are partial
    except MarkedYAMLError as error:
        raise _not_yaml(error) from error
    except YAMLError as error:  # a character that YAML does not allow
        at = min(getattr(error, "position", 0), len(text))
        before = text[:at]
        where = Position(before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1)
        raise FileRefused([Complaint(f"this is not YAML: {_first_line(error)}.", where)]) from error
    except RecursionError as error:
        raise FileRefused([Complaint("this is nested too deeply.", Position(1, 1))]) from error
    if node is None:
        raise FileRefused([Complaint("the file is empty.", Position(1, 1))])
    reader = _Reader()
    return Document(reader.value(node, ()), reader.positions)


def _not_yaml(error: Any) -> FileRefused:
    mark = error.problem_mark or error.context_mark
    where = Position(mark.line + 1, mark.column + 1) if mark else Position(1, 1)
    problem = " ".join(str(part) for part in (error.context, error.problem) if part)
    return FileRefused([Complaint(f"this is not YAML: {problem}.", where)])


def _first_line(error: Exception) -> str:
    return (getattr(error, "reason", "") or str(error)).splitlines()[0]


class _Reader:
    def __init__(self) -> None:
        self.positions: dict[Path, Position] = {}

    def value(self, node: Any, path: Path) -> Any:
        """The JSON value of a node; positions of what is in it are kept."""
        self.positions.setdefault(path, _position(node))
        if node.anchor is not None:
            raise _refused(node, "anchors and aliases are not used in workflow files; write it out.")
        if not str(node.tag or _STRING_TAG).startswith(_TAG_NAMES):
            raise _refused(node, f"`{node.tag}`: tags are not used in workflow files.")
        if node.id == "mapping":
            return self._mapping(node, path)
        if node.id == "sequence":
            return [self.value(item, (*path, number)) for number, item in enumerate(node.value)]
        return _scalar(node)

    def _mapping(self, node: Any, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, item in node.value:
            if key_node.id != "scalar":
                raise _refused(key_node, "expected a text as the key.")
            key = str(key_node.value)
            if key in found:
                raise _refused(key_node, f"`{key}` stands here twice.")
            self.positions[*path, key] = _position(key_node)
            found[key] = self.value(item, (*path, key))
        return found


def _scalar(node: Any) -> Any:
    text, tag = str(node.value), str(node.tag or _STRING_TAG)
    # a quoted text is one, whatever it looks like
    if tag == _STRING_TAG or node.style in ("'", '"', "|", ">"):
        return text
    if _NOT_FINITE.fullmatch(text):
        raise _refused(node, f"`{text}` is not a number that JSON knows; put it in quotes if it is a text.")
    return plain_value(text)


def plain_value(text: str) -> Any:
    """What a text without quotes means, by the core schema of YAML 1.2."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > _MOST_DIGITS:
        return text
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DIGITS.fullmatch(text):
        return int(text[2:], _BASES[text[:2]])
    if _DECIMAL.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


def _position(node: Any) -> Position:
    return Position(node.start_mark.line + 1, node.start_mark.column + 1)


def _refused(node: Any, message: str) -> FileRefused:
    return FileRefused([Complaint(message, _position(node))])
