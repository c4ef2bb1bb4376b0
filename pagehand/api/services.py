"""The services that operations use, with their log and cache; put together by `pagehand.assemble`."""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import BinaryIO, Final, Protocol

import orjson
import structlog
from cachetools import TTLCache

from pagehand.api.auth import Caller, CallerAuthenticator
from pagehand.api.machine import MachineReport
from pagehand.api.request_limits import RequestLimits
from pagehand.blocks import Registry
from pagehand.egress.upstream_proxies import UpstreamProxies
from pagehand.engine.base import Engine
from pagehand.engine.changes import Changes
from pagehand.engine.reporting.metrics import Metrics
from pagehand.engine.schedules.stored import StoredSchedules
from pagehand.errors import Unavailable
from pagehand.files import UrlSigner
from pagehand.knowledge import KnowledgeBase
from pagehand.logins.stored import StoredLogins
from pagehand.ports import Documents, FileStore, Models
from pagehand.records import Json
from pagehand.settings import Settings
from pagehand.storage import Stores
from pagehand.webhooks import StoredWebhooks

TOGETHER_SECONDS: Final = 0.02


@dataclass(slots=True)
class RequestLine:
    """What the log says of one request: neither its query nor its body, which may hold secrets."""

    request_id: str
    method: str
    path: str
    status: int | None = None
    """None when the client went away before its answer began."""
    organization_id: str | None = None
    began: float = field(default_factory=perf_counter)


class RequestLog:
    """Writes a line for each request that has ended.

    Writing a line takes a fifth of the time of a short request. While requests follow each other closely,
    their lines are written together, at most 20 ms late: that costs a third, with `json_stream` half of it.
    """

    def __init__(self) -> None:
        self.json_stream: BinaryIO | None = None
        """Where lines are written as JSON, as structlog would write them, if it is configured to."""
        self._waiting: list[tuple[RequestLine, float, datetime]] = []
        self._written_at = 0.0

    def add(self, line: RequestLine) -> None:
        """Write the request's line, now or together with those that follow at once."""
        ended = perf_counter()
        self._waiting.append((line, ended - line.began, datetime.now(UTC)))
        if len(self._waiting) > 1:
            return
        if ended - self._written_at > TOGETHER_SECONDS:
            self.write()
        else:
            # in a context of its own: what this request has bound for its lines does not hold for others
            asyncio.get_running_loop().call_later(TOGETHER_SECONDS, self.write, context=Context())

    def write(self) -> None:
        """Write all lines that wait."""
        lines, self._waiting = self._waiting, []
        if not lines:
            return
        self._written_at = perf_counter()
        fields = [_fields(*line) for line in lines]
        if self.json_stream is not None:
            written = (orjson.dumps({**line, "event": "request", "level": "info"}) for line in fields)
            self.json_stream.write(b"\n".join(written) + b"\n")
            self.json_stream.flush()
            return
        log = structlog.get_logger("pagehand.api")
        for line in fields:
            log.info("request", **line)


def _fields(line: RequestLine, seconds: float, ended_at: datetime) -> Json:
    return {
        "request": line.request_id,
        "method": line.method,
        "path": line.path,
        "status": line.status,
        "organization": line.organization_id,
        "seconds": round(seconds, 4),
        "timestamp": ended_at.isoformat().replace("+00:00", "Z"),
    }


KEPT_SECONDS: Final = 30.0
_MAX_BYTES: Final = 16 * 1024 * 1024
# one large response must not evict all the small ones
_MAX_RESPONSE_BYTES: Final = 256 * 1024


class Readiness:
    """The reason why requests cannot be served yet; a service is ready without one."""

    def __init__(self) -> None:
        self.problem = ""
        """A sentence for callers; empty when requests are served."""

    def check(self) -> None:
        """Raise Unavailable while requests cannot be served."""
        # becomes 503 with Retry-After: load balancers and clients wait instead of failing
        if self.problem:
            raise Unavailable(self.problem)


class DemoSite(Protocol):
    """The demo portal and the workflow that works on it.

    Implemented in `pagehand.demo`, which the API must not import: an installation without the demo never
    loads it.
    """

    url: str
    organization_id: str
    workflow_id: str

    @property
    def is_broken(self) -> bool:
        """Whether the portal's markup was changed."""
        ...

    def set_broken(self, is_broken: bool, /) -> None:
        """Change the markup, or change it back."""
        ...


class ResponseCache:
    """The encoded responses of finished executions, limited in time and size."""

    def __init__(self) -> None:
        self._kept = TTLCache[tuple[str, str, str], bytes](_MAX_BYTES, KEPT_SECONDS, getsizeof=len)

    def get(self, caller: Caller, execution_id: str) -> bytes | None:
        """The response, if it is cached."""
        try:  # `get` would look it up twice
            return self._kept[caller.organization_id, caller.holder, execution_id]
        except KeyError:
            return None

    def keep(self, caller: Caller, execution_id: str, response: bytes) -> None:
        """Cache a response; the oldest make room."""
        if len(response) <= _MAX_RESPONSE_BYTES:
            # with the organization: a hit must not skip the check of whose execution it is; and with the
            # holder: the links in it end with that key or session
            self._kept[caller.organization_id, caller.holder, execution_id] = response


@dataclass(slots=True, frozen=True, kw_only=True)
class ApiServices:
    """Everything an operation may use."""

    settings: Settings
    authenticator: CallerAuthenticator
    changes: Changes
    engine: Engine
    stores: Stores
    logins: StoredLogins
    files: FileStore
    documents: Documents
    signer: UrlSigner
    kinds: Registry
    models: Models
    webhooks: StoredWebhooks
    knowledge: KnowledgeBase
    proxies: UpstreamProxies
    schedules: StoredSchedules
    metrics: Metrics
    idle_browsers: Callable[[], int]
    """How many browsers of this process are ready and unused."""
    count_workers: Callable[[], Awaitable[int]]
    """How many processes run executions of this database."""
    demo: DemoSite | None = None
    quiet_seconds: float = 15
    """After how long executeSync sends white space ahead of its response."""
    readiness: Readiness = field(default_factory=Readiness)
    request_log: RequestLog = field(default_factory=RequestLog)
    response_cache: ResponseCache = field(default_factory=ResponseCache)
    limits: RequestLimits = field(init=False)
    """What one caller may take of this process."""
    machine: MachineReport = field(init=False)

    def __post_init__(self) -> None:
        """Make what depends on the settings alone."""
        object.__setattr__(self, "limits", RequestLimits.of_settings(self.settings))
        object.__setattr__(self, "machine", MachineReport(self.settings))
