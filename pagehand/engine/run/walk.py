"""One run of a workflow: its blocks one after the other, in their loops and branches."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pagehand.blocks.outcome import NO_OUTPUT, LoopBreak, LoopContinue, Outcome
from pagehand.blocks.user_code import is_javascript, json_output
from pagehand.browser import BrowserSession
from pagehand.engine.reporting.report import Failure
from pagehand.engine.run.authenticator import Authenticator
from pagehand.engine.run.block_runner import BlockReporter, BlockRunner
from pagehand.engine.run.context import BlockContext
from pagehand.engine.run.earlier_run import read_earlier_run
from pagehand.engine.run.scope import Frame, WalkState
from pagehand.engine.run.services import RunServices
from pagehand.errors import BlockFailed, NotPresent, PagehandError, WorkflowError
from pagehand.loop import without_blocking
from pagehand.ports import Sandbox
from pagehand.records import Json, is_object
from pagehand.workflow import templates, tree
from pagehand.workflow.json_values import made_storable
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow.tree import Envelope

_SIGN_IN_SECONDS = 120.0
_TRANSFORM_SECONDS = 10


class LastBlockReached(BaseException):
    """Raised after the block `last_id`: the rest is not run."""


class Run:
    """The run of one execution; `walk` it once."""

    def __init__(self, services: RunServices, output: Any) -> None:
        """`output` is the response as the workflow declares it, with templates; None for all outputs."""
        self.services = services
        self.browser = services.browser
        self.outputs = services.outputs
        self.downloads = services.downloads
        self.effects = services.effects
        self.scope = services.scope
        self._execution = services.execution
        self._kinds = services.shared.kinds
        self._signals = services.signals
        self._events = services.events
        self.reporter = BlockReporter(services)
        start = self._execution.start_block_id
        self._state = WalkState(tree.path_to(services.blocks, start) if start else [])
        self._runner = BlockRunner(
            services,
            self._state,
            self.run_sequence,
            self.run_step,
            self.reporter.history,
            self._close_overlay,
        )
        self.current: Envelope | None = None
        self.blocks_run = 0
        self._output = output
        self._step_details: Json = {}
        self.last_id: str | None = None
        """The block to stop after; None runs to the end."""
        self.frames: dict[str, Frame] = {}
        """Where each block was run last, with the names of its round."""

    async def begin(self) -> None:
        """Find the model and sign in, before the first block."""
        await self.services.find_model()
        if self._execution.login_id is not None:
            await self.authenticator.prepare()
            if self._execution.continues_id is None and not self._has_login_block():
                await self._sign_in_first()

    async def walk(self) -> Json:
        """Run everything; the response."""
        frame = self.root_frame()
        await self.begin()
        if self._execution.continues_id is not None:
            await self.take_over(self._execution.continues_id, self._execution.start_block_id or "")
        try:
            await self.run_all()
        finally:
            await self.services.save_learned()
        # without a login in its scope the run has not signed in
        if self.scope.login is not None:
            await self.authenticator.save_sessions()
        if self._output is None:
            return self.response
        # an output expression may repeat a large value many times: it is bounded like any output
        value, _ = made_storable(
            self._resolve_output(frame), most_bytes=self.services.shared.settings.max_output_bytes
        )
        return value if is_object(value) else {"output": value}

    def root_frame(self) -> Frame:
        """The outputs of blocks outside any loop."""
        return Frame(self.scope, self.outputs.response, {})

    def _resolve_output(self, frame: Frame) -> Any:
        """Fill in the workflow's `output`; an unknown name is a failure of the workflow, not of a block."""
        try:
            return templates.resolve(self._output, frame.names())
        except WorkflowError as error:
            failure = WorkflowError(f"The workflow's `output`: {error.message}")
            self.reporter.failure = Failure(None, failure)
            raise failure from error

    async def _settle_page(self) -> None:
        """Wait for what the last block started; a dialog that opens meanwhile fails the block."""
        session = self.browser.session
        # a browser that died is reported by the walk itself
        if session is None or session.lost.done():
            return
        await session.settle()
        try:
            session.dialogs.raise_for_unanswered()
        except BlockFailed as error:
            if self.current is not None:
                await self.reporter.block_failed(self.current, error, None)
            raise

    @property
    def authenticator(self) -> Authenticator:
        """Signs in for this run."""
        return self.services.authenticator

    @property
    def response(self) -> Json:
        """The outputs so far."""
        return self.outputs.response

    def release_outputs(self, kept: Json) -> None:
        """Drop all outputs but the response that is written: large values must not wait for the collector."""
        self.frames.clear()
        self.scope.outputs.clear()
        if self.response is not kept:
            self.response.clear()

    async def take_over(self, execution_id: str, start_id: str) -> None:
        """Start at a block with the outputs, the address, the cookies and the login of an earlier run."""
        earlier = await read_earlier_run(self.services, execution_id, start_id)
        if earlier.state is None and self._execution.login_id is not None:
            await self._sign_in_first()
        if earlier.state is not None or earlier.url is not None:
            await earlier.restore_page(await self.browser.open())
        count = await earlier.restore_outputs(self.services, self.root_frame(), start_id)
        cookies = "cookies" if earlier.state is not None else "no cookies, because none were kept"
        self._events.add(
            "execution.continued",
            f"Continues with {count} outputs, {cookies} and the address `{earlier.url}` of an earlier run",
            data={"executionId": execution_id, "url": earlier.url},
        )

    def start_at(self, block_id: str | None) -> None:
        """Let the next `run_all` begin with this block; None for the first."""
        self._state.start_path = tree.path_to(self.services.blocks, block_id) if block_id else []

    async def run_all(self) -> None:
        """Run the blocks from the first on, and let the page settle."""
        await self._within_loops(self.run_sequence(self.services.blocks, self.root_frame()))
        await self._settle_page()

    async def run_alone(self, block_id: str) -> None:
        """Run one block on the page as it is; inside a loop with the names of its latest round."""
        block = tree.find_block(self.services.blocks, block_id)
        if block is None:
            raise BlockFailed(f"There is no block `{block_id}` to run.")
        await self._within_loops(self._run_block(block, self.frames.get(block_id) or self.root_frame()))
        await self._settle_page()

    def context_of(self, block: Envelope) -> BlockContext:
        """What the block would run with, outside any loop."""
        return self._runner.prepare(block, self.root_frame())[1]

    async def _within_loops(self, running: Awaitable[None]) -> None:
        """Fail a block that leaves a loop where there is none."""
        try:
            await running
        except (LoopBreak, LoopContinue) as outside:
            error = BlockFailed("The block is outside any loop: there is none to leave or go on with.")
            self.reporter.failure = Failure(self.current, error)
            raise error from outside

    async def run_sequence(self, blocks: list[Envelope], frame: Frame) -> None:
        """Run blocks in order, from the start block on when the run begins among them."""
        if self._state.start_path:
            first = self._state.start_path.pop(0)
            # blocks before the start block are not run, and read as null
            blocks = blocks[next(index for index, block in enumerate(blocks) if block.id == first) :]
        for block in blocks:
            self.frames[block.id] = frame
            await self._run_block(block, frame)
            self._state.start_path.clear()  # a container without a round to start in: continue after it
            if block.id == self.last_id:
                raise LastBlockReached

    async def run_step(self, parent: Envelope, definition: Mapping[str, Any], frame: Frame) -> Any:
        """Run a block that is not part of the workflow, as a step of `parent`; its output."""
        [step] = parse_blocks([dict(definition)], self._kinds)
        # with their own ids, so that events of steps differ from those of the workflow's blocks
        step.id = f"{parent.id}.{len(self._state.steps) + 1}"
        step.block_reference_id = f"{parent.block_reference_id}_step_{len(self._state.steps) + 1}"
        if parent.data.get("retrySafe") is True:
            step.data["retrySafe"] = True
        self._state.steps.add(step.id)
        self._step_details = {}
        outputs: Json = {}
        await self._run_block(step, frame.round(outputs, {}))
        # a failure after the step is the parent's
        self.current = parent
        # templates can use the workflow's blocks alone
        self.scope.outputs.pop(step.block_reference_id, None)
        return outputs.get(step.block_reference_id)

    async def _run_block(self, envelope: Envelope, frame: Frame) -> None:
        await self._signals.wait_while_paused()
        await asyncio.sleep(0)  # blocks that wait for nothing must not keep others from their turn
        started = asyncio.get_running_loop().time()
        self.current = envelope
        self._events.add("block.started", f"{envelope.name} began", envelope, {"kind": envelope.type})
        context: BlockContext | None = None
        try:
            block, context = self._runner.prepare(envelope, frame)
            outcome = await self._runner.perform(block, context, frame)
            await self._keep_output(outcome, context, frame)
        except PagehandError as error:
            # what a failed block took for its element, or planned, may have been wrong: nothing of it is kept
            for learner in self.services.learners:
                learner.failed(envelope)
            if not (isinstance(error, NotPresent) and envelope.skip_if_not_present):
                await self.reporter.block_failed(envelope, error, context)
                raise
            # in a loop an earlier round may have put something out, which is not this round's
            self.scope.outputs[envelope.block_reference_id] = None
            self._events.add("block.skipped", f"{envelope.name} was skipped: {error.message}", envelope)
            return
        # leaving a loop is how the block does its work, so it has finished
        except (LoopBreak, LoopContinue, LastBlockReached):
            took = {"durationMs": _ms_since(started)}
            self._events.add("block.finished", f"{envelope.name} is done", envelope, took)
            raise
        if self._state.is_step(envelope):
            self._step_details = outcome.details
        else:
            self.blocks_run += 1
        for learner in self.services.learners:
            learner.succeeded(envelope)
        await self.reporter.block_finished(block, context, outcome, _ms_since(started))

    async def _keep_output(self, outcome: Outcome, context: BlockContext, frame: Frame) -> None:
        """Transform the output of the block, and keep it without the secrets of logins."""
        envelope = context.envelope
        # rounds of a loop were kept as they came, and need not be kept again
        is_kept = outcome.output is context.early_output and not envelope.transformer_fn
        outcome.output = self.services.without_login_secrets(outcome.output)
        if outcome.output is NO_OUTPUT:
            return
        if envelope.transformer_fn:
            outcome.output = await transform(
                envelope.transformer_fn,
                outcome.output,
                context.names,
                self.services.shared.sandbox,
                self.browser.open,
            )
        if outcome.output is not NO_OUTPUT and not is_kept:
            await self.outputs.keep(frame, envelope.block_reference_id, outcome.output)

    async def _close_overlay(self, parent: Envelope, frame: Frame) -> bool:
        """Close what lies over the page, as a step of `parent`; False when there was nothing."""
        if (clearing := self._kinds.clearing_overlay()) is None:
            return False
        await self.run_step(parent, clearing, frame)
        return bool(self._step_details.get("closed"))

    def _has_login_block(self) -> bool:
        # wherever it is: a branch that is not taken leaves the run signed out, as its author meant
        every = (inner for block in self.services.blocks for inner in block.walk())
        return any(
            kind.takes_login(inner.data)
            for inner in every
            if (kind := self._kinds.kind_named(inner.type)) is not None
        )

    async def _sign_in_first(self) -> None:
        """Sign in before the first block; a failure fails the run."""
        try:
            with self.services.signing_in():
                await self.authenticator.sign_in(None, force=False, timeout_seconds=_SIGN_IN_SECONDS)
        except PagehandError as error:
            await self.reporter.sign_in_failed(error)
            raise


def _ms_since(started: float) -> int:
    return round((asyncio.get_running_loop().time() - started) * 1000)


async def transform(
    code: str,
    output: Any,
    names: Mapping[str, Any],
    sandbox: Sandbox,
    open_page: Callable[[], Awaitable[BrowserSession]],
) -> Any:
    """The function's result, which replaces the output."""
    if not is_javascript(code):
        answer = await sandbox.call(code, [output, dict(names)], names)
        return await without_blocking(json_output, answer)
    session = await open_page()
    result = await session.scripts.run_in_blank_page(
        code, [output, dict(names)], timeout_seconds=_TRANSFORM_SECONDS
    )
    return await without_blocking(json_output, result)
