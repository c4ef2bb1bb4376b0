"""Interfaces to models, HTTP, mail, files, documents, captchas and user code, as blocks and engine use them.

Each has a real implementation and a fake for tests (`pagehand.testing`). The interface to browsers is
`pagehand.browser_session`.
"""

from pagehand.ports.model import (
    AgentResult,
    AgentTools,
    Model,
    ModelConversation,
    Models,
    ModelUsage,
    RunModel,
)
from pagehand.ports.outside import (
    BlockCache,
    Captcha,
    CaptchaSolver,
    Documents,
    FilePlace,
    FileStore,
    Http,
    HttpAnswer,
    HttpOptions,
    KeepFile,
    Knowledge,
    Mail,
    Proxies,
    RunFiles,
    Sandbox,
)
