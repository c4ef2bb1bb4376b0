"""The concrete things the engine works with, picked by `assemble`."""

from collections.abc import Callable
from dataclasses import dataclass

from pagehand.blocks import Registry
from pagehand.engine.needs import (
    Announcer,
    FileBytes,
    KnowledgeBase,
    Logins,
    Models,
    OpenBrowser,
    Proxies,
    Redactor,
    SecretParams,
    Stores,
)
from pagehand.engine.run.files import CheckRoom, DescribeFile
from pagehand.ports import CaptchaSolver, Documents, Http, Mail, Sandbox
from pagehand.records import Execution
from pagehand.settings import Settings


@dataclass(slots=True, kw_only=True)
class EngineParts:
    """What every run needs."""

    settings: Settings
    stores: Stores
    file_bytes: FileBytes
    describe_file: DescribeFile
    kinds: Registry
    sandbox: Sandbox
    documents: Documents
    open_browser: OpenBrowser
    http: Http
    proxies: Proxies
    mail: Mail
    logins: Logins
    secret_params: SecretParams
    models: Models
    new_redactor: Callable[[], Redactor]
    live_view_url: Callable[[Execution], str]
    """Where a person can see and drive the execution's browser."""
    announcer: Announcer
    captcha_solver: CaptchaSolver | None = None
    knowledge: KnowledgeBase
    check_room: CheckRoom | None = None
