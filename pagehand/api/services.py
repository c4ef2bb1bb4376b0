"""The services that operations use; put together by `pagehand.assemble`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from pagehand.api.auth import CallerAuthenticator
from pagehand.api.demo_site import DemoSite
from pagehand.api.readiness import Readiness
from pagehand.api.request_limits import RequestLimits
from pagehand.api.request_log import RequestLog
from pagehand.api.response_cache import ResponseCache
from pagehand.blocks import Registry
from pagehand.egress.upstream_proxies import UpstreamProxies
from pagehand.engine.base import Engine
from pagehand.engine.changes import Changes
from pagehand.engine.reporting.metrics import Metrics
from pagehand.engine.schedules.stored import StoredSchedules
from pagehand.files.signing import UrlSigner
from pagehand.knowledge import KnowledgeBase
from pagehand.logins.stored import StoredLogins
from pagehand.ports import Documents, FileStore, Models
from pagehand.settings import Settings
from pagehand.storage import Stores
from pagehand.webhooks import StoredWebhooks


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

    def __post_init__(self) -> None:
        """Derive the limits from the settings."""
        object.__setattr__(self, "limits", RequestLimits.of_settings(self.settings))
