"""What a person did on a page, as the recorder saw it: never what was typed into a secret field."""

from dataclasses import dataclass, field
from typing import Literal

from pagehand.workflow.locator import Locator

ActKind = Literal[
    "open",
    "click",
    "double click",
    "right click",
    "drag",
    "fill",
    "fill secret",
    "fill username",
    "choose",
    "check",
    "upload",
    "download",
    "read",
]


@dataclass(slots=True, frozen=True, kw_only=True)
class RecordedAct:
    """One act and the element it was done to."""

    kind: ActKind
    locator: Locator | None = None
    name: str = ""
    """What the element is called."""
    value: str = ""
    """An address, what stands in a field, the option, `true` or `false`; empty for secrets."""
    presses_enter: bool = False
    to_locator: Locator | None = None
    """Of a drag: the element it was dropped on; without one, `moved_by` says how far."""
    moved_by: tuple[int, int] = (0, 0)
    opens_tab: bool = False
    """The act brought about a new tab, in which what follows was done."""
    signs_in: bool = False
    """It belongs to a sign-in form, which a run that is signed in already does not meet."""
    columns: list[str] = field(default_factory=list[str])
    """Of a table that is read."""
    replaces_last: bool = False
    """The act before was the beginning of this one: more was typed, or the click began a download."""
