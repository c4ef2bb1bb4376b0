"""The pages an execution saw, to find the elements an instruction speaks of."""

from collections.abc import Sequence
from typing import Final

from pagehand.errors import NotPresent
from pagehand.instructions.grammar import NotUnderstood
from pagehand.instructions.grammar.scene import Wanted
from pagehand.page.phrases import NotClear, Snapshot, resolve
from pagehand.records import Json

_MOST_FOR_MODEL: Final = 300


class SeenPages:
    """Snapshots of pages; what was seen last is meant first."""

    def __init__(self, oldest_first: Sequence[Snapshot]) -> None:
        self._newest_first = list(reversed(oldest_first))

    def for_model(self) -> str:
        """What the newest page offers, for a model."""
        newest = self._newest_first[0].candidates[:_MOST_FOR_MODEL] if self._newest_first else []
        return "\n".join(str(item) for item in newest)

    def find(self, words: str, wanted: Wanted, /) -> Json | None:
        """Role and name of the one element meant; None when no page has it, `NotUnderstood` when several."""
        for page in self._newest_first:
            if (found := _on(page, words, wanted)) is not None:
                return found
        return None


def _on(page: Snapshot, words: str, wanted: Wanted) -> Json | None:
    """By role and name where these are enough, else by the words: a place in the page is never kept."""
    try:
        locator = resolve(words, page, wanted).locator
    except NotPresent:
        return None
    except NotClear as problem:
        raise NotUnderstood(words, problem.message) from problem
    found = locator.model_dump(by_alias=True, exclude_none=True)
    # a selector holds until the next release of the site; words are looked up at every run
    return {"words": words} if "css" in found or "xpath" in found else found
