"""Writes a workflow file: the same workflow is always the same text."""

import io
import re
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import (
    DoubleQuotedScalarString,
    LiteralScalarString,
    SingleQuotedScalarString,
)

from pagehand.blocks import Registry
from pagehand.records import Json, is_array, is_object
from pagehand.workflow_files.positions import plain_value
from pagehand.workflow_files.shortening import LoginName, no_login, shorten
from pagehand.workflow_files.words import SEQUENCES

_WIDTH: Final = 100
"""A map or list of single values stands in one line if it fits."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9_/.+][\w /.,()+$%€-]*(?<! )")
"""Texts that need no quotes in any place."""
_LINES: Final = re.compile(r"(?:[^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]|\t)*")
_OTHER_YAML: Final = frozenset(("yes", "no", "on", "off", "y", "n"))
"""Words that YAML 1.1, which many editors still read, takes for true and false."""


def write_file(workflow: Json, kinds: Registry, login_name: LoginName = no_login) -> str:
    """The text of a workflow that `/workflows/export` has answered with, or of a definition."""
    return to_text(shorten(workflow, kinds, login_name))


def to_text(short: Json) -> str:
    """The text of a short form."""
    yaml = YAML(typ="rt")
    yaml.width = 1_000_000  # long texts are never folded: a change of a word would change many lines
    yaml.indent(mapping=2, sequence=4, offset=2)  # pyright: ignore[reportUnknownMemberType] - its types are partial
    yaml.allow_unicode = True
    stream = io.StringIO()
    yaml.dump(_map(short, is_block=True), stream)  # pyright: ignore[reportUnknownMemberType]
    return stream.getvalue()


def _styled(value: Any) -> Any:
    if isinstance(value, str):
        return _text(value)
    if is_array(value):
        return _sequence(value)
    return _map(value) if is_object(value) else value


def _map(given: Json, *, is_block: bool = False) -> Any:
    styled = CommentedMap()
    for key, value in given.items():
        is_blocks = is_block and (key in SEQUENCES or key == "blocks") and is_array(value)
        styled[_text(key)] = _blocks(value) if is_blocks else _styled(value)
    return styled if is_block else _in_line(styled, given)


def _blocks(given: list[Any]) -> CommentedSeq:
    return CommentedSeq(_map(block, is_block=True) for block in given)


def _sequence(given: list[Any]) -> Any:
    return _in_line(CommentedSeq(_styled(item) for item in given), given)


def _in_line(styled: Any, given: Any) -> Any:
    if _fits_in_line(given):
        styled.fa.set_flow_style()
    return styled


def _fits_in_line(given: Any) -> bool:
    """Whether a map or list is short, and holds single values of one line alone."""
    values = list(given.values()) if is_object(given) else list(given)
    if any((is_object(value) or is_array(value)) and value for value in values):
        return False
    if any(isinstance(value, str) and "\n" in value for value in values):
        return False
    return len(repr(given)) <= _WIDTH


def _text(text: str) -> Any:
    if "\n" in text and _can_be_lines(text):
        return LiteralScalarString(text)
    if "\n" not in text and _PLAIN.fullmatch(text) and _means_itself(text):
        return text
    # single quotes where double ones would need escapes
    if ('"' in text or "\\" in text) and _LINES.fullmatch(text) and text.strip() == text:
        return SingleQuotedScalarString(text)
    return DoubleQuotedScalarString(text)


def _means_itself(text: str) -> bool:
    return isinstance(plain_value(text), str) and text.lower() not in _OTHER_YAML and not _is_stamp(text)


def _is_stamp(text: str) -> bool:
    """Dates and the like, which other readers of YAML do not take for texts."""
    return text[0].isdigit() and not text[-1].isalpha()


def _can_be_lines(text: str) -> bool:
    lines = text.split("\n")
    return (
        text.lstrip("\n")[:1] not in ("", " ", "\t")
        and not text.endswith("\n\n")
        and all(_LINES.fullmatch(line) and line == line.rstrip() for line in lines)
    )
