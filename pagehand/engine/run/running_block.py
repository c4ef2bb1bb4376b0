"""A block at work, as the parts of the engine that help it see it."""

from typing import Protocol

from pagehand.blocks.base import RunContext
from pagehand.browser_session import BrowserSession
from pagehand.records import Json
from pagehand.workflow.locator import Locator


class RunningBlock(RunContext, Protocol):
    """What healing, the cache and the recovery agent know of the block they serve."""

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
        """What the block's event will say beside its message."""
        ...

    def allow_action(self) -> None:
        """Give what was found late time to be used."""
        ...

    async def adopt(self, moved: Locator) -> None:
        """The block's element is found by `moved` from now on."""
        ...
