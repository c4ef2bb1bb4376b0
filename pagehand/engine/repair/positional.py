"""Locators that count elements, such as `li:nth-child(3)`: after a change they may match another element."""

import json
import re
from typing import Final

from pagehand.engine.repair.element_memory import written_locators
from pagehand.errors import Diagnosis, NotPresent
from pagehand.workflow.envelope import Envelope
from pagehand.workflow.locator import Locator

_CAUSE: Final = "The page has changed, and the locator counts elements."
# `:nth-child(3)`, `[3]`: a place that another element may take; the first and the last are meant as such
_PLACE: Final = re.compile(r":nth-[\w-]+\(\s*(?!1\s*\))\d+\s*\)|\[\s*(?!1\s*\])\d+\s*\]")


def is_positional(locator: Locator, envelope: Envelope) -> bool:
    """True for a bare selector that counts; one whose template counts means the place, not the element."""
    given = locator.model_dump(by_alias=True, exclude_none=True)
    is_bare = set(given) <= {"css", "xpath", "frame"}
    if not is_bare or "{{" in json.dumps(written_locators(envelope)):
        return False
    return _PLACE.search(f"{locator.css or ''} {locator.xpath or ''}") is not None


def matches_another(locator: Locator) -> NotPresent:
    """The error for a locator that matches another element than before."""
    return NotPresent(
        f"What matches {locator} now is another element than the one it found before.",
        Diagnosis(
            expected=str(locator),
            cause=_CAUSE,
            advice="Name the element by role and text; if its place is meant, set `isCacheable` to false.",
        ),
    )


def is_another(missing: NotPresent) -> bool:
    """True for an error that `matches_another` made."""
    return missing.diagnosis.cause == _CAUSE
