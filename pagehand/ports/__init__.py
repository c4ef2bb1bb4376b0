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
from pagehand.ports.model import Achieved, Hands, Model, Models, ModelUsage, RunModel, Talk
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
    "Hands",
    "HeldBack",
    "Http",
    "HttpAnswer",
    "KeepFile",
    "Knowledge",
    "Mail",
    "Model",
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
    "Talk",
    "UserInput",
]
