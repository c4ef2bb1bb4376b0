"""What a person did by hand, as a kind declares that it can do it again."""

from collections.abc import Callable
from dataclasses import dataclass

from pagehand.records import Json
from pagehand.workflow.recorded import RecordedAct


@dataclass(slots=True, frozen=True)
class RecordingRule:
    """The block that an act becomes."""

    begins: str
    """How its name begins; what the element is called follows."""
    data: Callable[[RecordedAct], Json]
    """Its data; secrets are references to the login, never values."""
