"""How much a message may cost to read: processor time, and conditions and loops within each other."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

_CPU_SECONDS: Final = 2.0
"""Several times what the longest message takes; looking words up on visited pages takes most."""
_MAX_DEPTH: Final = 20
"""As deep as blocks may be nested."""


class BudgetExceededError(Exception):
    """The message costs too much; not a refusal of some words, after which others would be tried."""


class Budget:
    """What is left for one message, which is read in one thread."""

    def __init__(self, cpu_seconds: float = _CPU_SECONDS) -> None:
        self._end = time.thread_time() + cpu_seconds
        self._depth = 0

    def check(self) -> None:
        """Raise `BudgetExceededError` once the processor time is spent."""
        if time.thread_time() > self._end:
            raise BudgetExceededError("it takes too long to read; ask for a part at a time")

    @contextmanager
    def nested(self) -> Generator[None]:
        """Around what is read within a condition or a loop."""
        if self._depth == _MAX_DEPTH:
            raise BudgetExceededError(f"conditions and loops may be nested {_MAX_DEPTH} deep, no deeper")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
