"""Finding what a block means although its page has changed: its locator, what worked last, its likeness."""

import asyncio
import hashlib
import json
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from pagehand.blocks.ports import Found, Purpose
from pagehand.clock import now_ms
from pagehand.engine.block_at_work import BlockAtWork
from pagehand.engine.journal import Journal
from pagehand.engine.needs import MemoryStore, Proposal, Redactor
from pagehand.engine.patch import locator_patch
from pagehand.errors import Diagnosis, NotPresent, Unavailable
from pagehand.records import Execution, Json, Memory
from pagehand.settings import Settings
from pagehand.workflow.envelope import Envelope
from pagehand.workflow.locator import Locator
from pagehand.workflow.risky import is_risky

_FIRST_LOOK_SECONDS: Final = 0.4
_LOOK_AGAIN_SECONDS: Final = 2.0
_HEALING_SECONDS: Final = 5.0
"""With less time left nobody looks around a second time."""
_SHORTEST_SECONDS: Final = 0.1
_ANOTHER: Final = "The page has changed, and the locator counts elements."
_REFERENCE: Final = {
    "type": "object",
    "properties": {"ref": {"type": ["string", "null"]}},
    "required": ["ref"],
}
_MOST_PER_BLOCK: Final = 20
_STALE_MS: Final = 7 * 86_400_000
# `:nth-child(3)`, `[3]`: a place that another takes when one is added; first and last are meant as such
_PLACE: Final = re.compile(r":nth-[\w-]+\(\s*(?!1\s*\))\d+\s*\)|\[\s*(?!1\s*\])\d+\s*\]")


@dataclass(slots=True)
class _Healed:
    """An element taken instead of what the locator no longer finds; a proposal until its block succeeds."""

    memory: Memory
    old: Locator
    new: Locator
    facts: Json


class Healing:
    """What one run remembers of its workflow's elements, and what it learns."""

    def __init__(
        self,
        execution: Execution,
        store: MemoryStore,
        settings: Settings,
        journal: Journal,
        redactor: Redactor,
    ) -> None:
        self._execution = execution
        self._store = store
        self._settings = settings
        self._journal = journal
        self._redactor = redactor
        self._known: dict[tuple[str, str], Memory] | None = None
        self._count: Counter[str] = Counter()
        self._learnt: dict[str, list[Memory]] = {}
        self._healed: dict[str, list[_Healed]] = {}
        self._unsaved: dict[tuple[str, str], Memory] = {}
        self._outdated: list[Memory] = []
        self.proposals: list[Json] = []
        """Edits that would put the locators that work in the place of those that do not."""

    async def find(self, context: BlockAtWork, wanted: Locator, purpose: Purpose) -> Found:
        """The element meant by `wanted`, within the block's time."""
        envelope, session = context.envelope, context.page
        if envelope.skip_if_not_present or not self._settings.heal:
            return await session.find(wanted, purpose, timeout_seconds=context.remaining_seconds)
        memory = await self._recall(envelope, wanted)
        if memory is None:
            found = await self._find_unknown(context, wanted, purpose)
            await self._learn(context, wanted, found)
            return found
        return await self._find_known(context, wanted, purpose, memory)

    def adopt(self, context: BlockAtWork, old: Locator, new: Locator) -> None:
        """The block succeeded with `new` in place of its own locator: keep that for the next run."""
        if context.envelope.is_cacheable:
            known = (self._known or {}).get((context.envelope.id, _key(old)))
            given = new.model_dump(by_alias=True, exclude_none=True)
            self._keep(replace(known or self._fresh_memory(context, old), healed_locator=given))

    def succeeded(self, context: BlockAtWork) -> None:
        """The block did its work: what it took for its elements is worth keeping."""
        envelope = context.envelope
        for memory in self._learnt.pop(envelope.id, []):
            self._keep(memory)
        for healed in self._healed.pop(envelope.id, []):
            if envelope.is_cacheable:
                self._keep(healed.memory)
            patch = locator_patch(envelope, healed.old, healed.new)
            self.proposals += [patch] if patch else []
            self._journal.add(
                "locator.healed",
                f"{envelope.name}: {healed.old} was not found; {healed.new} is the same element",
                envelope,
                {**_shown(healed), "patch": patch},
            )

    def failed(self, envelope: Envelope) -> None:
        """The block did not do its work: what it took for its elements may have been wrong."""
        self._learnt.pop(envelope.id, None)
        self._healed.pop(envelope.id, None)

    async def save(self) -> None:
        """Write what the run has learnt."""
        if not self._unsaved and not self._outdated:
            return
        kept = [replace(one, **self._hidden(one)) for one in self._unsaved.values()]
        with suppress(Unavailable):  # the run is worth more than what it learnt
            await self._store.save(kept, self._outdated)
        self._unsaved, self._outdated = {}, []

    async def _find_unknown(self, context: BlockAtWork, wanted: Locator, purpose: Purpose) -> Found:
        """By the locator; where there is a model and half the time is over, by the model's word."""
        session = context.page
        if not context.has_model:
            return await session.find(wanted, purpose, timeout_seconds=context.remaining_seconds)
        try:
            return await session.find(wanted, purpose, timeout_seconds=context.remaining_seconds / 2)
        except NotPresent:
            found = await self._by_model(context, wanted, purpose, self._fresh_memory(context, wanted))
            if found is not None:
                return found
        return await session.find(wanted, purpose, timeout_seconds=context.remaining_seconds)

    async def _by_model(
        self, context: BlockAtWork, wanted: Locator, purpose: Purpose, memory: Memory
    ) -> Found | None:
        """The element that the model takes for the one meant; none where a wrong one could do harm."""
        if context.commits or await context.page.find_all(wanted):
            return None  # it is there, only hidden or disabled, or must not be mistaken
        model, envelope = context.model, context.envelope
        told = model.prompt(
            "find_element", wanted=str(wanted), purpose=f"{envelope.name} ({envelope.type}), to {purpose}"
        )
        answer = await model.data(told, await context.page.describe(), _REFERENCE)
        if answer["ref"] is None:
            context.notes["model"] = {"refused": "the model does not see it on the page"}
            return None
        try:
            _, locator = await context.page.by_reference(answer["ref"])
            if is_risky(str(locator)) and not is_risky(str(wanted)):
                context.notes["model"] = {"refused": f"{locator} could do harm"}
                return None
            found = await context.page.find(locator, purpose, timeout_seconds=_FIRST_LOOK_SECONDS)
        except NotPresent:
            return None
        await self._propose(context, wanted, memory, _Meant(found, locator))
        return _Named(found, "model")

    async def _find_known(
        self, context: BlockAtWork, wanted: Locator, purpose: Purpose, memory: Memory
    ) -> Found:
        """By the locator; by what worked last time; once the page has had its time, by what it was like."""
        now, proposal, is_asked = asyncio.get_running_loop().time, None, False
        patience = min(self._settings.heal_after_seconds, context.remaining_seconds / 2)
        heals_at = now() + patience
        seconds = _FIRST_LOOK_SECONDS if memory.healed_locator else patience
        while True:
            found, missing = await self._look(context, wanted, purpose, memory, seconds)
            found = found or await self._find_cached(context, purpose, memory)
            if found is not None:
                return found
            is_other = missing.diagnosis.cause == _ANOTHER
            if not is_other and await context.page.find_all(wanted):
                # it is there, only hidden or disabled: waiting is right, another element is not
                return await context.page.find(wanted, purpose, timeout_seconds=context.remaining_seconds)
            is_time = is_other or now() >= heals_at
            if is_time and (proposal is None or context.remaining_seconds > _HEALING_SECONDS):
                proposal = await self._heal(context, wanted, memory)
                if proposal is not None and proposal.found is not None:
                    return proposal.found
                if context.has_model and not is_asked:
                    is_asked = True
                    found = await self._by_model(context, wanted, purpose, memory)
                    if found is not None:
                        return found
            if is_other or context.remaining_seconds <= _SHORTEST_SECONDS:
                raise _refused(missing, proposal, context)
            seconds = heals_at - now() if now() < heals_at else _LOOK_AGAIN_SECONDS

    async def _look(
        self, context: BlockAtWork, wanted: Locator, purpose: Purpose, memory: Memory, seconds: float
    ) -> tuple[Found | None, NotPresent]:
        """What the locator finds, unless that is another element by now."""
        limit = min(seconds, context.remaining_seconds)
        try:
            found = await context.page.find(wanted, purpose, timeout_seconds=limit)
        except NotPresent as missing:
            return None, missing
        if await self._took_its_place(context, wanted, purpose, found, memory):
            return None, _another(wanted)
        await self._refresh(context, wanted, found, memory)
        return found, NotPresent()

    async def _find_cached(self, context: BlockAtWork, purpose: Purpose, memory: Memory) -> Found | None:
        if memory.healed_locator is None or not context.envelope.is_cacheable:
            return None
        locator = Locator.model_validate(memory.healed_locator, by_alias=True)
        try:
            found = await context.page.find(locator, purpose, timeout_seconds=_FIRST_LOOK_SECONDS)
        except NotPresent:
            return None
        whole = await self._whole(memory)
        fingerprint = whole and (whole.healed_fingerprint or whole.fingerprint)
        if fingerprint and await context.page.is_another(found.element, fingerprint):
            return None
        return _Named(found, "cached")

    async def _heal(self, context: BlockAtWork, wanted: Locator, memory: Memory) -> Proposal | None:
        """Look for what the element was like at first, then for what it was like after the last healing."""
        whole, proposal = await self._whole(memory), None
        for fingerprint in (whole.fingerprint, whole.healed_fingerprint) if whole else ():
            if fingerprint is None:
                continue
            tried = await context.page.heal(fingerprint, is_commit=context.commits)
            proposal = proposal or tried
            if tried.found is not None and tried.locator is not None and whole is not None:
                await self._propose(context, wanted, whole, tried)
                return tried
        return proposal

    async def _propose(
        self, context: BlockAtWork, wanted: Locator, memory: Memory, proposal: Proposal
    ) -> None:
        assert proposal.found is not None  # noqa: S101 - the caller has looked
        assert proposal.locator is not None  # noqa: S101 - as above
        now = await context.page.remember(proposal.found.element)
        given = proposal.locator.model_dump(by_alias=True, exclude_none=True)
        fresh = replace(memory, healed_locator=given, healed_fingerprint=now)
        healed = _Healed(fresh, wanted, proposal.locator, proposal.facts)
        self._healed.setdefault(context.envelope.id, []).append(healed)
        context.notes["healing"] = _shown(healed)

    async def _took_its_place(
        self, context: BlockAtWork, wanted: Locator, purpose: Purpose, found: Found, memory: Memory
    ) -> bool:
        """True when a locator that counts elements has come to mean another one."""
        if (
            purpose != "act"
            or not context.envelope.is_cacheable
            or not _is_positional(wanted, context.envelope)
        ):
            return False
        whole = await self._whole(memory)
        if whole is None or whole.fingerprint is None:
            return False
        return await context.page.is_another(found.element, whole.fingerprint)

    async def _learn(self, context: BlockAtWork, wanted: Locator, found: Found) -> None:
        """Look at an element before it is acted on; its block's success makes it worth keeping."""
        envelope = context.envelope
        if self._count[envelope.id] >= _MOST_PER_BLOCK:
            return
        fingerprint = await context.page.remember(found.element)
        if fingerprint is None:
            return
        if found.how == "model":
            return  # what it is like belongs to its new locator, which the proposal keeps
        self._count[envelope.id] += 1
        fresh = replace(self._fresh_memory(context, wanted), fingerprint=fingerprint)
        self._learnt.setdefault(envelope.id, []).append(fresh)

    def _fresh_memory(self, context: BlockAtWork, wanted: Locator) -> Memory:
        return Memory(
            organization_id=self._execution.organization_id,
            workflow_id=self._execution.workflow_id,
            block_id=context.envelope.id,
            key=_key(wanted),
            written=_written(context.envelope),
            version=self._execution.workflow_version,
            remembered_at=now_ms(),
        )

    async def _refresh(self, context: BlockAtWork, wanted: Locator, found: Found, memory: Memory) -> None:
        if now_ms() - memory.remembered_at > _STALE_MS:
            self._count[context.envelope.id] -= 1
            await self._learn(context, wanted, found)

    async def _recall(self, envelope: Envelope, wanted: Locator) -> Memory | None:
        if self._known is None:
            self._known = {}
            with suppress(Unavailable):  # then this run goes without
                known = await self._store.known(self._execution.organization_id, self._execution.workflow_id)
                self._known = {(one.block_id, one.key): one for one in known}
                self._count.update(one.block_id for one in known)
        for place, memory in [item for item in self._known.items() if item[0][0] == envelope.id]:
            if memory.written != _written(envelope):
                del self._known[place]
                self._count[envelope.id] -= 1
                if memory.version < self._execution.workflow_version:
                    self._outdated.append(memory)
        return self._known.get((envelope.id, _key(wanted)))

    async def _whole(self, memory: Memory) -> Memory | None:
        if memory.fingerprint is None and (memory.block_id, memory.key) not in self._unsaved:
            with suppress(Unavailable):
                return await self._store.get(
                    memory.organization_id, memory.workflow_id, memory.block_id, memory.key
                )
        return memory

    def _keep(self, memory: Memory) -> None:
        place = (memory.block_id, memory.key)
        self._unsaved[place] = memory
        if self._known is not None:
            self._known[place] = memory

    def _hidden(self, memory: Memory) -> dict[str, Any]:
        """The parts that came from the page, without what this run must not show."""
        names = ("fingerprint", "healed_fingerprint", "healed_locator")
        return {name: self._redactor.value(getattr(memory, name)) for name in names}


@dataclass(slots=True, frozen=True)
class _Meant:
    """What a model took for the element, as a proposal."""

    found: Found
    locator: Locator
    reason: str = ""

    @property
    def facts(self) -> Json:
        """By whom."""
        return {"by": "model"}


@dataclass(slots=True, frozen=True)
class _Named:
    """A found element under another word for how it was found."""

    inner: Found
    how: str

    @property
    def element(self) -> Any:
        """The element itself."""
        return self.inner.element

    @property
    def matches(self) -> int:
        """How many there were."""
        return self.inner.matches


def _key(locator: Locator) -> str:
    return _digest(locator.model_dump(by_alias=True, exclude_none=True))


def _written(envelope: Envelope) -> str:
    return _digest([envelope.locator, list(_locators(envelope.data))])


def _locators(value: Any) -> Any:
    """The locators that a block's data holds, wherever they stand."""
    if isinstance(value, dict):
        for name, inner in value.items():  # pyright: ignore[reportUnknownVariableType] - the user's own data
            if str(name).lower().endswith("locator"):  # pyright: ignore[reportUnknownArgumentType] - as above
                yield inner
            else:
                yield from _locators(inner)
    elif isinstance(value, list):
        for inner in value:  # pyright: ignore[reportUnknownVariableType] - as above
            yield from _locators(inner)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


def _is_positional(wanted: Locator, envelope: Envelope) -> bool:
    """True for a bare selector that counts; one whose template counts means the place, not the element."""
    given = wanted.model_dump(by_alias=True, exclude_none=True)
    is_bare = set(given) <= {"css", "xpath", "frame"}
    if not is_bare or "{{" in json.dumps([envelope.locator, list(_locators(envelope.data))]):
        return False
    return _PLACE.search(f"{wanted.css or ''} {wanted.xpath or ''}") is not None


def _another(wanted: Locator) -> NotPresent:
    return NotPresent(
        f"What matches {wanted} now is another element than the one it found before.",
        Diagnosis(
            expected=str(wanted),
            cause=_ANOTHER,
            advice="Name the element by role and text; if its place is meant, set `isCacheable` to false.",
        ),
    )


def _refused(missing: NotPresent, proposal: Proposal | None, context: BlockAtWork) -> NotPresent:
    """The failure, with why no other element was taken."""
    if proposal is None:
        return missing
    context.notes["healing"] = {**proposal.facts, "refused": proposal.reason}
    sentence = f"It was also looked for by what it was like before: {proposal.reason}."
    diagnosis = replace(missing.diagnosis, found=f"{missing.diagnosis.found} {sentence}".strip())
    return NotPresent(f"{missing.message} {sentence}", diagnosis)


def _shown(healed: _Healed) -> Json:
    return {
        "old": healed.old.model_dump(by_alias=True, exclude_none=True),
        "new": healed.new.model_dump(by_alias=True, exclude_none=True),
        **healed.facts,
    }
