"""What can go wrong, by who must act.

    PagehandError
    ├── UserMistake            fix the request or the workflow
    │   ├── InvalidRequest     400  a field has the wrong type or value
    │   ├── NotAuthenticated   401  a key is needed and missing, unknown or revoked
    │   ├── Forbidden          403  a foreign Origin or Host, or a key without the scope
    │   ├── NotFound           404  no such thing in this organization
    │   ├── Conflict           409  the thing exists, but its state forbids it
    │   ├── TooLarge           413  the body is over the limit
    │   ├── NotJson            415  the body is not application/json
    │   ├── TooMany            429  over the organization's rate or queue limit
    │   └── BlockFailed             a block could not do what it says
    │       ├── NotPresent          what it looked for is not on the page
    │       └── TimedOut            it ran out of its time
    ├── TemporaryTrouble       we try again
    │   ├── SiteDown                connection refused, DNS, 5xx
    │   │   └── Unanswered          it was told, but what it did with that is unknown
    │   ├── BrowserLost             Chromium or its page died
    │   ├── WorkerLost              the process that ran it died
    │   └── Unavailable        503  shutting down, or the store is unreachable
    └── OurFault               500  a bug

Whether to retry is decided by the trunk, never by message text.
"""

from dataclasses import dataclass
from typing import ClassVar


class PagehandError(Exception):
    """Something went wrong."""

    status: ClassVar[int] = 500

    def __init__(self, message: str = "") -> None:
        """Keep `message`; without one the class's own sentence speaks."""
        super().__init__(message or (type(self).__doc__ or "").strip())

    @property
    def message(self) -> str:
        """The sentence for people."""
        return str(self)


class UserMistake(PagehandError):
    """The request or the workflow has to change."""

    status = 400


class InvalidRequest(UserMistake):
    """The request is not valid."""


class NotAuthenticated(UserMistake):
    """An API key is needed: send it as `Authorization: Bearer <key>` or `X-API-Key: <key>`."""

    status = 401


class Forbidden(UserMistake):
    """This is not allowed."""

    status = 403


class NotFound(UserMistake):
    """There is no such thing in this organization."""

    status = 404


class Conflict(UserMistake):
    """The state it is in does not allow this."""

    status = 409


class TooLarge(UserMistake):
    """The request body is over the limit."""

    status = 413


class NotJson(UserMistake):
    """The request body must be JSON: send `Content-Type: application/json`."""

    status = 415


class TooMany(UserMistake):
    """Too many requests at once; try again later."""

    status = 429

    def __init__(self, message: str = "", *, retry_after_seconds: int = 1) -> None:
        """Say when it is worth coming back."""
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a person needs to mend a failed block; every part may be empty."""

    expected: str = ""
    found: str = ""
    cause: str = ""
    advice: str = ""


class BlockFailed(UserMistake):
    """The block could not do what it says."""

    def __init__(self, message: str = "", diagnosis: Diagnosis | None = None) -> None:
        """Carry what was expected and found beside the sentence."""
        super().__init__(message)
        self.diagnosis = diagnosis or Diagnosis()


class NotPresent(BlockFailed):
    """What the block looked for is not there."""


class TimedOut(BlockFailed):
    """The block ran out of its time."""


class TemporaryTrouble(PagehandError):
    """Something outside is down; trying again may help."""

    status = 503


class SiteDown(TemporaryTrouble):
    """The site cannot be reached or answers with a server error."""


class Unanswered(SiteDown):
    """It was sent, but no answer came: whether it had its effect is unknown."""


class BrowserLost(TemporaryTrouble):
    """The browser or its page died."""


class WorkerLost(TemporaryTrouble):
    """The worker that ran the execution is gone."""


class Unavailable(TemporaryTrouble):
    """The service cannot take requests right now; try again shortly."""


class OurFault(PagehandError):
    """Something went wrong on our side."""
