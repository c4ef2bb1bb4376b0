"""How a block ends: with an outcome, or by leaving the loop or round that it is in."""

from dataclasses import dataclass, field
from typing import Any

from pagehand.records import Json


class NoOutput:
    """Stands for "this block has no output", which is not the same as null."""


NO_OUTPUT = NoOutput()


@dataclass(slots=True)
class Outcome:
    """How a block ended well: its output, and what its event should say."""

    output: Any = NO_OUTPUT
    message: str = ""
    details: Json = field(default_factory=Json)
    remark: str = ""
    """What a reader of the summary must know, such as that nothing was found."""


# control flow, not errors: nothing that catches errors may stop them
class LoopBreak(BaseException):
    """The innermost loop ends here."""


class LoopContinue(BaseException):
    """The innermost loop goes on with its next round."""
