"""Blocks as a numbered list for people, nested blocks below their container."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pagehand.records import Json, is_array, is_object
from pagehand.secrets.vault import HIDDEN
from pagehand.workflow.tree import Envelope, Kinds

_SEQUENCES: Final = {"sequence": "each round", "trueSequence": "if so", "falseSequence": "otherwise"}
_MAX_LENGTH: Final = 200
_MASKED: Final = "SensitiveTextInput"


def describe_blocks(blocks: Sequence[Envelope], kinds: Kinds) -> str:
    """What the blocks do, one line for each."""
    count = "One block" if len(blocks) == 1 else f"{len(blocks)} blocks"
    return "\n".join([f"{count}:", *_lines(blocks, kinds, "")])


def _lines(blocks: Sequence[Envelope], kinds: Kinds, indent: str) -> Iterator[str]:
    for number, block in enumerate(blocks, 1):
        kind = kinds.kind_named(block.type)
        title = kind.title if kind else block.type
        label = title if block.name == title else f"{title}: {block.name}"
        details = [
            part
            for part in (_format_values(block.locator), _format_values(_without_secrets(block.data)))
            if part
        ]
        yield f"{indent}{number}. {label}" + (f" ({'; '.join(details)})" if details else "")
        for name, children in block.sequences.items():
            if children:
                yield f"{indent}   {_SEQUENCES.get(name, name)}:"
                yield from _lines(children, kinds, f"{indent}   ")


def _without_secrets(data: Json) -> Json:
    """The data without what is typed into password fields."""
    # the list is stored in the thread, which everybody in the organization can read
    shown = {**data, "value": HIDDEN} if data.get("inputType") == _MASKED else data
    if is_array(fields := shown.get("fields")):
        return {**shown, "fields": [_without_secrets(field) for field in fields if is_object(field)]}
    return shown


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _format_values(values: Json | None) -> str:
    text = ", ".join(f"{name} `{_text(value)}`" for name, value in (values or {}).items())
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}…"
