"""Finished executions never change, so their encoded answers are kept for a moment."""

import time
from collections import OrderedDict
from typing import Final

KEPT_SECONDS: Final = 30.0
_MAX_BYTES: Final = 16 * 1024 * 1024
_MAX_ONE: Final = 256 * 1024


class FinishedAnswers:
    """The latest encoded answers of finished executions, within a bound."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], tuple[float, bytes]] = OrderedDict()
        self._size = 0

    def find(self, organization_id: str, execution_id: str) -> bytes | None:
        """The answer, if it was encoded a moment ago."""
        known = self._kept.get((organization_id, execution_id))
        if known is None or time.monotonic() - known[0] > KEPT_SECONDS:
            return None
        return known[1]

    def keep(self, organization_id: str, execution_id: str, answer: bytes) -> None:
        """Remember an answer; the oldest make room."""
        if len(answer) > _MAX_ONE:
            return
        self._drop((organization_id, execution_id))
        self._kept[organization_id, execution_id] = (time.monotonic(), answer)
        self._size += len(answer)
        while self._size > _MAX_BYTES:
            self._drop(next(iter(self._kept)))

    def _drop(self, name: tuple[str, str]) -> None:
        known = self._kept.pop(name, None)
        if known is not None:
            self._size -= len(known[1])
