"""The errors of Pagehand, grouped by who has to act.

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
    │   ├── Cancelled               somebody ended the execution
    │   ├── OutOfTime               the execution's `timeout` was over
    │   └── BlockFailed             a block could not do what it says
    │       ├── NotPresent          what it looked for is not on the page
    │       ├── TimedOut            it ran out of its time
    │       ├── BadData             a value or a file is not what the block needs
    │       ├── WorkflowError       a template, an expression or code in the workflow is wrong
    │       ├── ConditionMet        a FailOnCondition block failed, as it was asked to
    │       ├── DialogUnanswered    the page asked something, and nothing says how to answer
    │       ├── FormNotSent         the browser held a form back
    │       ├── PageError           the site answered with an error
    │       ├── SignInRefused       the site did not let the account in
    │       ├── LimitReached        a limit that keeps one execution from harming others
    │       └── ModelNeeded         only a language model could go on, and none is configured
    ├── TemporaryTrouble       we try again
    │   ├── SiteDown                connection refused, DNS, 5xx
    │   │   └── Unanswered          the request was sent, but what became of it is unknown
    │   ├── BrowserLost             Chromium or its page died
    │   ├── WorkerLost              the process that ran it died
    │   └── Unavailable        503  shutting down, or the store is unreachable
    └── OurFault               500  a bug

Whether to retry depends on the branch (`UserMistake`, `TemporaryTrouble`, `OurFault`), never on the message.
The `code` of the class becomes `failure.code` of a failed execution; `FAILURE_CODES` lists them all.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from errno import EDQUOT, EIO, ENOSPC, EROFS
from typing import Any, ClassVar, Final

FAILURE_CODES: Final = {
    "ElementNotFound": "What a block looked for is not on the page.",
    "NotClear": "Words or a description fit several elements, or none for certain.",
    "Timeout": "A block did not finish within its time.",
    "BadData": "A value, an answer or a file does not fit what the block or its schema asks for.",
    "WorkflowError": "A template, an expression or code in the workflow is wrong.",
    "ConditionMet": "A FailOnCondition block failed the execution, as it was asked to.",
    "BlockFailed": "A block could not do what it says, for another reason; the message says which.",
    "DialogUnanswered": "The page asked something, and no block says how to answer: it was dismissed.",
    "FormNotSent": "The browser held a form back: a field is empty or does not fit.",
    "PageError": "The site answered with an error page or status.",
    "SignInRefused": "The site did not let the account in.",
    "AddressRefused": "The operator does not let workflows reach this address.",
    "LimitReached": "A limit that keeps one execution from harming others was reached.",
    "ModelNeeded": "Only a language model could go on, and none is configured.",
    "Cancelled": "Somebody cancelled the execution or its batch.",
    "OutOfTime": "The execution's own `timeout` was over.",
    "SiteDown": "The site could not be reached or answered with a server error.",
    "Unanswered": "Something was sent and no answer came: whether it had its effect is unknown.",
    "BrowserLost": "The browser or its page died.",
    "WorkerLost": "The process that ran the execution died.",
    "Unavailable": "The service or its store could not be reached.",
    "InternalError": "Our fault; the message has an id to find it in the log.",
}
"""The values of `failure.code` and what they mean. They never change, because programs compare them."""


class PagehandError(Exception):
    """Something went wrong."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "InternalError"
    """The `failure.code` of an execution that failed with this error; a key of `FAILURE_CODES`."""

    def __init__(self, message: str = "") -> None:
        """Without a `message` the docstring of the class is the message."""
        super().__init__(message or (type(self).__doc__ or "").strip())

    @property
    def message(self) -> str:
        """The sentence for people."""
        return str(self)

    def add(self, sentence: str) -> None:
        """Append a sentence to the message."""
        self.args = (f"{self.message.rstrip('.')}. {sentence}",)


class UserMistake(PagehandError):
    """The request or the workflow has to change."""

    status = 400
    code = "WorkflowError"


class InvalidRequest(UserMistake):
    """The request is not valid."""

    def __init__(self, message: str = "", *, beside: Mapping[str, Any] | None = None) -> None:
        """`beside` is what the API answers beside the sentence."""
        super().__init__(message)
        self.beside = beside or {}


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
    code = "LimitReached"


class NotJson(UserMistake):
    """The request body must be JSON: send `Content-Type: application/json`."""

    status = 415


class TooMany(UserMistake):
    """Too many requests at once; try again later."""

    status = 429

    def __init__(self, message: str = "", *, retry_after_seconds: int = 1) -> None:
        """`retry_after_seconds` is for the `Retry-After` header."""
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class Cancelled(UserMistake):
    """The execution was cancelled."""

    code = "Cancelled"

    def __init__(self, message: str, *, by: str, at: str) -> None:
        """`by` is who cancelled it, `at` the time in ISO 8601."""
        super().__init__(message)
        self.by = by
        self.at = at


class OutOfTime(UserMistake):
    """The execution's time was over."""

    code = "OutOfTime"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a person needs to fix a failed block; every field may be empty."""

    expected: str = ""
    found: str = ""
    cause: str = ""
    advice: str = ""


class BlockFailed(UserMistake):
    """The block could not do what it says."""

    code = "BlockFailed"

    def __init__(self, message: str = "", diagnosis: Diagnosis | None = None) -> None:
        """`diagnosis` is what was expected and found, and what to do."""
        super().__init__(message)
        self.diagnosis = diagnosis or Diagnosis()


class NotPresent(BlockFailed):
    """What the block looked for is not there."""

    code = "ElementNotFound"


class TimedOut(BlockFailed):
    """The block ran out of its time."""

    code = "Timeout"


class DialogUnanswered(BlockFailed):
    """The page asked something, and nothing says how to answer."""

    code = "DialogUnanswered"


class FormNotSent(BlockFailed):
    """The browser held a form back."""

    code = "FormNotSent"


class BadData(BlockFailed):
    """A value does not fit what the block needs."""

    code = "BadData"


class WorkflowError(BlockFailed):
    """A template, an expression or code in the workflow is wrong."""

    code = "WorkflowError"


class ConditionMet(BlockFailed):
    """The condition to fail on holds."""

    code = "ConditionMet"


class PageError(BlockFailed):
    """The site answered with an error."""

    code = "PageError"


class SignInRefused(BlockFailed):
    """The site did not let the account in."""

    code = "SignInRefused"


class LimitReached(BlockFailed):
    """A limit was reached."""

    code = "LimitReached"


class ModelNeeded(BlockFailed):
    """Only a language model could go on, and none is configured."""

    code = "ModelNeeded"


class TemporaryTrouble(PagehandError):
    """Something outside is down; trying again may help."""

    status = 503
    code = "Unavailable"


class SiteDown(TemporaryTrouble):
    """The site cannot be reached or answers with a server error."""

    code = "SiteDown"


class Unanswered(SiteDown):
    """It was sent, but no answer came: whether it had its effect is unknown."""

    code = "Unanswered"


class BrowserLost(TemporaryTrouble):
    """The browser or its page died."""

    code = "BrowserLost"


class WorkerLost(TemporaryTrouble):
    """The worker that ran the execution is gone."""

    code = "WorkerLost"


class Unavailable(TemporaryTrouble):
    """The service cannot take requests right now; try again shortly."""


def disk_trouble(error: BaseException) -> Unavailable | None:
    """What an error of the system means if a disk is full, read-only or broken: that is no bug."""
    if isinstance(error, OSError) and error.errno in (ENOSPC, EDQUOT, EROFS, EIO):
        return Unavailable(f"A disk of the service cannot be used: {error.strerror}. Try again once it can.")
    return None


class OurFault(PagehandError):
    """Something went wrong on our side."""
