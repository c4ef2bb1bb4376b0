"""Finding a block's element on a changed page: by the known locators, or by its fingerprint."""

import asyncio
from dataclasses import dataclass, replace
from typing import Final

from msgspec import to_builtins

from pagehand.blocks.run_context import RunContext
from pagehand.browser import NAMED_ELEMENT, RiskyElement, named_element
from pagehand.browser_session import FoundElement, HealingFacts, HealingResult, Purpose
from pagehand.clock import now_ms
from pagehand.engine.repair import element_memory
from pagehand.engine.repair.element_memory import ElementMemory, locator_patch
from pagehand.engine.reporting.events import EventLog
from pagehand.errors import NotPresent
from pagehand.records import Fingerprint, Json, Memory, ProposedOperation
from pagehand.settings import Settings
from pagehand.workflow.locator import Locator
from pagehand.workflow.tree import Envelope

_FIRST_LOOK_SECONDS: Final = 0.4
_LOOK_AGAIN_SECONDS: Final = 2.0
_HEALING_SECONDS: Final = 5.0
"""With less time left the page is not searched by fingerprint a second time."""
_SEARCH_SECONDS: Final = 30.0
"""For the first search by fingerprint, which is no part of the block's time: it is long on a busy machine."""
_SHORTEST_SECONDS: Final = 0.1
_STALE_MS: Final = 7 * 86_400_000


@dataclass(slots=True)
class _Healed:
    """An element that was used instead of the one its locator no longer finds; kept if its block succeeds."""

    memory: Memory
    old: Locator
    new: Locator
    facts: HealingFacts


class Healing:
    """Finds the elements of one run's blocks, and proposes new locators for those that have moved."""

    def __init__(
        self,
        memory: ElementMemory,
        settings: Settings,
        events: EventLog,
        proposals: list[ProposedOperation],
    ) -> None:
        """Edits that replace locators that no longer work are added to `proposals`."""
        self._memory = memory
        self._settings = settings
        self._events = events
        self._learned: dict[str, list[Memory]] = {}
        self._healed: dict[str, list[_Healed]] = {}
        self._proposals = proposals

    async def find(self, context: RunContext, wanted: Locator, purpose: Purpose) -> FoundElement:
        """The element of a locator, within the block's time."""
        envelope, session = context.envelope, context.page
        # blocks.md: what may be missing is missing; healing would find something else
        if envelope.skip_if_not_present or not self._settings.heal:
            return await session.find(wanted, purpose, timeout_seconds=context.remaining_seconds)
        memory = await self._memory.recall(envelope, wanted)
        if memory is None:
            found = await self._find_unknown(context, wanted, purpose)
            learning = len(self._learned.get(envelope.id, ()))
            # an element that the model found belongs to its new locator, which the proposal keeps
            if found.how != "model" and self._memory.has_room(envelope.id, learning):
                await self._learn(context, wanted, found)
            return found
        return await self._find_known(context, wanted, purpose, memory)

    async def adopt(self, context: RunContext, old: Locator, new: Locator) -> None:
        """Keep `new` for the next run: the block succeeded with it in place of its own locator."""
        if context.envelope.is_cacheable:
            known = await self._memory.recall(context.envelope, old)
            complete = known and await self._memory.with_fingerprints(known)
            given = new.as_given()
            kept = complete or self._memory.new(context.envelope, old)
            # the fingerprint of the new element: that of any other would refuse it next time
            fingerprint = self._learned_fingerprint(context.envelope, new)
            self._memory.keep(replace(kept, healed_locator=given, healed_fingerprint=fingerprint))

    async def remembered(self, envelope: Envelope, wanted: Locator) -> Fingerprint | None:
        """What the element was like when the block last did its work; None if nothing is known of it."""
        memory = await self._memory.recall(envelope, wanted)
        complete = memory and await self._memory.with_fingerprints(memory)
        return complete.fingerprint if complete else None

    async def propose(self, envelope: Envelope, wanted: Locator) -> Json | None:
        """The locator that would be used instead; an edit is proposed, but nothing is remembered yet."""
        for healed in self._healed.get(envelope.id, []):
            patch = locator_patch(envelope, healed.old, healed.new)
            self._proposals += [patch] if patch else []
            return healed.new.as_given()
        memory = await self._memory.recall(envelope, wanted)
        return memory.healed_locator if memory else None

    def succeeded(self, envelope: Envelope) -> None:
        """Keep what the block found: it did its work."""
        for memory in self._learned.pop(envelope.id, []):
            self._memory.keep(memory)
        for healed in self._healed.pop(envelope.id, []):
            if envelope.is_cacheable:
                self._memory.keep(healed.memory)
            patch = locator_patch(envelope, healed.old, healed.new)
            self._proposals += [patch] if patch else []
            self._events.add(
                "locator.healed",
                f"{envelope.name}: {healed.old} was not found; {healed.new} is the same element",
                envelope,
                {**_shown(healed), "patch": to_builtins(patch)},
            )

    def failed(self, envelope: Envelope) -> None:
        """Drop what the block found: it may have been the wrong element, or nothing was done with it."""
        self._learned.pop(envelope.id, None)
        self._healed.pop(envelope.id, None)

    async def save(self) -> None:
        """Write what the run has learned of its elements."""
        await self._memory.save()

    def _learned_fingerprint(self, envelope: Envelope, wanted: Locator) -> Fingerprint | None:
        key = self._memory.new(envelope, wanted).key
        learned = self._learned.get(envelope.id, ())
        return next((memory.fingerprint for memory in learned if memory.key == key), None)

    async def _find_unknown(self, context: RunContext, wanted: Locator, purpose: Purpose) -> FoundElement:
        """By the locator; where there is a model, it is asked once half the time is over."""
        session = context.page
        if not context.has_model:
            return await session.find(wanted, purpose, timeout_seconds=context.remaining_seconds)
        try:
            return await session.find(wanted, purpose, timeout_seconds=context.remaining_seconds / 2)
        except NotPresent:
            found = await self._by_model(context, wanted, purpose, self._memory.new(context.envelope, wanted))
            if found is not None:
                return found
        return await session.find(wanted, purpose, timeout_seconds=context.remaining_seconds)

    async def _by_model(
        self, context: RunContext, wanted: Locator, purpose: Purpose, memory: Memory
    ) -> FoundElement | None:
        """The element that the model points out; None where a wrong one could do harm."""
        if context.commits or await context.page.find_all(wanted):
            return None  # it is there, only hidden or disabled; or a mistake could not be undone
        model, envelope = context.model, context.envelope
        prompt = model.prompt(
            "find_element", wanted=str(wanted), purpose=f"{envelope.name} ({envelope.type}), to {purpose}"
        )
        answer = await model.data(prompt, await context.page.describe(), NAMED_ELEMENT)
        try:
            named = await named_element(context.page.find_by_reference, answer, str(wanted))
            if named is None:
                context.notes["model"] = {"refused": "the model does not see it on the page"}
                return None
            locator = named[1]
            found = await context.page.find(locator, purpose, timeout_seconds=_FIRST_LOOK_SECONDS)
        except NotPresent:
            return None
        except RiskyElement as risky:
            context.notes["model"] = {"refused": risky.message}
            return None
        await self._propose(
            context, wanted, memory, HealingResult(found, locator, reason="", facts=HealingFacts(by="model"))
        )
        return replace(found, how="model")

    async def _find_known(
        self, context: RunContext, wanted: Locator, purpose: Purpose, memory: Memory
    ) -> FoundElement:
        """By the locators that are known; after a while by the element's fingerprint, or with the model."""
        now, proposal, has_asked = asyncio.get_running_loop().time, None, False
        # half, so that time is left to act on what is found
        patience = min(self._settings.heal_after_seconds, context.remaining_seconds / 2)
        heals_at = now() + patience
        # a locator that was healed before has most likely not come back
        seconds = _FIRST_LOOK_SECONDS if memory.healed_locator else patience
        while True:
            limit = min(seconds, context.remaining_seconds)
            try:
                found = await context.page.find(wanted, purpose, timeout_seconds=limit)
            except NotPresent as absent:
                missing = absent
            else:
                if not await self._took_its_place(context, wanted, purpose, found, memory):
                    await self._refresh(context, wanted, found, memory)
                    return found
                missing = element_memory.matches_another(wanted)
            cached = await self._find_cached(context, purpose, memory)
            if cached is not None:
                return cached
            is_other = element_memory.is_another(missing)
            if not is_other and await context.page.find_all(wanted):
                # it is there, only hidden or disabled: waiting is right, another element is not
                return await context.page.find(wanted, purpose, timeout_seconds=context.remaining_seconds)
            # a page may still be loading: what is missing now may come by itself
            is_time = is_other or now() >= heals_at
            if is_time and (proposal is None or context.remaining_seconds > _HEALING_SECONDS):
                healed, latest = await self._find_moved(
                    context, wanted, purpose, memory, is_first=not has_asked
                )
                has_asked, proposal = True, latest or proposal
                if healed is not None:
                    return healed
            if is_other or context.remaining_seconds <= _SHORTEST_SECONDS:
                raise _refused(missing, proposal, context)
            seconds = heals_at - now() if now() < heals_at else _LOOK_AGAIN_SECONDS

    async def _find_moved(
        self, context: RunContext, wanted: Locator, purpose: Purpose, memory: Memory, *, is_first: bool
    ) -> tuple[FoundElement | None, HealingResult | None]:
        """By its fingerprint, then with the model; the proposal may be a refusal."""
        if is_first:
            with context.stopped_clock():
                proposal = await self._search(context, wanted, memory, _SEARCH_SECONDS)
        else:
            limit = context.remaining_seconds
            proposal = await self._search(context, wanted, memory, limit, is_repeated=True)
        if proposal is not None and proposal.found is not None:
            return proposal.found, proposal
        if is_first and context.has_model:
            return await self._by_model(context, wanted, purpose, memory), proposal
        return None, proposal

    async def _find_cached(
        self, context: RunContext, purpose: Purpose, memory: Memory
    ) -> FoundElement | None:
        if memory.healed_locator is None or not context.envelope.is_cacheable:
            return None
        locator = Locator.model_validate(memory.healed_locator, by_alias=True)
        try:
            found = await context.page.find(locator, purpose, timeout_seconds=_FIRST_LOOK_SECONDS)
        except NotPresent:
            return None
        complete = await self._memory.with_fingerprints(memory)
        fingerprint = complete and (complete.healed_fingerprint or complete.fingerprint)
        # the page may have changed once more, and the cached locator with it
        if fingerprint and await context.page.healing.is_different_element(found.element, fingerprint):
            return None
        return replace(found, how="cached")

    async def _search(
        self,
        context: RunContext,
        wanted: Locator,
        memory: Memory,
        limit_seconds: float,
        *,
        is_repeated: bool = False,
    ) -> HealingResult | None:
        try:
            async with asyncio.timeout(limit_seconds):
                return await self._heal(context, wanted, memory, is_repeated=is_repeated)
        except TimeoutError:
            return None

    async def _heal(
        self, context: RunContext, wanted: Locator, memory: Memory, *, is_repeated: bool
    ) -> HealingResult | None:
        """By the first fingerprint of the element, then by the one after the last healing."""
        complete, proposal = await self._memory.with_fingerprints(memory), None
        for fingerprint in (complete.fingerprint, complete.healed_fingerprint) if complete else ():
            if fingerprint is None:
                continue
            tried = await context.page.healing.heal(
                fingerprint, is_commit=context.commits, is_repeated=is_repeated
            )
            # the first refusal is about the element that the workflow's author meant
            proposal = proposal or tried
            if tried.found is not None and tried.locator is not None and complete is not None:
                await self._propose(context, wanted, complete, tried)
                return tried
        return proposal

    async def _propose(
        self, context: RunContext, wanted: Locator, memory: Memory, proposal: HealingResult
    ) -> None:
        assert proposal.found is not None  # noqa: S101 - the caller has looked
        assert proposal.locator is not None  # noqa: S101 - as above
        # the first fingerprint is kept
        complete = await self._memory.with_fingerprints(memory) or memory
        now = await context.page.healing.take_fingerprint(proposal.found.element)
        # the author's `strict` holds for the new locator too
        locator = proposal.locator.model_copy(update={"strict": wanted.strict})
        given = locator.as_given()
        fresh = replace(complete, healed_locator=given, healed_fingerprint=now)
        healed = _Healed(fresh, wanted, locator, proposal.facts)
        self._healed.setdefault(context.envelope.id, []).append(healed)
        context.notes["healing"] = _shown(healed)
        context.allow_action()

    async def _took_its_place(
        self, context: RunContext, wanted: Locator, purpose: Purpose, found: FoundElement, memory: Memory
    ) -> bool:
        """True when a locator that counts elements now matches another one."""
        if (
            purpose != "act"
            or not context.envelope.is_cacheable
            or not element_memory.is_positional(wanted, context.envelope)
        ):
            return False
        complete = await self._memory.with_fingerprints(memory)
        if complete is None or complete.fingerprint is None:
            return False
        return await context.page.healing.is_different_element(found.element, complete.fingerprint)

    async def _learn(self, context: RunContext, wanted: Locator, found: FoundElement) -> None:
        """Take the fingerprint of an element before it is used; kept if its block succeeds."""
        envelope = context.envelope
        with context.stopped_clock():
            fingerprint = await context.page.healing.take_fingerprint(found.element)
        if fingerprint is None:
            return
        fresh = replace(self._memory.new(envelope, wanted), fingerprint=fingerprint)
        self._learned.setdefault(envelope.id, []).append(fresh)

    async def _refresh(
        self, context: RunContext, wanted: Locator, found: FoundElement, memory: Memory
    ) -> None:
        if now_ms() - memory.remembered_at > _STALE_MS:
            await self._learn(context, wanted, found)


def _refused(missing: NotPresent, proposal: HealingResult | None, context: RunContext) -> NotPresent:
    """The failure, with why no other element was used."""
    if proposal is None:
        return missing
    context.notes["healing"] = {**proposal.facts.as_json(), "refused": proposal.reason}
    sentence = f"It was also looked for by what it was like before: {proposal.reason}."
    diagnosis = replace(missing.diagnosis, found=f"{missing.diagnosis.found} {sentence}".strip())
    return NotPresent(f"{missing.message} {sentence}", diagnosis)


def _shown(healed: _Healed) -> Json:
    return {
        "old": healed.old.as_given(),
        "new": healed.new.as_given(),
        **healed.facts.as_json(),
    }
