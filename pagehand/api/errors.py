"""Errors as the API sends them: `{"error": sentence}`, and what an operation adds."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
import structlog

from pagehand.errors import InvalidRequest, OurFault, PagehandError, TemporaryTrouble, TooMany, disk_trouble
from pagehand.ids import new_id

log = structlog.stdlib.get_logger("pagehand.api")

Headers = list[tuple[bytes, bytes]]
JSON_TYPE: Final = (b"content-type", b"application/json")
_UNAVAILABLE_SECONDS: Final = 2


class MethodNotAllowed(PagehandError):
    """The route takes another method."""

    status = 405

    def __init__(self, allowed: str) -> None:
        """`allowed` is for the `Allow` header."""
        super().__init__(f"This route takes {allowed} only")
        self.allowed = allowed


def error_body(sentence: str, beside: Mapping[str, Any] | None = None) -> bytes:
    """The body of every error; `beside` are the fields that an operation adds."""
    return msgspec.json.encode({"error": sentence, **(beside or {})})


def error_response(error: BaseException, request_id: str, path: str) -> tuple[int, Headers, bytes]:
    """Status, extra headers and body for an error; unexpected errors are logged."""
    error = disk_trouble(error) or error
    # the text of an unexpected error may hold a secret or a path: the caller only gets its id in the log
    if not isinstance(error, PagehandError) or isinstance(error, OurFault):
        return 500, [], error_body(_log(error, request_id, path))
    headers: Headers = []
    if isinstance(error, MethodNotAllowed):
        headers.append((b"allow", error.allowed.encode()))
    elif isinstance(error, TooMany):
        headers.append((b"retry-after", str(error.retry_after_seconds).encode()))
    elif isinstance(error, TemporaryTrouble):
        # clients that respect it retry by themselves
        headers.append((b"retry-after", str(_UNAVAILABLE_SECONDS).encode()))
    elif error.status == 401:  # noqa: PLR2004 - RFC 9110 wants the header with this status
        headers.append((b"www-authenticate", b"Bearer"))
    beside = error.beside if isinstance(error, InvalidRequest) else None
    return error.status, headers, error_body(error.message, beside)


def _log(error: BaseException, request_id: str, path: str) -> str:
    error_id = new_id("err")
    log.error("request failed", error_id=error_id, request_id=request_id, path=path, exc_info=error)
    return f"Something went wrong on our side; the log has it under `{error_id}`"
