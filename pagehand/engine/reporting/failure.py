"""Where a run failed: what its report is written from."""

from dataclasses import dataclass

from pagehand.errors import Cancelled, PagehandError
from pagehand.records import Json
from pagehand.workflow.envelope import Envelope


@dataclass(slots=True)
class Failure:
    """The block at which a run failed, and what the page showed then."""

    envelope: Envelope | None
    error: PagehandError
    url: str = ""
    title: str = ""
    has_picture: bool = False
    """Whether the event of the failure shows the page."""

    def to_json(self) -> Json:
        """What programs are told of it; `code` comes from the error's class."""
        block, error = self.envelope, self.error
        return {
            "code": error.code,
            "message": error.message,
            "blockId": block.id if block else None,
            "blockReferenceId": block.block_reference_id if block else None,
            "locator": block.locator if block else None,
            "cancelled": {"by": error.by, "at": error.at} if isinstance(error, Cancelled) else None,
        }
