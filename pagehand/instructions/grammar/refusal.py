"""Saying no: which words were not understood, what was understood before them, and what to say instead."""

from collections.abc import Callable, Sequence

from pagehand.errors import InvalidRequest

_MOST_UNDERSTOOD = 5
_LONGEST = 200


class NotUnderstood(InvalidRequest):
    """Some words of an instruction have no one meaning."""

    def __init__(self, words: str, reason: str, understood: Sequence[str] = ()) -> None:
        """`words` as the user wrote them; `reason` says what is wrong with them and what would help."""
        self.words = _cut(words.strip())
        self.reason = reason
        self.understood = tuple(understood)
        """The steps before them, in order."""
        what = f"`{self.words}` was not understood" if self.words else "The instruction was not understood"
        super().__init__(f"{what}: {reason}{self._so_far()}")

    def after(self, steps: Sequence[str]) -> "NotUnderstood":
        """The same refusal, once these steps had been understood."""
        # in front: a refusal comes from within, and each level adds what it had read before
        return NotUnderstood(self.words, self.reason, (*steps, *self.understood))

    def written(self, write: Callable[[str], str]) -> "NotUnderstood":
        """The same refusal with every word as the user wrote it."""
        return NotUnderstood(write(self.words), write(self.reason), self.understood)

    def _so_far(self) -> str:
        if not self.understood:
            return ""
        steps = ", ".join(f"`{step}`" for step in self.understood[:_MOST_UNDERSTOOD])
        more = len(self.understood) - _MOST_UNDERSTOOD
        return f". Understood before it: {steps}{f' and {more} more' if more > 0 else ''}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
