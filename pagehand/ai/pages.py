"""The pages an execution saw, to find the elements an instruction speaks of."""

from collections.abc import Sequence
from typing import Final

from pagehand.ai.grammar import NotUnderstood
from pagehand.ai.grammar.scene import Wanted
from pagehand.errors import NotPresent
from pagehand.records import Json
from pagehand.words import NotClear, Snapshot, resolve

_MOST_TOLD: Final = 300


class SeenPages:
    """Snapshots of pages; what was seen last is meant first."""

    def __init__(self, oldest_first: Sequence[Snapshot]) -> None:
        self._newest_first = list(reversed(oldest_first))

    def told(self) -> str:
        """What the newest page offers, for a model."""
        newest = self._newest_first[0].candidates[:_MOST_TOLD] if self._newest_first else []
        return "\n".join(str(one) for one in newest)

    def find(self, words: str, wanted: Wanted, /) -> Json | None:
        """A locator of the one element meant; None when no page has it, `NotUnderstood` when several."""
        for page in self._newest_first:
            try:
                found = resolve(words, page, wanted)
            except NotPresent:
                continue
            except NotClear as problem:
                raise NotUnderstood(words, problem.message) from problem
            return found.locator.model_dump(by_alias=True, exclude_none=True)
        return None
