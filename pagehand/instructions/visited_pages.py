"""The pages an execution visited, to find the elements that an instruction refers to."""

from collections.abc import Sequence
from typing import Final

from pagehand.errors import NotPresent
from pagehand.instructions.grammar import NotUnderstood
from pagehand.page.phrases import NotClear, Snapshot, TargetKind, resolve
from pagehand.records import Json

_MAX_FOR_MODEL: Final = 300


class VisitedPages:
    """Snapshots of pages; the newest is searched first."""

    def __init__(self, oldest_first: Sequence[Snapshot]) -> None:
        self._newest_first = list(reversed(oldest_first))

    def describe_for_model(self) -> str:
        """The elements of the newest page, one per line."""
        newest = self._newest_first[0].candidates[:_MAX_FOR_MODEL] if self._newest_first else []
        return "\n".join(str(item) for item in newest)

    def find(self, words: str, target: TargetKind, /) -> Json | None:
        """A locator of the element; None when no page has it, `NotUnderstood` when several elements fit."""
        for page in self._newest_first:
            if (found := _find_on(page, words, target)) is not None:
                return found
        return None


def _find_on(page: Snapshot, words: str, target: TargetKind) -> Json | None:
    """By role and name where these are enough, else by the words; never by a path in the page."""
    try:
        locator = resolve(words, page, target).locator
    except NotPresent:
        return None
    except NotClear as problem:
        raise NotUnderstood(words, problem.message) from problem
    found = locator.model_dump(by_alias=True, exclude_none=True)
    # a selector may break with the next release of the site; words are looked up at every run
    return {"words": words} if "css" in found or "xpath" in found else found
