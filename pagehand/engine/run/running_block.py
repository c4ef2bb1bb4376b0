"""A running block, as healing, the cache and the recovery agent see it."""

from typing import Protocol

from pagehand.blocks.run_context import RunContext
from pagehand.browser_session import BrowserSession
from pagehand.records import Json
from pagehand.workflow.locator import Locator


class RunningBlock(RunContext, Protocol):
    """The context of a running block, with what only the engine may use."""

    @property
    def page(self) -> BrowserSession:
        """The browser, with what only the engine may ask of it."""
        ...

    @property
    def commits(self) -> bool:
        """True when the block's effect must never happen twice."""
        ...

    @property
    def notes(self) -> Json:
        """Data for the block's event."""
        ...

    def allow_action(self) -> None:
        """Extend the block's time a little, to act on an element that was found late."""
        ...

    async def adopt(self, moved: Locator) -> None:
        """The block's element is found by `moved` from now on."""
        ...
