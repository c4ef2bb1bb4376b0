"""Fingerprints of elements: their words and attributes, what was around them, and what is remembered."""

from dataclasses import dataclass

import msgspec
from msgspec import Struct

from pagehand.records.values import Json


class LinkAddress(Struct):
    """Where a link or a form leads, without the host."""

    path: str
    query: str
    fragment: str


class ElementTraits(Struct, rename="camel", kw_only=True):
    """One element, as `browser/healing/describe.js` describes it; never text that people typed.

    Every trait may be absent in what was stored, so that a later description can know more.
    """

    tag: str = ""
    role: str = ""
    name: str = ""
    label: str = ""
    id: str = ""
    classes: list[str] = msgspec.field(default_factory=list[str])
    attributes: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    field: str = ""
    """The `name` of a form field."""
    placeholder: str = ""
    hint: str = ""
    """Title and alternative text."""
    address: LinkAddress | None = None
    image: str = ""
    near: str = ""
    """The words around it, from the nearest circle to the widest."""
    far: str = ""
    wide: str = ""
    row: str = ""
    """The words that distinguish its row from the others."""
    before: str = ""
    after: str = ""
    heading: str = ""
    landmark: str = ""
    ancestors: list[str] = msgspec.field(default_factory=list[str])
    path: list[str] = msgspec.field(default_factory=list[str])
    hosts: list[str] = msgspec.field(default_factory=list[str])
    index: int = 0
    is_control: bool = False
    is_shown: bool = False


class Fingerprint(ElementTraits, kw_only=True):
    """The remembered element, its page, and those of its kind that were most like it."""

    page: str = ""
    frame: str = ""
    format: int = 1
    namesakes: int = 0
    candidates: int = 0
    rivals: list[ElementTraits] = msgspec.field(default_factory=list[ElementTraits])


@dataclass(slots=True, kw_only=True)
class Memory:
    """What the element of a block's locator was like when the block last did its work."""

    organization_id: str
    workflow_id: str
    block_id: str
    key: str
    """A digest of the locator with its templates filled in."""
    written: str
    """A digest of the block's locators as written; an edit ends the memory."""
    version: int
    """The version of the workflow whose run remembered it."""
    remembered_at: int
    healed_locator: Json | None = None
    """The locator that found it when the block's own did not."""
    fingerprint: Fingerprint | None = None
    healed_fingerprint: Fingerprint | None = None
