"""A cache of encoded responses: finished executions never change."""

from typing import Final

from cachetools import TTLCache

from pagehand.api.auth import Caller

KEPT_SECONDS: Final = 30.0
_MAX_BYTES: Final = 16 * 1024 * 1024
# one large response must not evict all the small ones
_MAX_RESPONSE_BYTES: Final = 256 * 1024


class ResponseCache:
    """The encoded responses of finished executions, limited in time and size."""

    def __init__(self) -> None:
        self._kept = TTLCache[tuple[str, str, str], bytes](_MAX_BYTES, KEPT_SECONDS, getsizeof=len)

    def find(self, caller: Caller, execution_id: str) -> bytes | None:
        """The response, if it is cached."""
        return self._kept.get((caller.organization_id, caller.holder, execution_id))

    def keep(self, caller: Caller, execution_id: str, response: bytes) -> None:
        """Cache a response; the oldest make room."""
        if len(response) <= _MAX_RESPONSE_BYTES:
            # with the organization: a hit must not skip the check of whose execution it is; and with the
            # holder: the links in it end with that key or session
            self._kept[caller.organization_id, caller.holder, execution_id] = response
