"""The seams of the house, each declared once: models, HTTP, mail, files, documents, captchas, user code.

Each has two sides: what is real, and what stands in for it in tests (`pagehand.testing`). The browser's seam
is `pagehand.browser_session`.
"""

from pagehand.ports.cache import BlockCache
from pagehand.ports.captcha import CaptchaSolver
from pagehand.ports.files import Documents, FilePlace, FileStore, KeepFile, Knowledge, RunFiles
from pagehand.ports.model import Achieved, AgentTools, Model, ModelConversation, Models, ModelUsage, RunModel
from pagehand.ports.outside import Http, HttpAnswer, Mail, Proxies
from pagehand.ports.sandbox import Sandbox

__all__ = [
    "Achieved",
    "AgentTools",
    "BlockCache",
    "CaptchaSolver",
    "Documents",
    "FilePlace",
    "FileStore",
    "Http",
    "HttpAnswer",
    "KeepFile",
    "Knowledge",
    "Mail",
    "Model",
    "ModelConversation",
    "ModelUsage",
    "Models",
    "Proxies",
    "RunFiles",
    "RunModel",
    "Sandbox",
]
