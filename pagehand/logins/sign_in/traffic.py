"""What the pages of a sign-in load: whether an answer is still to come, and whether the server broke."""

import time
from types import TracebackType
from typing import Final, Self

from playwright.async_api import BrowserContext, Request, Response

_ANSWERS: Final = frozenset({"document", "xhr", "fetch"})
"""Kinds of requests by which a site judges a sign-in; pictures and the like do not matter."""
_SERVER_ERROR: Final = 500
_LONG_SECONDS: Final = 5.0
"""Past this a request is a connection the page keeps open, such as a long poll."""


class Traffic:
    """Listens to a browser context for as long as a sign-in lasts."""

    def __init__(self, context: BrowserContext) -> None:
        self._context = context
        self._under_way: dict[Request, float] = {}
        self.server_error = ""
        """What a page was answered with when the server failed; empty when it did not."""
        self.status = 200
        """With which status the current page was answered."""

    @property
    def is_busy(self) -> bool:
        """True while a request that may decide something has no answer yet."""
        oldest = time.monotonic() - _LONG_SECONDS
        return any(began > oldest for began in self._under_way.values())

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
        if request.resource_type in _ANSWERS:
            self._under_way[request] = time.monotonic()

    def _ended(self, request: Request) -> None:
        self._under_way.pop(request, None)

    def _answered(self, response: Response) -> None:
        is_page = response.request.is_navigation_request() and response.frame.parent_frame is None
        if is_page:
            self.status = response.status
        if is_page and response.status >= _SERVER_ERROR:
            self.server_error = f"`{response.url}` answered with status {response.status}"
