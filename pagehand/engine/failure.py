"""Where a run failed: what its report is written from."""

from dataclasses import dataclass

from pagehand.errors import PagehandError
from pagehand.workflow.envelope import Envelope


@dataclass(slots=True)
class Failure:
    """The block at which a run failed, and what the page showed then."""

    envelope: Envelope | None
    error: PagehandError
    url: str = ""
    title: str = ""
