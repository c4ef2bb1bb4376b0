"""The words of the short form, beside those of the API that they stand for."""

from functools import cache
from typing import Any, Final

from pydantic_core import to_jsonable_python

from pagehand.blocks.base import Block
from pagehand.records import Json

PARAMETER_WORDS: Final = {"required": "isRequired", "secret": "isSecret"}
"""Words of the file, and the fields of the API; the other fields of a parameter are called the same."""
PARAMETER_FIELDS: Final = ("type", "required", "secret", "default", "enum", "description")
WORKFLOW_FIELDS: Final = ("name", "tags", "parameters", "output", "retrySafe", "pictures", "blocks")
WORKFLOW_DEFAULTS: Final[Json] = {
    "tags": [],
    "parameters": [],
    "output": None,
    "retrySafe": False,
    "pictures": "all",
}
SEQUENCES: Final = {"do": "sequence", "then": "trueSequence", "else": "falseSequence"}
FLAGS: Final[Json] = {
    "isCacheable": True,
    "skipIfNotPresent": False,
    "useWorkflowRecoveryAgent": False,
    "transformerFn": "",
}
"""What a block may have beside its data, with the defaults."""
LOGIN: Final = "login"
"""Names a stored login, for the id that the API has."""
LOGIN_ID: Final = "loginId"
_BLOCK_WORDS: Final = frozenset(("kind", "name", "ref", "at", *FLAGS, *SEQUENCES))
_PREFIX: Final = "data."


def written_field(name: str, kind: type[Block]) -> str:
    """How a field of `data` is called in the file: with a prefix where blocks have another word like it."""
    is_taken = name in _BLOCK_WORDS or (name == LOGIN and names_login(kind))
    return _PREFIX + name if is_taken else name


def block_words(kind: type[Block]) -> dict[str, str]:
    """The words that a block of this kind may have in a file, and the paths in the API that they mean."""
    words = {"kind": "type", "name": "name", "ref": "blockReferenceId"}
    if kind.locator_use != "unused":
        words["at"] = "locator"
    if names_login(kind):
        words[LOGIN] = f"data.{LOGIN_ID}"
    words |= {written_field(name, kind): f"data.{name}" for name in kind.field_names()}
    words |= {name: name for name in FLAGS}
    return words | {
        word: f"sequenceData.{name}" for word, name in SEQUENCES.items() if name in kind.sequences
    }


def names_login(kind: type[Block]) -> bool:
    """Whether blocks of the kind name a stored login in their data."""
    return kind.names_logins and LOGIN_ID in kind.field_names()


@cache
def defaults(kind: type[Block]) -> Json:
    """The fields of `data` that may be left out, and what they mean then."""
    return {
        field.alias or name: _json(field.get_default(call_default_factory=True, validated_data={}))
        for name, field in kind.model_fields.items()
        if not field.is_required()
    }


def _json(default: Any) -> Any:
    return to_jsonable_python(default, by_alias=True, exclude_none=True)
