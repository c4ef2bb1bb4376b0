"""The changes to a workflow that executions and conversations propose."""

from typing import Literal

from msgspec import Struct

from pagehand.records.json_object import Json


# omit_defaults: stored and shown operations have no null fields
class ProposedOperation(Struct, rename="camel", omit_defaults=True, kw_only=True, frozen=True):
    """One operation on the blocks of a workflow; as JSON it is what `/workflows/blocks/update` takes."""

    type: Literal["create", "update", "delete", "move", "replaceAll"]
    block_id: str | None = None
    block: Json | None = None
    target: Json | None = None
    blocks: list[Json] | None = None
