"""What a workflow's elements were like when its blocks last found them, and the edits that follow."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from msgspec import convert, to_builtins

from pagehand.clock import now_ms
from pagehand.errors import Diagnosis, NotPresent, Unavailable
from pagehand.records import Execution, Fingerprint, Json, Memory, ProposedOperation, is_array, is_object
from pagehand.secrets.redactor import Redactor
from pagehand.storage.memories import MemoryStore
from pagehand.workflow import tree
from pagehand.workflow.locator import Locator
from pagehand.workflow.tree import Envelope

_MAX_PER_BLOCK: Final = 20
_CAUSE: Final = "The page has changed, and the locator counts elements."
# `:nth-child(3)`, `[3]`: a place that another element may take; the first and the last are meant as such
_PLACE: Final = re.compile(r":nth-[\w-]+\(\s*(?!1\s*\))\d+\s*\)|\[\s*(?!1\s*\])\d+\s*\]")


class ElementMemory:
    """Read from the store on first need, written at the end of the run."""

    def __init__(self, execution: Execution, store: MemoryStore, redactor: Redactor) -> None:
        self._execution = execution
        self._store = store
        self._redactor = redactor
        self._known: dict[tuple[str, str], Memory] | None = None
        self._unsaved: dict[tuple[str, str], Memory] = {}
        self._outdated: list[Memory] = []

    async def recall(self, envelope: Envelope, wanted: Locator) -> Memory | None:
        """What is known of the element, perhaps without its fingerprints: `with_fingerprints` reads them."""
        known = await self._all()
        for place, memory in [item for item in known.items() if item[0][0] == envelope.id]:
            if memory.written != written_digest(envelope):
                del known[place]
                # a run of an older version must not drop what a newer one has learned
                if memory.version < self._execution.workflow_version:
                    self._outdated.append(memory)
        return known.get((envelope.id, _key(wanted)))

    async def with_fingerprints(self, memory: Memory) -> Memory | None:
        """The same with its fingerprints; None when it was deleted meanwhile."""
        # the list of memories comes without fingerprints: most are never needed, and they are large
        if memory.fingerprint is None and (memory.block_id, memory.key) not in self._unsaved:
            with suppress(Unavailable):
                return await self._store.get(
                    memory.organization_id, memory.workflow_id, memory.block_id, memory.key
                )
        return memory

    def new(self, envelope: Envelope, wanted: Locator) -> Memory:
        """A memory of an element of which nothing is known yet."""
        return Memory(
            organization_id=self._execution.organization_id,
            workflow_id=self._execution.workflow_id,
            block_id=envelope.id,
            key=_key(wanted),
            written=written_digest(envelope),
            version=self._execution.workflow_version,
            remembered_at=now_ms(),
        )

    def has_room(self, block_id: str, learning: int) -> bool:
        """Whether the block may remember one element more than those it is learning already."""
        return sum(block == block_id for block, _ in self._known or ()) + learning < _MAX_PER_BLOCK

    def keep(self, memory: Memory) -> None:
        """Remember it from now on, in this run and those to come."""
        place = (memory.block_id, memory.key)
        self._unsaved[place] = memory
        if self._known is not None:
            self._known[place] = memory

    async def save(self) -> None:
        """Write what the run has learned."""
        if not self._unsaved and not self._outdated:
            return
        # at the end, when every secret of the run is known
        kept = [replace(memory, **self._redacted(memory)) for memory in self._unsaved.values()]
        with suppress(Unavailable):  # memories must not fail the run
            await self._store.save(kept, self._outdated)
        self._unsaved, self._outdated = {}, []

    async def _all(self) -> dict[tuple[str, str], Memory]:
        if self._known is None:
            self._known = {}
            with suppress(Unavailable):  # this run works without them
                known = await self._store.of_workflow(
                    self._execution.organization_id, self._execution.workflow_id
                )
                self._known = {(memory.block_id, memory.key): memory for memory in known}
        return self._known

    def _redacted(self, memory: Memory) -> Json:
        """The fields that came from the page, without secrets."""
        return {
            "fingerprint": self._without_secrets(memory.fingerprint),
            "healed_fingerprint": self._without_secrets(memory.healed_fingerprint),
            "healed_locator": self._redactor.value(memory.healed_locator),
        }

    def _without_secrets(self, fingerprint: Fingerprint | None) -> Fingerprint | None:
        return fingerprint and convert(self._redactor.value(to_builtins(fingerprint)), Fingerprint)


def written_locators(envelope: Envelope) -> list[Any]:
    """The locators of a block as its author wrote them: its own, and those its data holds at any depth."""
    return [envelope.locator, list(locators_in(envelope.data))]


def _key(locator: Locator) -> str:
    return _digest(locator.as_given())


def written_digest(envelope: Envelope) -> str:
    """`Memory.written` of what is remembered of the block as it is; that of others is outdated."""
    return _digest(written_locators(envelope))


def written_digests(blocks: Iterable[Envelope]) -> dict[str, str]:
    """`Memory.written` of every block, by id."""
    return {block.id: written_digest(block) for block in tree.walk(blocks)}


def locators_in(value: Any) -> Iterator[Any]:
    """The locators that a block's data holds, at any depth."""
    if is_object(value):
        for name, inner in value.items():
            if str(name).lower().endswith("locator"):
                yield inner
            else:
                yield from locators_in(inner)
    elif is_array(value):
        for inner in value:
            yield from locators_in(inner)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


def is_positional(locator: Locator, envelope: Envelope) -> bool:
    """True for a bare selector that counts; one whose template counts means the place, not the element."""
    given = locator.as_given()
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


def locator_patch(envelope: Envelope, old: Locator, new: Locator) -> ProposedOperation | None:
    """The operation that replaces `old` by `new` where the author wrote it.

    None where a template makes the locator, and where `new` is a position, which is never proposed.
    """
    if new.is_position:
        return None
    before, after = old.as_given(), new.as_given()
    if envelope.locator is not None and _cleaned(envelope.locator) == before:
        return ProposedOperation(type="update", block_id=envelope.id, block={"locator": after})
    data, count = _replaced(envelope.data, before, after)
    # twice in the same data: which of the two was healed is not known
    if count != 1:
        return None
    return ProposedOperation(type="update", block_id=envelope.id, block={"data": data})


def _replaced(value: Any, before: Json, after: Json) -> tuple[Any, int]:
    """`value` with the locator replaced wherever it occurs, and how often it occurred."""
    if is_array(value):
        parts = [_replaced(item, before, after) for item in value]
        return [part for part, _ in parts], sum(count for _, count in parts)
    if not is_object(value):
        return value, 0
    if _cleaned(value) == before:
        return after, 1
    inner = {name: _replaced(item, before, after) for name, item in value.items()}
    return {name: part for name, (part, _) in inner.items()}, sum(count for _, count in inner.values())


def _cleaned(given: Json) -> Json:
    return {name: value for name, value in given.items() if value is not None}
