"""What happens while a block acts on a page: dialogs, new tabs, a form that is not submitted."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from playwright.async_api import Page


@dataclass(slots=True, frozen=True)
class Dialog:
    """A dialog the page opened and how it was answered."""

    type: str
    """alert, confirm, prompt or beforeunload."""
    message: str
    answer: str
    """Accepted or dismissed."""


@dataclass(slots=True, frozen=True)
class DialogRule:
    """How a block wants the page's dialogs answered."""

    accept: bool
    """OK or Cancel; an alert gets OK in any case."""
    text: str | None = None
    """What to answer a prompt."""
    message_contains: str | None = None
    """Answer only dialogs whose message contains this, whatever its case and white space."""


class Dialogs(Protocol):
    """The dialogs that a page opens."""

    def answering(self, rule: DialogRule | None) -> AbstractContextManager[None]:
        """Answer dialogs by the rule within, and afterwards those that come late."""
        ...

    def raise_for_unanswered(self, cause: Exception | None = None) -> None:
        """Fail if a question was dismissed because no block says how to answer it."""
        ...

    def clear_unanswered(self) -> None:
        """Ignore the questions dismissed so far."""
        ...


@dataclass(slots=True)
class Action:
    """What happened while a block acted on the page, oldest first."""

    dialogs: list[Dialog] = field(default_factory=list[Dialog])
    opened: list[Page] = field(default_factory=list[Page])


@dataclass(slots=True, frozen=True)
class FormRejection:
    """Why the browser did not submit a form."""

    field: str
    """The name of the invalid field; empty when no single field is the reason."""
    message: str
    """The browser's validation message."""


class Press(Protocol):
    """One press of a control."""

    @property
    def name(self) -> str:
        """What the control is called; empty when it has no name."""
        ...

    @property
    def signs_in(self) -> bool:
        """True when it sends a sign-in form."""
        ...

    async def form_rejection(self) -> FormRejection | None:
        """After the press: why the form was not submitted; None when it was, or there is none."""
        ...
