"""Where and why a run failed."""

from dataclasses import dataclass

import msgspec

from pagehand.errors import Cancelled, PagehandError
from pagehand.records import Cancellation, ExecutionFailure
from pagehand.secrets.redactor import Redactor
from pagehand.workflow.envelope import Envelope
from pagehand.workflow.json_values import clean_text, made_storable

_MAX_LOCATOR_BYTES = 1024 * 1024


@dataclass(slots=True)
class Failure:
    """The error that a run failed with, the block, and the page at that moment."""

    envelope: Envelope | None
    error: PagehandError
    url: str = ""
    title: str = ""
    has_picture: bool = False
    """Whether the event of the failure has a screenshot."""

    def to_record(self) -> ExecutionFailure:
        """The failure for programs; `code` comes from the error's class."""
        block, error = self.envelope, self.error
        return ExecutionFailure(
            code=error.code,
            message=error.message,
            block_id=block.id if block else None,
            block_reference_id=block.block_reference_id if block else None,
            locator=block.locator if block else None,
            cancelled=Cancellation(by=error.by, at=error.at) if isinstance(error, Cancelled) else None,
        )


def redact_failure(failure: ExecutionFailure, redactor: Redactor) -> ExecutionFailure:
    """The failure without secrets, as JSON that every store takes; code and ids contain none."""
    cancelled = failure.cancelled
    return msgspec.structs.replace(
        failure,
        message=clean_text(redactor.text(failure.message)),
        block_reference_id=redactor.value(failure.block_reference_id),
        # as the author wrote it: any JSON
        locator=made_storable(redactor.value(failure.locator), most_bytes=_MAX_LOCATOR_BYTES)[0],
        cancelled=cancelled and Cancellation(by=redactor.text(cancelled.by), at=cancelled.at),
    )
