"""One run: walks the tree of blocks, one after the other, and remembers what came out."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pagehand.blocks.base import NOTHING, Block, LeaveLoop, NextRound, Outcome
from pagehand.blocks.ports import PageSession
from pagehand.engine.browsing import Browsing
from pagehand.engine.cache import Cache
from pagehand.engine.codes import CodeDesk
from pagehand.engine.context import BlockContext
from pagehand.engine.conversation import Conversation
from pagehand.engine.healing import Healing
from pagehand.engine.journal import Journal
from pagehand.engine.judge import Judge
from pagehand.engine.live import LiveRun
from pagehand.engine.mending import Mending
from pagehand.engine.needs import Redactor, RunModel, Session
from pagehand.engine.parts import EngineParts
from pagehand.engine.run_files import Downloads, ExecutionFiles
from pagehand.engine.scope import Frame, Scope
from pagehand.engine.signals import Signals
from pagehand.engine.signing import Signing
from pagehand.engine.transformer import transform
from pagehand.errors import BlockFailed, NotPresent, PagehandError, TimedOut
from pagehand.records import Execution, Json, WorkflowVersion
from pagehand.workflow import templates, tree
from pagehand.workflow.envelope import Envelope
from pagehand.workflow.locator import Locator
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow.wire import RESOLVED

_SKIP_AFTER_SECONDS = 5.0
_GRACE_SECONDS = 2.0
"""A block watches its own time; this much later it is interrupted."""

Save = Callable[..., Awaitable[None]]


@dataclass(slots=True)
class Failure:
    """The block at which a run failed, and what the page showed then."""

    envelope: Envelope | None
    error: PagehandError
    url: str = ""
    title: str = ""


class Run:
    """The run of one execution; `walk` it once."""

    def __init__(
        self,
        execution: Execution,
        version: WorkflowVersion,
        parts: EngineParts,
        signals: Signals,
        codes: CodeDesk,
        journal: Journal,
        redactor: Redactor,
        live: LiveRun,
        save: Save,
    ) -> None:
        self.execution = execution
        self.parts = parts
        self.signals = signals
        self.journal = journal
        self.redactor = redactor
        self.blocks = tree.from_json(version.blocks)
        secret_params = parts.secret_params.open(execution)
        self.scope = Scope(execution, self.blocks, version.parameters, secret_params)
        for text in _texts(list(secret_params.values())):
            redactor.add(text)
        self.model: RunModel | None = None
        self.response: Json = {}
        self.failure: Failure | None = None
        self.current: Envelope | None = None
        self.blocks_run = 0
        self.downloads = Downloads(lambda state: save(downloads=state))
        self.files = ExecutionFiles(
            execution,
            parts.stores.files,
            parts.file_bytes,
            parts.describe_file,
            self.downloads,
            parts.knowledge,
            check_room=parts.check_room,
        )
        self.browsing = Browsing(
            execution, parts.open_browser, self.files, self.downloads, journal, signals, self._is_served
        )
        self.judge = Judge(parts.sandbox, self._open_page, lambda: self.model)
        self.healing = Healing(execution, parts.stores.memories, parts.settings, journal, redactor)
        self.cache = Cache(execution, self.blocks, parts.stores.plans, redactor)
        self.conversation = Conversation(execution, parts.stores.threads, redactor, save)
        self._steps: set[str] = set()
        self._step_details: Json = {}
        self.mending = Mending(journal)
        self.history: list[str] = []
        self.signing = Signing(
            execution,
            parts.stores.logins,
            parts.logins,
            self.browsing,
            codes,
            signals,
            self.scope,
            journal,
            redactor,
            save,
        )
        self._save = save
        self._live = live
        self._output = version.output
        self._start_path = (
            tree.path_to(self.blocks, execution.start_block_id) if execution.start_block_id else []
        )

    async def walk(self) -> Json:
        """Run everything; the response."""
        frame = Frame(self.scope, self.response, {})
        self.model = await self.parts.models.for_organization(
            self.execution.organization_id, self.redactor.text
        )
        login = await self.signing.prepare()
        if login is not None and not self._takes_login_over():
            await self._sign_in_first()
        try:
            await self._run_all(frame)
        finally:
            await self.healing.save()
            await self.cache.save()
            await self.save_findings()
        await self.signing.keep()
        if self._output is None:
            return self.response
        value = templates.resolve(self._output, frame.names())
        return cast("Json", value) if isinstance(value, dict) else {"output": value}

    async def save_findings(self) -> None:
        """Show on the execution what the model has cost and what would mend the workflow."""
        metadata = self.execution.metadata
        if self.model is not None and self.model.usage.calls:
            metadata["modelUsage"] = self.model.usage.as_json()
        proposed = [*self.healing.proposals, *self.mending.proposals]
        if proposed:
            metadata["proposedOperations"] = list({one["blockId"]: one for one in proposed}.values())
        if proposed or "modelUsage" in metadata:
            await self._save(metadata=metadata)

    async def _run_all(self, frame: Frame) -> None:
        try:
            await self.run_sequence(self.blocks, frame)
        except (LeaveLoop, NextRound) as outside:
            error = BlockFailed("The block stands outside any loop: there is none to leave or go on with.")
            self.failure = Failure(self.current, error)
            raise error from outside

    async def run_sequence(self, blocks: list[Envelope], frame: Frame) -> None:
        """Run blocks in order, from the start block on when the run begins among them."""
        if self._start_path:
            first = self._start_path.pop(0)
            blocks = blocks[next(index for index, block in enumerate(blocks) if block.id == first) :]
        for block in blocks:
            await self._run_block(block, frame)
            self._start_path.clear()  # a container that had no round to begin in: go on behind it

    async def run_step(self, parent: Envelope, definition: Mapping[str, Any], frame: Frame) -> Any:
        """Run a block that is not part of the workflow, as a step of `parent`; what it put out."""
        [step] = parse_blocks([dict(definition)], self.parts.kinds)
        step.id = f"{parent.id}.{len(self._steps) + 1}"
        step.block_reference_id = f"{parent.block_reference_id}_step_{len(self._steps) + 1}"
        self._steps.add(step.id)
        self._step_details = {}
        put_out: Json = {}
        await self._run_block(step, frame.round(put_out, {}))
        self.current = parent
        self.scope.outputs.pop(step.block_reference_id, None)
        return put_out.get(step.block_reference_id)

    def is_step(self, envelope: Envelope) -> bool:
        """True for a block that an agent runs; nothing is remembered of those."""
        return envelope.id in self._steps

    def start_within(self, envelope: Envelope) -> str | None:
        """The sequence of `envelope` in which the run is still to begin."""
        if not self._start_path:
            return None
        holds = (
            name
            for name, blocks in envelope.sequences.items()
            if any(b.id == self._start_path[0] for b in blocks)
        )
        return next(holds, None)

    async def _run_block(self, envelope: Envelope, frame: Frame) -> None:
        await self.signals.hold_if_asked()
        started = asyncio.get_running_loop().time()
        self.current = envelope
        self.journal.add("block.started", f"{envelope.name} began", envelope)
        context: BlockContext | None = None
        try:
            block, context = self._prepare(envelope, frame)
            outcome = await self._perform_or_mend(block, context, frame)
            if outcome.output is not NOTHING and envelope.transformer_fn:
                outcome.output = await transform(
                    envelope.transformer_fn,
                    outcome.output,
                    context.names,
                    self.parts.sandbox,
                    self.browsing.open,
                )
        except NotPresent as missing:
            if not envelope.skip_if_not_present:
                await self._note_failure(envelope, missing, context)
                raise
            self.scope.outputs[envelope.block_reference_id] = None
            self.journal.add("block.skipped", f"{envelope.name} was skipped: {missing.message}", envelope)
            return
        except PagehandError as error:
            await self._note_failure(envelope, error, context)
            raise
        except (LeaveLoop, NextRound):
            self.journal.add("block.finished", f"{envelope.name} is done", envelope, _took(started))
            raise
        if self.is_step(envelope):
            self._step_details = outcome.details
        else:
            self.blocks_run += 1
        if outcome.output is not NOTHING:
            frame.keep(envelope.block_reference_id, outcome.output)
        self.healing.succeeded(context)
        self.cache.succeeded(envelope.id)
        await self._note_finish(envelope, block, outcome, {**_took(started), **context.notes}, context)

    def _prepare(
        self, envelope: Envelope, frame: Frame, moved: Locator | None = None
    ) -> tuple[Block, BlockContext]:
        kind = self.parts.kinds.find(envelope.type)
        if kind is None:
            raise BlockFailed(f"There is no block kind `{envelope.type}` in this installation.")
        names = frame.names(with_secrets=kind.types_secrets)
        block = self.parts.kinds.parse(envelope.type, self._resolved(kind, envelope, names))
        locator = moved
        if envelope.locator and moved is None:
            locator = Locator.model_validate(
                templates.resolve(envelope.locator, names), strict=False, context=RESOLVED, by_alias=True
            )
        limit = block.default_timeout_seconds
        if block.timeout_ms is not None:
            limit = block.timeout_ms / 1000
        elif envelope.skip_if_not_present and limit is not None:
            limit = _SKIP_AFTER_SECONDS
        return block, BlockContext(self, frame, envelope, locator, names, limit, commits=block.commits)

    def _resolved(self, kind: type[Block], envelope: Envelope, names: Json) -> Json:
        return kind.resolve_data(envelope.data, names, self.scope.login_with_secrets)

    async def _perform_or_mend(self, block: Block, context: BlockContext, frame: Frame) -> Outcome:
        """Do the block's work; where it wants that, with the recovery agent's help after a failure."""
        envelope = context.envelope
        try:
            return await self._perform(block, context, envelope)
        except BlockFailed as error:
            may_help = envelope.use_workflow_recovery_agent and not envelope.skip_if_not_present
            # what must not happen twice is not tried twice, and without a page there is nothing to mend
            if not may_help or block.commits or self.browsing.session is None or self.is_step(envelope):
                raise

            async def redo(moved: Locator | None) -> Outcome:
                again, fresh = self._prepare(envelope, frame, moved)
                return await self._perform(again, fresh, envelope)

            async def close_overlay(parent: Envelope) -> bool:
                await self.run_step(parent, {"type": "ClosePopup", "data": {}}, frame)
                return bool(self._step_details.get("closed"))

            return await self.mending.help(context, error, self.history, close_overlay, redo)

    async def _perform(self, block: Block, context: BlockContext, envelope: Envelope) -> Outcome:
        session = await self.browsing.open() if block.wants_page() else self.browsing.session
        if block.commits and self.execution.commit_block is None:
            self.execution.commit_block = envelope.name
            await self._save(commit_block=envelope.name)
        seconds = None
        if block.default_timeout_seconds is not None or block.timeout_ms is not None:
            seconds = context.remaining_seconds + _GRACE_SECONDS
        try:
            async with asyncio.timeout(seconds) as limit:
                with self.signals.limiting(limit):
                    if session is None:
                        return await block.run(context)
                    async with session.guard():
                        return await block.run(context)
        except TimeoutError as late:
            raise TimedOut(
                f"`{envelope.name}` did not finish within its {(seconds or 0) - _GRACE_SECONDS:g} s. "
                "Give it more with `data.timeoutMs`."
            ) from late

    async def _note_finish(
        self, envelope: Envelope, block: Block, outcome: Outcome, data: Json, context: BlockContext
    ) -> None:
        picture = None
        if block.changes_page and self.parts.settings.screenshots:
            with context.timing("picture"):
                picture = await self.browsing.picture()
        data = {**data, **self._recorded(context)}
        if block.changes_page and self.execution.is_test:
            # instructions about a test run (`instructorExecutionId`) speak of the pages it saw
            data = {**data, "pageSnapshot": await self.browsing.page_snapshot(self.redactor.value)}
        message = outcome.message or f"{envelope.name} is done"
        self.history.append(f"{envelope.name} ({envelope.type}): {message}")
        self.journal.add("block.finished", message, envelope, {**data, **outcome.details}, picture)

    async def _note_failure(
        self, envelope: Envelope, error: PagehandError, context: BlockContext | None
    ) -> None:
        """Keep the innermost block of an error that passes through its containers."""
        picture, notes = None, {**context.notes, **self._recorded(context)} if context else None
        self.healing.failed(envelope)
        self.cache.failed(envelope.id)
        if self.failure is None or self.failure.error is not error:
            url, title = await self.browsing.describe_page()
            self.failure = Failure(envelope, error, url, title)
            picture = await self.browsing.picture()
        self.journal.add("block.failed", f"{envelope.name} failed: {error.message}", envelope, notes, picture)

    def _recorded(self, context: BlockContext) -> Json:
        """How long each phase took, and the event whose picture shows the page as it was before."""
        phases = {name: round(seconds * 1000) for name, seconds in context.phases.items()}
        before = self.journal.pictured
        return {
            **({"phasesMs": phases} if phases else {}),
            **({"pictureBefore": before} if phases and before is not None else {}),
        }

    def _takes_login_over(self) -> bool:
        every = (one for block in self.blocks for one in block.walk())
        return any(
            kind.takes_login(one.data)
            for one in every
            if (kind := self.parts.kinds.find(one.type)) is not None
        )

    async def _sign_in_first(self) -> None:
        """The run begins signed in; a sign-in that fails fails the run before its first block."""
        try:
            await self.signing.sign_in(None, force=False, timeout_seconds=120)
        except PagehandError as error:
            url, title = await self.browsing.describe_page()
            self.failure = Failure(None, error, url, title)
            self.journal.add(
                "authentication.failed", error.message, None, None, await self.browsing.picture()
            )
            raise

    async def _is_served(self, session: Session, session_id: str) -> None:
        """Show that a browser serves the execution, and where to see it."""
        execution = self.execution
        execution.session_id, execution.vendor_id = session_id, session.vendor_id
        execution.live_view_url = self.parts.live_view_url(execution)
        self._live.screen = session.live_view
        await self._save(
            session_id=session_id, vendor_id=session.vendor_id, live_view_url=execution.live_view_url
        )

    async def _open_page(self) -> PageSession:
        return await self.browsing.open()


def _texts(value: Any) -> Iterator[str]:
    """Every text and number in a value, at any depth."""
    if isinstance(value, dict):
        for item in cast("dict[str, Any]", value).values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _texts(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)


def _took(started: float) -> dict[str, Any]:
    return {"durationMs": round((asyncio.get_running_loop().time() - started) * 1000)}
