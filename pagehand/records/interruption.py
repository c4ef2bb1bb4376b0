"""Why an execution waits, and why it failed."""

from msgspec import Struct

from pagehand.records.json_object import Json
from pagehand.records.status import WaitingKind


class Waiting(Struct, rename="camel", kw_only=True):
    """What a paused execution waits for."""

    kind: WaitingKind
    reason: str
    since: str
    """An ISO moment."""


class Cancellation(Struct, rename="camel", kw_only=True):
    """Who cancelled an execution, and when."""

    by: str
    at: str
    """An ISO moment."""


class ExecutionFailure(Struct, rename="camel", kw_only=True):
    """Why an execution failed, for programs."""

    code: str
    message: str
    block_id: str | None = None
    block_reference_id: str | None = None
    locator: Json | None = None
    """The locator of the failed block, as it was given."""
    cancelled: Cancellation | None = None
