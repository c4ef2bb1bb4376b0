"""Hosts that the egress proxy refused or could not reach for a browser: kept for blocks, and reported."""

from collections import deque
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

from playwright.async_api import Error as PlaywrightError

from pagehand.browser_session import ReportEvent
from pagehand.egress.policy import EgressRefused
from pagehand.errors import BlockFailed, PagehandError, SiteDown
from pagehand.records import Json
from pagehand.workflow.allowed_domains import NOT_ALLOWED, WEB_PORTS

_CAUSES: Final = {"dns": "its name could not be resolved"}
# a page that requests new host names without end must not fill the memory
_MAX_ERRORS: Final = 1000
_MAX_REPORTED: Final = 100


@dataclass(slots=True, frozen=True)
class _ConnectionError:
    host: str
    port: int
    error: PagehandError


@dataclass(slots=True)
class ConnectionErrors:
    """The failed connections of one browser; each refused host is reported once.

    Without a proxy nothing is ever added, and every question is answered with None.
    """

    report: ReportEvent | None = None
    _errors: deque[_ConnectionError] = field(
        default_factory=lambda: deque[_ConnectionError](maxlen=_MAX_ERRORS)
    )
    _count: int = 0
    _reported: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def add_refused(self, host: str, port: int, reason: str) -> None:
        """The egress policy does not allow the host."""
        error = EgressRefused(host, port, reason) if reason != NOT_ALLOWED else _outside_domains(host, port)
        self._add(host, port, error)
        if self.report is None or (host, port) in self._reported or len(self._reported) > _MAX_REPORTED:
            return
        self._reported.add((host, port))
        data: Json = {"host": host, "port": port}
        message = error.message
        if len(self._reported) > _MAX_REPORTED:  # the last report: a page can make up names for ever
            data = {"hosts": _MAX_REPORTED}
            message = f"More than {_MAX_REPORTED} hosts were refused; the rest is not listed."
        self.report("egress.refused", message, data)

    def add_unreachable(self, host: str, port: int, cause: str) -> None:
        """The host is allowed but does not answer."""
        self._add(host, port, SiteDown(f"`{host}:{port}` cannot be reached: {_CAUSES.get(cause, cause)}."))

    def mark(self) -> int:
        """The present moment, to ask later what failed since."""
        return self._count

    def error_of(self, url: str, since: int) -> PagehandError | None:
        """Why the host of `url` was not reached since the mark; None when it was reached or not tried."""
        parts = urlsplit(url)
        wanted = (parts.hostname, parts.port or WEB_PORTS.get(parts.scheme))
        return next((found.error for found in self._since(since) if (found.host, found.port) == wanted), None)

    def latest(self, since: int) -> PagehandError | None:
        """The newest error since the mark, whatever the host."""
        return next((found.error for found in self._since(since)), None)

    @contextmanager
    def explaining(self, url: str) -> Generator[None]:
        """Replace a failure to load `url` within by the reason the proxy had: refused, or not reached."""
        since = self.mark()
        try:
            yield
        except (PlaywrightError, BlockFailed, SiteDown) as failure:
            # after a redirect to another host only the newest error can be the cause
            error = self.error_of(url, since) or self.latest(since)
            if error is None:
                raise
            raise error from failure

    def _add(self, host: str, port: int, error: PagehandError) -> None:
        self._count += 1
        self._errors.append(_ConnectionError(host, port, error))

    def _since(self, mark: int) -> Iterable[_ConnectionError]:
        """Those after a mark that are still kept, newest first."""
        return islice(reversed(self._errors), self._count - mark)


def _outside_domains(host: str, port: int) -> BlockFailed:
    return BlockFailed(
        f"`{host}:{port}` {NOT_ALLOWED}; it was not contacted. The block's `allowedDomains` decides about it."
    )
