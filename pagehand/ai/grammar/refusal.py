"""Saying no: which words were not understood, and what to say instead."""

from pagehand.errors import InvalidRequest


class NotUnderstood(InvalidRequest):
    """Some words of an instruction have no one meaning."""

    def __init__(self, words: str, reason: str) -> None:
        """`words` as the user wrote them; `reason` says what is wrong with them and what would help."""
        super().__init__(f"`{words.strip()}` was not understood: {reason}")
        self.words = words.strip()
        self.reason = reason
