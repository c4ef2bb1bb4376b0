"""One running browser, as blocks and engine use it; `pagehand.browser` implements it.

It speaks Playwright's own types on purpose: blocks rely on their waiting, scrolling and checking before an
act, and a copy of them would promise a second driver that does not exist. That is why it is kept apart from
`pagehand.ports`, which names no library.
"""

from pagehand.browser_session.actions import Action, Dialog, DialogRule, Dialogs, FormRejection, Press
from pagehand.browser_session.elements import (
    CandidateScore,
    ElementHealing,
    FoundElement,
    HealingFacts,
    HealingResult,
    Purpose,
    addresses_of,
)
from pagehand.browser_session.live_view import (
    FileChoosers,
    InputEvent,
    KeyInput,
    LiveView,
    MouseButton,
    MouseInput,
    OpenFileChooser,
    PickedElement,
    Question,
    RankedLocator,
    ScreencastFrame,
    Tab,
    TextInput,
    UserInput,
)
from pagehand.browser_session.page import (
    PageSession,
    ScriptedWithin,
    Scripts,
    StartDownload,
    Tabs,
    TypedSecrets,
    WhichTabs,
)
from pagehand.browser_session.session import (
    BeforeSend,
    BrowserRequest,
    BrowserSession,
    CheckRoom,
    OpenBrowser,
    ReportEvent,
    SaveFile,
)

__all__ = [
    "Action",
    "BeforeSend",
    "BrowserRequest",
    "BrowserSession",
    "CandidateScore",
    "CheckRoom",
    "Dialog",
    "DialogRule",
    "Dialogs",
    "ElementHealing",
    "FileChoosers",
    "FormRejection",
    "FoundElement",
    "HealingFacts",
    "HealingResult",
    "InputEvent",
    "KeyInput",
    "LiveView",
    "MouseButton",
    "MouseInput",
    "OpenBrowser",
    "OpenFileChooser",
    "PageSession",
    "PickedElement",
    "Press",
    "Purpose",
    "Question",
    "RankedLocator",
    "ReportEvent",
    "SaveFile",
    "ScreencastFrame",
    "ScriptedWithin",
    "Scripts",
    "StartDownload",
    "Tab",
    "Tabs",
    "TextInput",
    "TypedSecrets",
    "UserInput",
    "WhichTabs",
    "addresses_of",
]
