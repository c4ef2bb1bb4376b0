"""What blocks keep for runs to come."""

from typing import Any, Protocol


class BlockCache(Protocol):
    """What a block keeps for runs to come, by the page it stands on: plans, never data."""

    async def recall(self, kind: str) -> Any:
        """What was kept; None when nothing was, or the block is not cacheable."""
        ...

    def keep(self, kind: str, plan: Any, *, by_model: bool, page: str | None = None) -> None:
        """Keep a plan if the block succeeds; `page` is its address, the current one's by default."""
        ...

    async def drop(self, kind: str) -> None:
        """Forget what no longer fits."""
        ...
