"""Tracks the requests of a sign-in: whether a response is still to come, and whether the server failed."""

import time
from types import TracebackType
from typing import Final, Self

from playwright.async_api import BrowserContext, Request, Response

_RELEVANT_TYPES: Final = frozenset({"document", "xhr", "fetch"})
"""Resource types that can carry the answer to a sign-in."""
_SERVER_ERROR: Final = 500
_LONG_POLL_SECONDS: Final = 5.0
"""A request that takes longer is a connection that the page keeps open, such as a long poll."""


class RequestTracker:
    """A context manager that listens to a browser context."""

    def __init__(self, context: BrowserContext) -> None:
        self._context = context
        self._pending: dict[Request, float] = {}
        self.server_error = ""
        """The page whose server failed, and its status; empty when none did."""
        self.status = 200
        """The HTTP status of the current page."""

    @property
    def is_busy(self) -> bool:
        """Whether a relevant request has no response yet."""
        oldest = time.monotonic() - _LONG_POLL_SECONDS
        return any(began > oldest for began in self._pending.values())

    def __enter__(self) -> Self:
        self._context.on("request", self._began)
        self._context.on("requestfinished", self._ended)
        self._context.on("requestfailed", self._ended)
        self._context.on("response", self._answered)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._context.remove_listener("request", self._began)
        self._context.remove_listener("requestfinished", self._ended)
        self._context.remove_listener("requestfailed", self._ended)
        self._context.remove_listener("response", self._answered)

    def _began(self, request: Request) -> None:
        if request.resource_type in _RELEVANT_TYPES:
            self._pending[request] = time.monotonic()

    def _ended(self, request: Request) -> None:
        self._pending.pop(request, None)

    def _answered(self, response: Response) -> None:
        is_page = response.request.is_navigation_request() and response.frame.parent_frame is None
        if is_page:
            self.status = response.status
        if is_page and response.status >= _SERVER_ERROR:
            self.server_error = f"`{response.url}` answered with status {response.status}"
