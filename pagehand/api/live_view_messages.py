"""What the live view's page and the service say to each other over the WebSocket.

The page sends one JSON object per act, whose `type` says which; pieces of a file are binary. The service
sends `state` whenever something but the picture has changed, and pictures as binary JPEG.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

Coordinate = Annotated[float, Meta(ge=-100_000, le=100_000)]
ShortText = Annotated[str, Meta(max_length=64)]


class _Command(Struct, rename="camel", forbid_unknown_fields=True, tag_field="type"):
    """Something the page says."""


class Take(_Command, tag="take"):
    """Take control; from somebody else only as a takeover."""

    takeover: bool = False


class GiveBack(_Command, tag="give back"):
    """Let the run go on; what it waited for is done."""


class Seen(_Command, tag="seen"):
    """A picture was drawn: the next may come."""


class Mouse(_Command, tag="mouse"):
    """The mouse, in pixels of the page that is shown."""

    kind: Literal["move", "down", "up", "wheel"]
    x: Coordinate
    y: Coordinate
    button: Literal["none", "left", "middle", "right"] = "none"
    buttons: Annotated[int, Meta(ge=0, le=7)] = 0
    clicks: Annotated[int, Meta(ge=0, le=3)] = 0
    modifiers: Annotated[int, Meta(ge=0, le=15)] = 0
    delta_x: Coordinate = 0
    delta_y: Coordinate = 0


class Key(_Command, tag="key"):
    """A key, in the words of the DOM's KeyboardEvent."""

    kind: Literal["down", "up"]
    key: ShortText
    code: ShortText
    key_code: Annotated[int, Meta(ge=0, le=255)] = 0
    text: Annotated[str, Meta(max_length=8)] = ""
    modifiers: Annotated[int, Meta(ge=0, le=15)] = 0
    location: Annotated[int, Meta(ge=0, le=3)] = 0
    is_repeat: bool = False


class Text(_Command, tag="text"):
    """Text as a whole: pasted, dictated, composed."""

    text: Annotated[str, Meta(min_length=1, max_length=100_000)]


class SwitchTab(_Command, tag="tab"):
    """Show another tab."""

    id: int


class AnswerDialog(_Command, tag="answer"):
    """The answer to a dialog."""

    id: int
    accept: bool
    text: Annotated[str, Meta(max_length=10_000)] | None = None


class Back(_Command, tag="back"):
    """To the page before."""


class Reload(_Command, tag="reload"):
    """Load the page anew."""


class BeginFile(_Command, tag="file"):
    """The pieces of this file follow, as binary messages."""

    name: Annotated[str, Meta(min_length=1, max_length=255)]


class HandOverFiles(_Command, tag="files"):
    """All files are here."""


class GiveNoFile(_Command, tag="no files"):
    """The person closed the chooser."""


ViewerCommand = (
    Take
    | GiveBack
    | Seen
    | Mouse
    | Key
    | Text
    | SwitchTab
    | AnswerDialog
    | Back
    | Reload
    | BeginFile
    | HandOverFiles
    | GiveNoFile
)

read_command = msgspec.json.Decoder(ViewerCommand).decode
"""A message of the page; raises msgspec's ValidationError or DecodeError."""


class _Told(Struct, rename="camel", tag_field="type"):
    """Something the service says."""


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
    """A page that waits for files."""

    id: int
    is_multiple: bool


class State(_Told, tag="state"):
    """Everything but the picture."""

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


class Refused(_Told, tag="refused"):
    """Something the person did was not possible."""

    message: str


class Ended(_Told, tag="ended"):
    """The execution has no browser any more; `isFinal` says whether it will have one again."""

    status: str
    is_final: bool
    message: str
