"""The messages of the live view's WebSocket.

The page sends one JSON object per command, whose `type` names it; file content is binary. The service sends
`state` whenever something other than the picture has changed, and pictures as binary JPEG.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

Coordinate = Annotated[float, Meta(ge=-100_000, le=100_000)]
ShortText = Annotated[str, Meta(max_length=64)]


class _ViewerMessage(Struct, rename="camel", forbid_unknown_fields=True, tag_field="type"):
    """A message of the page."""


class TakeControl(_ViewerMessage, tag="take"):
    """Take control; from somebody else only as a takeover."""

    takeover: bool = False


class GiveControlBack(_ViewerMessage, tag="give back"):
    """Give control back: the run continues."""


class AcknowledgeFrame(_ViewerMessage, tag="seen"):
    """A picture was drawn: the next may be sent."""


class MouseInput(_ViewerMessage, tag="mouse"):
    """A mouse event, in pixels of the page that is shown."""

    kind: Literal["move", "down", "up", "wheel"]
    x: Coordinate
    y: Coordinate
    button: Literal["none", "left", "middle", "right"] = "none"
    buttons: Annotated[int, Meta(ge=0, le=7)] = 0
    clicks: Annotated[int, Meta(ge=0, le=3)] = 0
    modifiers: Annotated[int, Meta(ge=0, le=15)] = 0
    delta_x: Coordinate = 0
    delta_y: Coordinate = 0


class KeyInput(_ViewerMessage, tag="key"):
    """A key event, in the terms of the DOM's KeyboardEvent."""

    kind: Literal["down", "up"]
    key: ShortText
    code: ShortText
    key_code: Annotated[int, Meta(ge=0, le=255)] = 0
    text: Annotated[str, Meta(max_length=8)] = ""
    modifiers: Annotated[int, Meta(ge=0, le=15)] = 0
    location: Annotated[int, Meta(ge=0, le=3)] = 0
    is_repeat: bool = False


class InsertText(_ViewerMessage, tag="text"):
    """Insert what was pasted, dictated or composed."""

    text: Annotated[str, Meta(min_length=1, max_length=100_000)]


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
    | InsertText
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


class TabState(Struct, rename="camel"):
    """A tab: its title and host, never its address."""

    id: int
    title: str
    site: str
    is_current: bool


class QuestionState(Struct, rename="camel"):
    """A dialog that waits for an answer."""

    id: int
    kind: str
    message: str
    suggestion: str


class ChooserState(Struct, rename="camel"):
    """An open file chooser."""

    id: int
    is_multiple: bool


class ViewState(_ServerMessage, tag="state"):
    """Everything the page shows except the picture."""

    workflow: str
    may_drive: bool
    driver: Literal["you", "other", "nobody"]
    held_for: str
    waits_for: str
    width: int
    height: int
    tabs: list[TabState]
    question: QuestionState | None
    chooser: ChooserState | None


class CommandRefused(_ServerMessage, tag="refused"):
    """A command was not possible."""

    message: str


class ViewEnded(_ServerMessage, tag="ended"):
    """The execution has no browser now; `isFinal` when it will not get another."""

    status: str
    is_final: bool
    message: str
