"""Finished executions never change, so their encoded answers are kept for a moment."""

from typing import Final

from cachetools import TTLCache

KEPT_SECONDS: Final = 30.0
_MAX_BYTES: Final = 16 * 1024 * 1024
# one large answer must not push out all the small ones
_MAX_ONE: Final = 256 * 1024


class ResponseCache:
    """The latest encoded answers of finished executions, within a bound."""

    def __init__(self) -> None:
        self._kept = TTLCache[tuple[str, str], bytes](_MAX_BYTES, KEPT_SECONDS, getsizeof=len)

    def find(self, organization_id: str, execution_id: str) -> bytes | None:
        """The answer, if it was encoded a moment ago."""
        return self._kept.get((organization_id, execution_id))

    def keep(self, organization_id: str, execution_id: str, answer: bytes) -> None:
        """Remember an answer; those not asked for longest make room."""
        if len(answer) <= _MAX_ONE:
            # by organization as well: a hit must not skip the check of whose execution it is
            self._kept[organization_id, execution_id] = answer
