"""What webhooks need of the network: unlike blocks they must not follow redirects.

The engine announces through webhooks and may not reach `egress`, so the client is named by what it does.
"""

from collections.abc import Sequence
from typing import Protocol

from pagehand.ports import HttpAnswer


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
    ) -> HttpAnswer:
        """The answer, whatever its status; one of our errors when there is none."""
        ...
