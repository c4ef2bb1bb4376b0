"""What webhooks need of the network; tests put a receiver of their own in its place."""

from collections.abc import Sequence
from typing import Protocol


class Answer(Protocol):
    """What the target said."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...


class Http(Protocol):
    """Reaches what the operator allows and nothing else."""

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Sequence[tuple[str, str]],
        body: bytes,
        timeout_seconds: float,
        max_bytes: int,
        follow_redirects: bool,
    ) -> Answer:
        """The answer, whatever its status; one of our errors when there is none."""
        ...
