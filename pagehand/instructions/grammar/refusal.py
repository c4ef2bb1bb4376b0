"""Refusals: which words were not understood, which steps before them were, and what to write instead."""

from collections.abc import Callable, Sequence

from pagehand.errors import InvalidRequest

_MAX_STEPS = 5
_MAX_LENGTH = 200


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


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}…"
