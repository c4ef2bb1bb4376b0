"""The messages of the live view's WebSocket.

The page sends one JSON object per command, whose `type` names it; file content is binary. The service sends
`state` whenever something other than the picture has changed, and pictures as binary JPEG.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from pagehand.browser_session import KeyInput, MouseInput, OpenFileChooser, Question, Tab, TextInput


class _ViewerMessage(Struct, rename="camel", forbid_unknown_fields=True, tag_field="type"):
    """A message of the page."""


class TakeControl(_ViewerMessage, tag="take"):
    """Take control; from somebody else only as a takeover."""

    takeover: bool = False


class GiveControlBack(_ViewerMessage, tag="give back"):
    """Give control back: the run continues."""


class AcknowledgeFrame(_ViewerMessage, tag="seen"):
    """A picture was drawn: the next may be sent."""


class SwitchTab(_ViewerMessage, tag="tab"):
    """Show another tab."""

    id: int


class AnswerDialog(_ViewerMessage, tag="answer"):
    """The answer to a dialog."""

    id: int
    accept: bool
    text: Annotated[str, Meta(max_length=10_000)] | None = None


class GoBack(_ViewerMessage, tag="back"):
    """Go to the previous page."""


class Reload(_ViewerMessage, tag="reload"):
    """Load the page again."""


class BeginFile(_ViewerMessage, tag="file"):
    """The content of this file follows in binary messages."""

    name: Annotated[str, Meta(min_length=1, max_length=255)]


class SubmitFiles(_ViewerMessage, tag="files"):
    """All files were sent."""


class CancelFileChooser(_ViewerMessage, tag="no files"):
    """Close the file chooser without a file."""


ViewerCommand = (
    TakeControl
    | GiveControlBack
    | AcknowledgeFrame
    | MouseInput
    | KeyInput
    | TextInput
    | SwitchTab
    | AnswerDialog
    | GoBack
    | Reload
    | BeginFile
    | SubmitFiles
    | CancelFileChooser
)

read_command = msgspec.json.Decoder(ViewerCommand).decode
"""Decodes a message of the page; raises msgspec's ValidationError or DecodeError."""


class _ServerMessage(Struct, rename="camel", tag_field="type"):
    """A message of the service."""


class ViewState(_ServerMessage, tag="state"):
    """Everything the page shows except the picture."""

    workflow: str
    may_drive: bool
    driver: Literal["you", "other", "nobody"]
    held_for: str
    waits_for: str
    width: int
    height: int
    tabs: list[Tab]
    question: Question | None
    chooser: OpenFileChooser | None


class CommandRefused(_ServerMessage, tag="refused"):
    """A command was not possible."""

    message: str


class ViewEnded(_ServerMessage, tag="ended"):
    """The execution has no browser now; `isFinal` when it will not get another."""

    status: str
    is_final: bool
    message: str
