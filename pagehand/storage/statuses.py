"""Groups of execution statuses that queries ask for."""

from typing import Final

from pagehand.records import Status

RUNNING: Final = (Status.IN_PROGRESS, Status.PAUSED)
UNFINISHED: Final = (Status.ENQUEUED, *RUNNING)
FINAL: Final = (Status.COMPLETED, Status.FAILED)
