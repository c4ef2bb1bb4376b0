"""The objects the engine works with, chosen by `assemble`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from pagehand.blocks import Registry
from pagehand.browser import OpenBrowser
from pagehand.engine.reporting.events import NoTraces, Traces
from pagehand.engine.reporting.metrics import Metrics
from pagehand.knowledge import KnowledgeBase
from pagehand.logins.sign_in.sign_in import SignIn
from pagehand.ports import (
    CaptchaSolver,
    Documents,
    FileStore,
    Http,
    Mail,
    Models,
    Proxies,
    Sandbox,
)
from pagehand.records import (
    Execution,
    FileInfo,
    Json,
)
from pagehand.secrets.redactor import Redactor
from pagehand.secrets.vault import SecretParams
from pagehand.settings import Settings
from pagehand.storage import Stores
from pagehand.webhooks import WebhookListeners

SaveChanges = Callable[..., Awaitable[None]]
"""Writes columns of the execution's row; `WorkerLost` when another worker owns it by now."""

DescribeFile = Callable[[FileInfo], Json]
"""File info as the API shows it, with a URL that expires."""

CheckRoom = Callable[[str, int], Awaitable[None]]
"""Raises for an organization that has no room for so many bytes more."""


@dataclass(slots=True, kw_only=True)
class EngineServices:
    """What all runs share."""

    settings: Settings
    stores: Stores
    file_bytes: FileStore
    describe_file: DescribeFile
    kinds: Registry
    sandbox: Sandbox
    documents: Documents
    open_browser: OpenBrowser
    http: Http
    proxies: Proxies
    mail: Mail
    logins: SignIn
    secret_params: SecretParams
    models: Models
    new_redactor: Callable[[], Redactor]
    live_view_url: Callable[[Execution], str]
    """Where a person can see and drive the execution's browser."""
    webhook_listeners: WebhookListeners
    metrics: Metrics = field(default_factory=Metrics)
    traces: Traces = field(default_factory=NoTraces)
    captcha_solver: CaptchaSolver | None = None
    knowledge: KnowledgeBase
    check_room: CheckRoom | None = None
    end_lost_browser: Callable[[str], None] = lambda _: None
    """Starts to end the browser of a run whose process was lost, by the vendor's id; it may be rented."""
