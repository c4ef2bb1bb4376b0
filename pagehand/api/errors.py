"""Errors as they leave the service: always `{"error": sentence}`, whatever raised them."""

from typing import Final

import msgspec
import structlog

from pagehand.errors import OurFault, PagehandError, TemporaryTrouble, TooMany
from pagehand.ids import new_id

log = structlog.stdlib.get_logger("pagehand.api")

Headers = list[tuple[bytes, bytes]]
JSON_TYPE: Final = (b"content-type", b"application/json")
_UNAVAILABLE_SECONDS: Final = 2


class MethodNotAllowed(PagehandError):
    """This route takes another method."""

    status = 405

    def __init__(self, allowed: str) -> None:
        """Say which one."""
        super().__init__(f"This route takes {allowed} only")
        self.allowed = allowed


def error_body(sentence: str) -> bytes:
    """The one shape every error has."""
    return msgspec.json.encode({"error": sentence})


def error_response(trouble: BaseException, request_id: str, path: str) -> tuple[int, Headers, bytes]:
    """Status, extra headers and body for whatever went wrong; what is our fault goes to the log."""
    # the text of an unforeseen error may hold a secret or a path: callers get its number in the log alone
    if not isinstance(trouble, PagehandError) or isinstance(trouble, OurFault):
        return 500, [], error_body(_log(trouble, request_id, path))
    headers: Headers = []
    if isinstance(trouble, MethodNotAllowed):
        headers.append((b"allow", trouble.allowed.encode()))
    elif isinstance(trouble, TooMany):
        headers.append((b"retry-after", str(trouble.retry_after_seconds).encode()))
    elif isinstance(trouble, TemporaryTrouble):
        # clients that respect it come back by themselves
        headers.append((b"retry-after", str(_UNAVAILABLE_SECONDS).encode()))
    elif trouble.status == 401:  # noqa: PLR2004 - RFC 9110 wants the header with this status
        headers.append((b"www-authenticate", b"Bearer"))
    return trouble.status, headers, error_body(trouble.message)


def _log(trouble: BaseException, request_id: str, path: str) -> str:
    error_id = new_id("err")
    log.error("request failed", error_id=error_id, request_id=request_id, path=path, exc_info=trouble)
    return f"Something went wrong on our side; the log has it under `{error_id}`"
