"""The way of an earlier run through its pages, up to the first block that had an effect."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pagehand.records import Event
from pagehand.workflow import tree
from pagehand.workflow.effect_words import is_risky
from pagehand.workflow.tree import Envelope


@dataclass(slots=True, frozen=True)
class Sight:
    """A block, and the page as it was when the earlier run came to it."""

    envelope: Envelope
    url: str
    """Empty where no page was open."""
    picture: int | None = None
    """The event whose picture shows the page."""
    after: str = ""
    """The name of a block that had acted on the page since it was opened: it may show more since then."""
    is_opened_by_address: bool = False
    """False where an element led to the page: its address may be for once only."""


@dataclass(slots=True)
class Trail:
    """The blocks that may be looked at, in the order in which they first ran."""

    sights: list[Sight] = field(default_factory=list[Sight])
    last: Sight | None = None
    """The page after the last block; None where the way ended before it."""
    stop: Envelope | None = None
    """The first block that had an effect or may have one: its element is looked for, nothing behind it."""
    why: str = ""


class TrailReader:
    """Reads the trail of a run from its events, one after the other: together they may be very large."""

    def __init__(self, blocks: Iterable[Envelope], effects: Collection[str]) -> None:
        """`effects` are the references of blocks that had an effect in any run."""
        self._blocks = {block.id: block for block in tree.walk(blocks)}
        self._effects = effects
        self._begin()

    def _begin(self) -> None:
        self.trail = Trail()
        self._unseen = set(self._blocks)
        self.here = Sight(Envelope("", "", "", "", {}), "")

    def end(self) -> Trail:
        """The trail, when all events are read."""
        if self.trail.stop is None and self.trail.sights and self.here.url:
            self.trail.last = self.here
        return self.trail

    def read(self, event: Event) -> None:
        """Go on with the next event; behind the first effect nothing counts."""
        if self.trail.stop is not None:
            return
        if event.type == "execution.started":
            self._begin()  # a new attempt, which went its whole way again
            return
        if event.block_id is None:
            return
        # a block that was deleted since, or a step of an agent, led somewhere too, or had an effect
        reference = event.block_reference_id or ""
        block = self._blocks.get(event.block_id) or Envelope(event.block_id, reference, reference, "", {})
        if event.type == "block.started":
            self._began(block)
        elif event.type == "block.finished":
            self._finished(block, event)

    def _began(self, block: Envelope) -> None:
        here = self.here
        if block.id in self._unseen:
            self._unseen.remove(block.id)
            sight = Sight(block, here.url, here.picture, here.after, here.is_opened_by_address)
            self.trail.sights.append(sight)
        if block.block_reference_id in self._effects:
            self._stop(block, "it had an effect before")
        elif block.data.get("isCommit"):
            self._stop(block, "it is marked `isCommit`")

    def _finished(self, block: Envelope, event: Event) -> None:
        url, here = event.data.get("url") or "", self.here
        # a link may do something, too; only its words and its address tell
        if url != here.url and is_risky(*map(str, (block.locator or {}).values()), _path(url)):
            self._stop(block, "its words or the address it led to promise an effect")
        picture = event.seq if event.screenshot_key else here.picture
        if url and url != here.url:
            self.here = Sight(block, url, picture, "", block.locator is None)
        elif url:
            self.here = Sight(block, url, picture, block.name, here.is_opened_by_address)

    def _stop(self, block: Envelope, why: str) -> None:
        self.trail.stop, self.trail.why = block, why


def _path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}#{parts.fragment}"
