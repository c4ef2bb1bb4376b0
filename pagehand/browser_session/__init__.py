"""One running browser, as blocks and engine use it; `pagehand.browser` implements it.

It speaks Playwright's own types on purpose: blocks rely on their waiting, scrolling and checking before an
act, and a copy of them would promise a second driver that does not exist. That is why it is kept apart from
`pagehand.ports`, which names no library.
"""

from pagehand.browser_session.live_view import Chooser, Choosers, Frame, Question, Screen, Tab, UserInput
from pagehand.browser_session.page import (
    Action,
    Dialog,
    Found,
    HeldBack,
    PageSession,
    Press,
    Purpose,
    Starter,
)
from pagehand.browser_session.session import (
    BrowserRequest,
    BrowserSession,
    OpenBrowser,
    PickedElement,
    Proposal,
    RankedLocator,
    ReportEvent,
    SaveFile,
)

__all__ = [
    "Action",
    "BrowserRequest",
    "BrowserSession",
    "Chooser",
    "Choosers",
    "Dialog",
    "Found",
    "Frame",
    "HeldBack",
    "OpenBrowser",
    "PageSession",
    "PickedElement",
    "Press",
    "Proposal",
    "Purpose",
    "Question",
    "RankedLocator",
    "ReportEvent",
    "SaveFile",
    "Screen",
    "Starter",
    "Tab",
    "UserInput",
]
