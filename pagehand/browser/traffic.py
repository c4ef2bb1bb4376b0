"""What a browser could not reach, and why: kept for the blocks that ask, reported to the execution."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import urlsplit

from pagehand.browser_session import ReportEvent
from pagehand.egress.policy import EgressRefused
from pagehand.egress.temporary_reach import OUTSIDE
from pagehand.errors import BlockFailed, PagehandError, SiteDown
from pagehand.records import Json
from pagehand.workflow.default_ports import WEB_PORTS

_CAUSES = {"dns": "its name could not be resolved"}
# a page that asks for names without end must not fill the memory
_MOST_TROUBLES = 1000
_MOST_REPORTED = 100
Trouble = tuple[str, int, PagehandError]


@dataclass(slots=True)
class Traffic:
    """What the proxy could not or would not reach for one browser; reported once per host."""

    report: ReportEvent | None = None
    _troubles: deque[Trouble] = field(default_factory=lambda: deque[Trouble](maxlen=_MOST_TROUBLES))
    _count: int = 0
    _reported: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def refused(self, host: str, port: int, reason: str) -> None:
        """The policy keeps the host closed."""
        error = EgressRefused(host, port, reason) if reason != OUTSIDE else _outside(host, port)
        self._note(host, port, error)
        if self.report is None or (host, port) in self._reported or len(self._reported) > _MOST_REPORTED:
            return
        self._reported.add((host, port))
        data: Json = {"host": host, "port": port}
        message = error.message
        if len(self._reported) > _MOST_REPORTED:  # a page can make up names for ever
            data, message = (
                {"hosts": _MOST_REPORTED},
                f"More than {_MOST_REPORTED} hosts were refused; the rest is not listed.",
            )
        self.report("egress.refused", message, data)

    def unreachable(self, host: str, port: int, cause: str) -> None:
        """The host is open but does not answer."""
        error = SiteDown(f"`{host}:{port}` cannot be reached: {_CAUSES.get(cause, cause)}.")
        self._note(host, port, error)

    def mark(self) -> int:
        """A point in time to ask from."""
        return self._count

    def trouble(self, url: str, since: int) -> PagehandError | None:
        """Why the host of `url` was not reached since then."""
        parts = urlsplit(url)
        wanted = (parts.hostname, parts.port or WEB_PORTS.get(parts.scheme))
        return next((error for host, port, error in self._since(since) if (host, port) == wanted), None)

    def latest(self, since: int) -> PagehandError | None:
        """The newest trouble since then."""
        return next((error for _, _, error in self._since(since)), None)

    def _note(self, host: str, port: int, error: PagehandError) -> None:
        self._count += 1
        self._troubles.append((host, port, error))

    def _since(self, mark: int) -> Iterable[Trouble]:
        """Those after a mark that are still remembered, newest first."""
        return islice(reversed(self._troubles), self._count - mark)


def _outside(host: str, port: int) -> BlockFailed:
    return BlockFailed(
        f"`{host}:{port}` {OUTSIDE}; it was not contacted. The block's `allowedDomains` decides about it."
    )
