"""The cache of blocks between runs."""

from typing import Any, Protocol


class BlockCache(Protocol):
    """Plans that a block keeps for later runs, by page; never data."""

    async def recall(self, kind: str) -> Any:
        """The kept plan; None if there is none, or the block is not cacheable."""
        ...

    def keep(self, kind: str, plan: Any, *, by_model: bool, page: str | None = None) -> None:
        """Keep a plan if the block succeeds; `page` is the URL it is for, by default the current one."""
        ...

    async def drop(self, kind: str) -> None:
        """Delete a plan that no longer works."""
        ...
