"""Where a test gives the engine something else than the service would."""

from dataclasses import dataclass, field
from typing import cast

from pagehand.blocks import Registry, kinds
from pagehand.browser_session import BrowserRequest, BrowserSession, OpenBrowser
from pagehand.ports import CaptchaSolver, Documents, Http, Mail, Models, Sandbox
from pagehand.testing.fakes import BlankBrowser, NoModels, Outbox, ScriptedHttp


async def _blank(request: BrowserRequest) -> BrowserSession:
    del request
    # not all of a session: what is missing fails the block that asks for it
    return cast("BrowserSession", BlankBrowser())


@dataclass(slots=True, kw_only=True)
class Seams:
    """What a run meets of the outside; each may be replaced, also between two runs.

    Without a `sandbox` or `documents` the harness starts the real ones, and ends them.
    """

    http: Http = field(default_factory=ScriptedHttp)
    mail: Mail = field(default_factory=Outbox)
    models: Models = field(default_factory=NoModels)
    open_browser: OpenBrowser = _blank
    captcha_solver: CaptchaSolver | None = None
    sandbox: Sandbox | None = None
    documents: Documents | None = None
    kinds: Registry = field(default_factory=kinds)
    """The block kinds there are: for an outside package, those of the entry point are among them."""
