"""Reads a workflow file and checks it as the service would, without one: every complaint has its place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pagehand.api.fields import convert
from pagehand.api.resources.workflow_views import CreateWorkflow, Parameter, check_new
from pagehand.blocks import Registry
from pagehand.checks import WorkflowWarning
from pagehand.errors import InvalidRequest
from pagehand.records import Json
from pagehand.workflow import tree
from pagehand.workflow.block_keys import sentence
from pagehand.workflow.parse import Parser, parse_blocks
from pagehand.workflow_files.expanding import Expander, LoginId
from pagehand.workflow_files.positions import Complaint, Document, FileRefused, Path, read_document
from pagehand.workflow_files.words import LOGIN, LOGIN_ID, PARAMETER_WORDS, SEQUENCES

_OF_BLOCK: Final = re.compile(r"`(blocks[^`]*)`(?: \(`[^`]*`\))?(?:: )?(.*)", re.DOTALL)
"""How a refusal of `parse_blocks` begins."""
_OF_REFERENCE: Final = re.compile(r"block `([^`]*)`, `([^`]*)`: (.*)", re.DOTALL)
"""How a refusal of the checks begins."""
_FIELD: Final = re.compile(r"`([^`]*)`")
_STEP: Final = re.compile(r"[^.\[\]]+")
_API_WORDS: Final = (
    (re.compile(r"`data\."), "`"),
    (re.compile(r"`locator(?=[.`])"), "`at"),
    (re.compile(r"`(?:[^`]*\.)?blockReferenceId`"), "`ref`"),
)
_BLOCK_WORDS: Final = {"locator": "at", "blockReferenceId": "ref", "type": "kind"}
_OF_PARAMETERS: Final = {name: word for word, name in PARAMETER_WORDS.items()}


@dataclass(slots=True, frozen=True)
class CheckedFile:
    """A workflow file that may be kept."""

    definition: Json
    """The body of a `/workflows/create` request."""
    warnings: list[Complaint]
    """What is probably not meant."""


def check_file(text: str, kinds: Registry, login_id: LoginId = str) -> CheckedFile:
    """The definition in a file; raises FileRefused with all that is wrong as far as it can be seen."""
    document = read_document(text)
    expander = Expander(document, kinds, login_id)
    definition = expander.definition()
    places = _Places(document, expander.places)
    complaints = [*expander.complaints, *_wrong_parameters(definition, places)]
    complaints = complaints or list(_wrong_blocks(definition.get("blocks", []), "blocks", kinds, places))
    if complaints:
        raise FileRefused(sorted(complaints, key=lambda complaint: complaint.position))
    try:
        warnings = check_new(convert(definition, CreateWorkflow), kinds)[2]
    except InvalidRequest as refusal:
        places.know(definition["blocks"], kinds)
        raise FileRefused([places.complaint(refusal.message)]) from refusal
    places.know(definition["blocks"], kinds)
    return CheckedFile(definition, [places.warning(warning) for warning in warnings])


def _wrong_parameters(definition: Json, places: "_Places") -> Iterator[Complaint]:
    for parameter in definition.get("parameters", []):
        try:
            convert(parameter, Parameter)
        except InvalidRequest as refusal:
            yield places.complaint(refusal.message, ("parameters", parameter["name"]))


def _wrong_blocks(blocks: list[Json], at: str, kinds: Registry, places: "_Places") -> Iterator[Complaint]:
    """What is wrong with each block by itself, so that all are said at once."""
    for number, block in enumerate(blocks):
        here = f"{at}[{number}]"
        nested: Json = block.get("sequenceData", {})
        try:
            Parser(kinds).block({**block, "sequenceData": {}}, here)
        except InvalidRequest as refusal:
            yield places.complaint(refusal.message)
        for name, children in nested.items():
            yield from _wrong_blocks(children, f"{here}.sequenceData.{name}", kinds, places)


class _Places:
    """Finds the place in the file that a refusal or a warning speaks of."""

    def __init__(self, document: Document, blocks: dict[str, Path]) -> None:
        self._document = document
        self._blocks = blocks
        self._by_reference: dict[str, Path] = {}

    def know(self, blocks: list[Json], kinds: Registry) -> None:
        """Know the blocks of a definition by their references, too: also those that they were given."""
        try:
            parsed = parse_blocks(blocks, kinds)
        except InvalidRequest:  # its refusal names the block by its place
            return
        self._by_reference = {
            block.block_reference_id: path
            for block, path in zip(tree.walk(parsed), self._blocks.values(), strict=True)
        }

    def complaint(self, message: str, path: Path = ()) -> Complaint:
        """A refusal in the words of the file; `path` is what it is known to speak of."""
        if found := _OF_REFERENCE.fullmatch(message):
            path, message = self._by_reference.get(found[1], ()), f"`{found[2]}`: {found[3]}"
        elif found := _OF_BLOCK.fullmatch(message):
            path, rest = self._block(found[1])
            message = found[2]
            if rest:
                message = f"`{_in_block(rest)[-1]}`: {message}"
        field = _FIELD.match(message)
        if field:
            path = self._field(path, _STEP.findall(field[1]))
        for pattern, replacement in _API_WORDS:
            message = pattern.sub(replacement, message)
        return Complaint(sentence(message.rstrip(".")), self._document.nearest(path))

    def warning(self, warning: WorkflowWarning) -> Complaint:
        """A warning in the words of the file."""
        path = self._by_reference.get(warning.block_reference_id or "", ())
        where = self._document.nearest(self._field(path, _STEP.findall(warning.field)))
        return Complaint(sentence(warning.message), where)

    def _block(self, place: str) -> tuple[Path, list[str]]:
        """The block around a place, and what is left of the place inside it."""
        known = max((at for at in self._blocks if _is_inside(place, at)), key=len, default="")
        return self._blocks.get(known, ("blocks",)), _STEP.findall(place[len(known) :])

    def _field(self, path: Path, steps: list[str]) -> Path:
        """The path of a field; of what is not there the nearest around it is taken."""
        if not path and len(steps) > 1 and steps[0] == "parameters" and steps[1].isdigit():
            names = list(self._document.value["parameters"])
            path, steps = ("parameters", names[int(steps[1])]), steps[2:]
        if path[:1] == ("parameters",):
            return (*path, *(_OF_PARAMETERS.get(step, step) for step in steps))
        found: Path = path
        for step in _in_block(steps):
            inner = (*found, int(step)) if step.isdigit() else (*found, step)
            login, prefixed = (*found, LOGIN), (*found, f"data.{step}")
            known = self._document.positions
            if step == LOGIN_ID and login in known:
                inner = login
            found = prefixed if prefixed in known else inner
        return found


def _is_inside(place: str, at: str) -> bool:
    return place == at or place.startswith((f"{at}.", f"{at}["))


def _in_block(steps: list[str]) -> list[str]:
    sequences = {name: word for word, name in SEQUENCES.items()}
    if steps[:1] == ["data"]:
        return steps[1:] or ["kind"]
    if steps[:1] == ["sequenceData"]:
        return [sequences.get(step, step) for step in steps[1:]] or ["kind"]
    return [_BLOCK_WORDS.get(step, step) for step in steps[:1]] + steps[1:]
