"""What one block may use while it runs: the engine's side of `RunContext`."""

import asyncio
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from typing import Any

from pagehand.blocks.outcome import NO_OUTPUT
from pagehand.browser import BrowserSession
from pagehand.browser_session import FoundElement, Purpose, ScriptedWithin
from pagehand.engine.run.effects import Act
from pagehand.engine.run.scope import Frame, RunSequence, RunStep, WalkState
from pagehand.engine.run.services import RunServices
from pagehand.errors import BlockFailed, Diagnosis, ModelNeeded, NotPresent, OurFault
from pagehand.knowledge import KnowledgeBase
from pagehand.page.phrases import TargetKind
from pagehand.ports import (
    BlockCache,
    Http,
    Knowledge,
    Model,
    RunFiles,
)
from pagehand.records import Json, Passage
from pagehand.workflow import templates
from pagehand.workflow.conditions import Condition
from pagehand.workflow.locator import Locator
from pagehand.workflow.tree import Envelope

_FIRST_OF_SEVERAL = (
    "Several elements fit, and the first was taken. Say which is meant, or set `strict: true` in the locator "
    "to fail instead."
)
_NO_LIMIT_SECONDS = 86_400.0
_ACTION_SECONDS = 1.5
_PICTURE_SECONDS = 3.0
"""After the block's time: it ends within five seconds after that, also on a page that hangs."""
_LEAST_PICTURE_SECONDS = 0.5
"""The time to act on an element that is found at the last moment; less than the runner's grace."""


class BlockContext:
    """Implements `RunContext` for one block of one run."""

    def __init__(
        self,
        services: RunServices,
        walk: WalkState,
        run_sequence: RunSequence,
        run_step: RunStep,
        frame: Frame,
        envelope: Envelope,
        locator: Locator | None,
        names: Mapping[str, Any],
        limit_seconds: float | None,
        *,
        commits: bool,
        is_retry_safe: bool = False,
    ) -> None:
        self._services = services
        self._signals = services.signals
        self.documents = services.shared.documents
        self.sandbox = services.shared.sandbox
        self.mail = services.shared.mail
        self.captcha_solver = services.shared.captcha_solver
        self.search_engine = services.shared.settings.search_engine
        self._walk = walk
        self._run_sequence = run_sequence
        self._run_step = run_step
        self._frame = frame
        self.envelope = envelope
        self.locator = locator
        self.names = names
        self.commits = commits
        self._is_retry_safe = is_retry_safe
        self.limit_seconds = limit_seconds
        """The block's own time; None when only the execution's ends it."""
        self._end = self._clock() + (limit_seconds or _NO_LIMIT_SECONDS)
        self._picture_end = self._end + _PICTURE_SECONDS
        self.early_output: Any = NO_OUTPUT
        self.input: Any = None
        """The block's data with its templates filled in, cut down for its event."""
        # the model is the run's; how often this block asked is the difference
        self._calls_before = self._calls_so_far()
        self.has_acted = False
        """True once it has pressed or entered something on the page."""
        self.notes: Json = {}
        self.phases = defaultdict[str, float](float)
        """Seconds spent finding, acting, settling."""

    @property
    def model_calls(self) -> int:
        """How often the model was asked since the block began."""
        return self._calls_so_far() - self._calls_before

    @property
    def remaining_seconds(self) -> float:
        """What is left of the block's time; never 0, so that elements are looked for at least once."""
        return max(0.05, self._end - self._clock())

    @property
    def picture_seconds(self) -> float:
        """How long the block's picture may take; little when the block was interrupted, as its page hangs."""
        return max(_LEAST_PICTURE_SECONDS, self._picture_end - self._clock())

    def allow_action(self) -> None:
        """Extend the block's time a little, to act on an element that was found late."""
        self._end = max(self._end, self._clock() + _ACTION_SECONDS)

    def stopped_clock(self) -> AbstractContextManager[None]:
        """The block's time stands still within: for work that has a limit of its own."""
        return self._signals.stopped_clocks()

    @property
    def page(self) -> BrowserSession:
        """The browser."""
        session = self._services.browser.session
        if session is None:
            raise OurFault(f"`{self.envelope.type}` uses the page without saying that it needs one")
        return session

    @property
    def cache(self) -> BlockCache:
        """What this block keeps for runs to come."""
        return self._services.cache.for_block(self)

    @property
    def files(self) -> RunFiles:
        """Files of this execution."""
        return self._services.files

    @property
    def http(self) -> Http:
        """HTTP to what the operator allows, through the proxy where the execution asks for it."""
        shared, execution = self._services.shared, self._services.execution
        http = shared.proxies.http(execution.organization_id) if execution.use_proxy else shared.http
        recorder = self._services.recorder
        return http if recorder is None else recorder.http(http)

    @property
    def model(self) -> Model:
        """The language model; `ModelNeeded` where none is configured."""
        model = self._services.model
        if model is None:
            raise ModelNeeded(
                "This needs a language model, and none is configured: set `PAGEHAND_MODEL`.",
                Diagnosis(
                    cause="No language model is configured (`PAGEHAND_MODEL`).",
                    advice="Set `PAGEHAND_MODEL` to `provider:model` and give it its key.",
                ),
            )
        return model

    @property
    def has_model(self) -> bool:
        """True when a model is configured."""
        return self._services.model is not None

    @property
    def knowledge(self) -> Knowledge:
        """The organization's documents."""
        return OrganizationKnowledge(
            self._services.shared.knowledge, self._services.execution.organization_id
        )

    async def say(self, role: str, text: str) -> None:
        """Write into the execution's conversation."""
        await self._services.conversation.say(role, text)

    def keep_secret(self, value: str) -> None:
        """Take `value` out of everything this execution shows from now on."""
        self._services.redactor.add(value)

    def holds_secret(self, text: str) -> bool:
        """True when `text` is to hold a secret of a login."""
        return self._services.login_secrets.has_placeholder(text)

    def reveal(self, text: str, urls: Sequence[str], *, scripted_within: ScriptedWithin | None = None) -> str:
        """`text` with its secrets, to type or send at `urls`; `BlockFailed` where they may not go."""
        return self._services.login_secrets.reveal(text, urls, scripted_within)

    def resolve(self, value: Any) -> Any:
        """Fill in the templates of a value that was left as written."""
        # names as of now, not as of the block's start: a loop's body changes them
        return templates.resolve(value, self._frame.names())

    async def find(
        self, purpose: Purpose = "act", locator: Locator | None = None, *, kind: TargetKind = "anything"
    ) -> FoundElement:
        """The element, within the block's time; how it was found goes into the block's event."""
        wanted = locator or self.locator
        if wanted is None:
            raise BlockFailed("The block has no locator, so there is nothing to look for. Give it one.")
        # words may mean another row than last time, and nothing is remembered of an agent's steps
        skips_healing = bool(wanted.words) or self._walk.is_step(self.envelope)
        with self.timing("find"):
            while True:
                # what is found while a person drives may be gone afterwards: then it is looked for again
                await self._signals.wait_while_paused()
                try:
                    if skips_healing:
                        seconds = self.remaining_seconds
                        found = await self.page.find(wanted, purpose, kind=kind, timeout_seconds=seconds)
                    else:
                        found = await self._services.healing.find(self, wanted, purpose)
                except NotPresent:
                    if not self._signals.is_pause_requested:
                        raise
                    continue
                if not self._signals.is_pause_requested:
                    break
        self.note_found(found)
        if self._services.pictures in ("all", "acts"):
            place = await self.page.place_of(found.element) if found.place is None else found.place
            self.notes |= {"place": [round(share, 4) for share in place]} if place else {}
        return found

    async def adopt(self, moved: Locator) -> None:
        """The block's element is found by `moved` from now on."""
        if self.locator is not None:
            await self._services.healing.adopt(self, self.locator, moved)

    def note_found(self, found: FoundElement) -> None:
        """Add to the block's event how an element was found."""
        self.notes["found"] = {"how": found.how, "matches": found.matches}
        if found.is_one_of_several:
            self.notes["found"]["warning"] = _FIRST_OF_SEVERAL

    @contextmanager
    def timing(self, phase: str) -> Generator[None]:
        """Add the time spent within to that phase in the block's event."""
        began = asyncio.get_running_loop().time()
        try:
            yield
        finally:
            self.phases[phase] += asyncio.get_running_loop().time() - began

    async def holds(self, condition: Condition, **names: Any) -> bool:
        """Evaluate a condition once; `names` are added to those it can use."""
        return await self._services.conditions.holds(condition, {**self._frame.names(), **names})

    async def sleep(self, seconds: float) -> None:
        """Wait; pauses are not counted, neither here nor in the block's time limit."""
        await self._signals.sleep(seconds)

    async def run_sequence(self, name: str) -> None:
        """Run a nested sequence in this block's frame; the blocks of its other sequences read as null."""
        # an If in a loop: the other branch may have put something out in an earlier round
        for other, blocks in self.envelope.sequences.items():
            if other != name:
                self._services.scope.clear_outputs(blocks)
        await self._run_sequence(self.envelope.sequences.get(name, []), self._frame)

    async def run_round(self, name: str, outputs: Json, **names: Any) -> None:
        """Run a nested sequence as one round of a loop."""
        # the round that has just begun is the last of those that the block shows
        rounds: list[Any] | None = self.early_output if self.early_output is not NO_OUTPUT else None
        path = None if rounds is None else (self.envelope.block_reference_id, len(rounds) - 1)
        frame = self._frame.round(outputs, names, path)
        await self._run_sequence(self.envelope.sequences.get(name, []), frame)

    async def run_step(self, definition: Mapping[str, Any]) -> Any:
        """Run a block that is not part of the workflow as a step of this one."""
        return await self._run_step(self.envelope, definition, self._frame)

    def starts_in(self) -> str | None:
        """The nested sequence in which the run begins, when it begins inside this block."""
        return self._walk.start_within(self.envelope)

    def publish_rounds(self, rounds: list[Any]) -> None:
        """Show a list of rounds as the block's output before the block is done; a failure then keeps it."""
        self.early_output = rounds
        self._services.outputs.begin_list(self._frame, self.envelope.block_reference_id, rounds)

    def replace_round(self, position: int, value: Any) -> None:
        """Replace the outputs of a round."""
        self.early_output[position] = self._services.outputs.replace_item(
            self._frame, self.envelope.block_reference_id, position, value
        )

    def emit(self, type: str, message: str, data: Mapping[str, Any] | None = None) -> None:  # noqa: A002 - the event's own word
        """Write an event."""
        self._services.events.add(type, message, self.envelope, data)

    def waiting_for_person(self, reason: str) -> AbstractAsyncContextManager[asyncio.Event]:
        """Paused within; the event is set when the person reports that it is done."""
        return self._signals.waiting_for_person(reason)

    async def wait_for_approval(self, reason: str) -> None:
        """Paused until somebody resumes the execution."""
        await self._signals.wait_for_approval(reason)

    async def sign_in(self, login_id: str | None, *, force: bool) -> None:
        """Sign in with a login; without an id the one the execution was started with."""
        self.has_acted = True
        with self._services.signing_in():
            await self._services.authenticator.sign_in(
                login_id, force=force, timeout_seconds=self.remaining_seconds
            )

    def beginning_effect(self, description: str) -> AbstractAsyncContextManager[None]:
        """Within, what `description` says may happen outside; it is written to the row first."""
        act = Act(self.envelope.block_reference_id, description, is_safe=self._is_retry_safe)
        return self._services.effects.beginning(act)

    def intending_effect(self, description: str) -> AbstractAsyncContextManager[None]:
        """Around an act on the page: recorded under `description` before its effect can leave the browser."""
        self.has_acted = True
        return self._services.effects.acting(
            Act(self.envelope.block_reference_id, description, is_safe=self._is_retry_safe),
            is_held=self.page.holds_requests,
        )

    def _clock(self) -> float:
        """The event loop's time without pauses."""
        return asyncio.get_running_loop().time() - self._signals.paused_seconds

    def _calls_so_far(self) -> int:
        return 0 if self._services.model is None else self._services.model.usage.calls


class OrganizationKnowledge:
    """Implements `Knowledge` for one organization."""

    def __init__(self, base: KnowledgeBase, organization_id: str) -> None:
        self._base = base
        self._organization_id = organization_id

    async def query(self, query: str, top_k: int, tags: Sequence[str]) -> list[Passage]:
        """The passages that answer best, of documents that carry all of the tags."""
        return await self._base.query(self._organization_id, query, top_k, tags)
