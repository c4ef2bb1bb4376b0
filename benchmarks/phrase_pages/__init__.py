"""Pages by other people and phrases about them: packages of the npm registry, applications of the tests."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pagehand.page.phrases import TargetKind

HERE: Final = Path(__file__).parent
_KINDS: Final[dict[str, TargetKind]] = {"field": "field", "read": "shown"}


@dataclass(slots=True, frozen=True)
class Phrase:
    """Words, and a selector of the one element they mean; None where they leave it open."""

    words: str
    kind: TargetKind
    meant: str | None


@dataclass(slots=True, frozen=True)
class Source:
    """A page: of a package (`name@version`) or of an application, and where in it."""

    origin: str
    path: str
    phrases: list[Phrase] = field(default_factory=list[Phrase])

    @property
    def is_application(self) -> bool:
        """True when it has to be started and signed in to."""
        return "@" not in self.origin

    def __str__(self) -> str:
        """For the report."""
        return f"{self.origin} {self.path}"


def sources() -> list[Source]:
    """The pages of `phrases.txt`, each with its phrases."""
    found: list[Source] = []
    for line in (HERE / "phrases.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("@ "):
            origin, path = line[2:].rsplit(" ", 1)
            found.append(Source(origin, path))
        elif " -> " in line and not line.startswith("#"):
            found[-1].phrases.append(_phrase(line))
    return found


def _phrase(line: str) -> Phrase:
    words, meant = line.rsplit(" -> ", 1)
    prefix, _, rest = words.partition(": ")
    kind: TargetKind = _KINDS.get(prefix, "anything")
    return Phrase(rest if prefix in _KINDS else words, kind, None if meant == "refuse" else meant)
