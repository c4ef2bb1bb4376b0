"""Where an execution is."""

from enum import StrEnum


class Status(StrEnum):
    """Where an execution is between acceptance and its end."""

    ENQUEUED = "Enqueued"
    IN_PROGRESS = "InProgress"
    PAUSED = "Paused"
    COMPLETED = "Completed"
    FAILED = "Failed"

    @property
    def is_final(self) -> bool:
        """Nothing ever changes a final status."""
        return self in (Status.COMPLETED, Status.FAILED)
