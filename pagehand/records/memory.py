"""Memories of elements, by which healing finds them again."""

from dataclasses import dataclass

from pagehand.records.fingerprint import Fingerprint
from pagehand.records.json_object import Json


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
