"""The pages an execution saw, to find the elements an instruction speaks of."""

from collections.abc import Sequence
from typing import Final

from pagehand.ai.grammar import NotUnderstood
from pagehand.ai.grammar.scene import Wanted
from pagehand.ai.results import counted_result
from pagehand.errors import NotPresent
from pagehand.records import Json
from pagehand.words import NotClear, Snapshot, resolve
from pagehand.workflow.locator import Locator

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
            if (locator := _on(page, words, wanted)) is not None:
                return locator.model_dump(by_alias=True, exclude_none=True)
        return None


def _on(page: Snapshot, words: str, wanted: Wanted) -> Locator | None:
    try:
        return resolve(words, page, wanted).locator
    except NotPresent:
        result = counted_result(words, page) if wanted != "field" else None
        return page.locator_of(result) if result is not None else None
    except NotClear as problem:
        raise NotUnderstood(words, problem.message) from problem
