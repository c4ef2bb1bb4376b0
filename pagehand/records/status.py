"""The status of executions and of proposals."""

from enum import StrEnum
from typing import Literal

ProposalState = Literal["open", "applied", "declined"]

WaitingKind = Literal["code", "signIn", "person", "approval", "request", "driving"]
"""What a paused execution waits for.

A code or a sign-in by hand; something else in the page that only a person can do, such as a captcha; a yes or
no; somebody who asked for the pause to resume it; somebody who drives the browser to give it back.
"""


class Status(StrEnum):
    """The status of an execution."""

    ENQUEUED = "Enqueued"
    IN_PROGRESS = "InProgress"
    PAUSED = "Paused"
    COMPLETED = "Completed"
    FAILED = "Failed"

    @property
    def is_final(self) -> bool:
        """True for a status that never changes again."""
        return self in (Status.COMPLETED, Status.FAILED)
