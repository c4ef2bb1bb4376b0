"""Refusals: which words were not understood, what was before them and what to write; the time for reading."""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Final

from pagehand.errors import InvalidRequest

_MAX_STEPS = 5
_MAX_LENGTH = 200
_CPU_SECONDS: Final = 2.0
"""Several times what the longest message takes; looking words up on visited pages takes most."""
_MAX_TRIES: Final = 5_000
"""Ways to match frames, for one message; a long one that is understood takes a tenth."""
_MAX_DEPTH: Final = 20
"""As deep as blocks may be nested."""


class NotUnderstood(InvalidRequest):
    """Some words of an instruction have no meaning, or several."""

    def __init__(self, words: str, reason: str, understood: Sequence[str] = ()) -> None:
        """`words` as the user wrote them; `reason` says what is wrong with them and what would help."""
        self.words = _cut(words.strip())
        self.reason = reason
        self.understood = tuple(understood)
        """The steps before them, in order."""
        what = f"`{self.words}` was not understood" if self.words else "The instruction was not understood"
        super().__init__(f"{what}: {reason}{self._steps_before()}")

    def after(self, steps: Sequence[str]) -> "NotUnderstood":
        """The same refusal with the steps that were understood before it."""
        # in front: each level of nesting adds the steps that it read before
        return NotUnderstood(self.words, self.reason, (*steps, *self.understood))

    def as_written(self, write: Callable[[str], str]) -> "NotUnderstood":
        """The same refusal with every word as the user wrote it."""
        return NotUnderstood(write(self.words), write(self.reason), self.understood)

    def _steps_before(self) -> str:
        if not self.understood:
            return ""
        steps = ", ".join(f"`{step}`" for step in self.understood[:_MAX_STEPS])
        more = len(self.understood) - _MAX_STEPS
        return f". Understood before it: {steps}{f' and {more} more' if more > 0 else ''}"


class OtherFrame(NotUnderstood):
    """The words fit a frame by accident: what another frame says of them explains more."""

    def __init__(self, reason: str) -> None:
        """`reason` is said when no other frame fits."""
        super().__init__("", reason)


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}…"


class BudgetExceededError(Exception):
    """The message costs too much; not a refusal of some words, after which others would be tried."""


class Budget:
    """What is left for one message, which is read in one thread."""

    def __init__(self, cpu_seconds: float = _CPU_SECONDS) -> None:
        self._end = time.thread_time() + cpu_seconds
        self._depth = 0
        self._tries = 0

    def spend(self) -> None:
        """Count one try, whatever the time: the same text is always read or always refused."""
        self._tries += 1
        if self._tries > _MAX_TRIES:
            raise BudgetExceededError("it takes too long to read; ask for a part at a time")

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
