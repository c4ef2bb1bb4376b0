"""Finding an element by what people call it, without a model: a phrase and a page in, one element out.

`resolve` reads the phrase in every way it can be read and takes an element only when each word is explained
and nothing else fits as well; otherwise it refuses and says why.
"""

from pagehand.page.phrases.resolve import Kind, NotClear, Resolved, resolve, resolve_all
from pagehand.page.phrases.snapshot import MOST_CANDIDATES, Candidate, Place, Report, Snapshot, script

__all__ = [
    "MOST_CANDIDATES",
    "Candidate",
    "Kind",
    "NotClear",
    "Place",
    "Report",
    "Resolved",
    "Snapshot",
    "resolve",
    "resolve_all",
    "script",
]
