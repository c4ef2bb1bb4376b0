"""Finding an element by what people call it, without a model: a phrase and a page in, one element out.

`resolve` tries every way to understand the phrase and chooses an element only when each word is explained and
no other element matches as well; otherwise it refuses and says why.
"""

from pagehand.page.phrases.resolve import (
    LONGEST_PHRASE,
    NotClear,
    ResolvedElement,
    TargetKind,
    resolve,
    resolve_all,
)
from pagehand.page.phrases.snapshot import (
    MAX_CANDIDATES,
    Candidate,
    CandidateKey,
    FrameReport,
    Snapshot,
    inventory_script,
)

__all__ = [
    "LONGEST_PHRASE",
    "MAX_CANDIDATES",
    "Candidate",
    "CandidateKey",
    "FrameReport",
    "NotClear",
    "ResolvedElement",
    "Snapshot",
    "TargetKind",
    "inventory_script",
    "resolve",
    "resolve_all",
]
