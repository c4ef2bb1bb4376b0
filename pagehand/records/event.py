"""Events of executions."""

from dataclasses import dataclass, field

from pagehand.records.json_object import Json


@dataclass(slots=True, kw_only=True)
class Event:
    """Something that happened during an execution."""

    execution_id: str
    seq: int
    at: int
    type: str
    message: str
    block_id: str | None = None
    block_reference_id: str | None = None
    data: Json = field(default_factory=Json)
    screenshot_key: str | None = None
