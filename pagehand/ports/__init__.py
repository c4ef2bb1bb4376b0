"""The seams of the house, each declared once: browsers, models, HTTP, mail, files, documents, user code.

Each has two sides: what is real, and what stands in for it in tests (`pagehand.testing`).
"""

from pagehand.ports.browser import (
    BrowserRequest,
    BrowserSession,
    OpenBrowser,
    PickedElement,
    Proposal,
    RankedLocator,
    ReportEvent,
    SaveFile,
)
from pagehand.ports.cache import BlockCache
from pagehand.ports.files import Documents, FilePlace, FileStore, KeepFile, Knowledge, RunFiles
from pagehand.ports.live_view import Chooser, Choosers, Frame, Question, Screen, Tab, UserInput
from pagehand.ports.model import Achieved, AgentTools, Model, ModelConversation, Models, ModelUsage, RunModel
from pagehand.ports.outside import Http, HttpAnswer, Mail, Proxies
from pagehand.ports.page import (
    Action,
    CaptchaSolver,
    Dialog,
    Found,
    HeldBack,
    PageSession,
    Press,
    Purpose,
    Starter,
)
from pagehand.ports.sandbox import Sandbox

__all__ = [
    "Achieved",
    "Action",
    "AgentTools",
    "BlockCache",
    "BrowserRequest",
    "BrowserSession",
    "CaptchaSolver",
    "Chooser",
    "Choosers",
    "Dialog",
    "Documents",
    "FilePlace",
    "FileStore",
    "Found",
    "Frame",
    "HeldBack",
    "Http",
    "HttpAnswer",
    "KeepFile",
    "Knowledge",
    "Mail",
    "Model",
    "ModelConversation",
    "ModelUsage",
    "Models",
    "OpenBrowser",
    "PageSession",
    "PickedElement",
    "Press",
    "Proposal",
    "Proxies",
    "Purpose",
    "Question",
    "RankedLocator",
    "ReportEvent",
    "RunFiles",
    "RunModel",
    "Sandbox",
    "SaveFile",
    "Screen",
    "Starter",
    "Tab",
    "UserInput",
]
