"""Running one block, within its time limit and with the recovery agent's help, and reporting the result."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from pydantic import ValidationError

from pagehand.blocks.base import Block
from pagehand.blocks.outcome import Outcome
from pagehand.browser import BrowserSession
from pagehand.engine.reporting.report import Failure
from pagehand.engine.run.context import BlockContext
from pagehand.engine.run.scope import Frame, RunSequence, RunStep, WalkState
from pagehand.engine.run.services import RunServices
from pagehand.errors import BadData, BlockFailed, PagehandError, TimedOut
from pagehand.records import Json, is_array, is_object
from pagehand.workflow import templates
from pagehand.workflow.locator import BlockLocator, Locator
from pagehand.workflow.problems import first_problem
from pagehand.workflow.tree import Envelope
from pagehand.workflow.wire import RESOLVED

_SKIP_AFTER_SECONDS = 5.0
_GRACE_SECONDS = 2.0
"""A block watches its own time; this much later it is interrupted."""
CloseOverlay = Callable[[Envelope, Frame], Awaitable[bool]]
"""Closes what lies over the page, as a step of a block; False when there was nothing."""
_MAX_TEXT: Final = 500
_MAX_SECRET: Final = 20_000
_MAX_ITEMS: Final = 20
_MAX_DEPTH: Final = 5
_MAX_REMARKS = 5
_LOOK_SECONDS = 1.0


class BlockRunner:
    """Prepares and performs the blocks of one run."""

    def __init__(
        self,
        services: RunServices,
        walk: WalkState,
        run_sequence: RunSequence,
        run_step: RunStep,
        history: Sequence[str],
        close_overlay: CloseOverlay,
    ) -> None:
        """`history` is what the run has done so far, for the recovery agent."""
        self._services = services
        self._walk = walk
        self._run_sequence = run_sequence
        self._run_step = run_step
        self._history = history
        self._close_overlay = close_overlay

    def prepare(
        self, envelope: Envelope, frame: Frame, moved: Locator | None = None
    ) -> tuple[Block, BlockContext]:
        """The block with its templates filled in, and its context; `moved` replaces its own locator."""
        kinds, scope = self._services.shared.kinds, self._services.scope
        kind = kinds.kind_named(envelope.type)
        if kind is None:
            raise BlockFailed(f"There is no block kind `{envelope.type}` in this installation.")
        names = frame.names()
        data = kind.resolve_data(envelope.data, names, scope.login_placeholders)
        block = kinds.parse(envelope.type, data)
        context = BlockContext(
            self._services,
            self._walk,
            self._run_sequence,
            self._run_step,
            frame,
            envelope,
            moved or _own_locator(envelope, names),
            names,
            _limit_seconds(block, envelope),
            commits=block.commits,
            is_retry_safe=block.retry_safe,
        )
        context.input = shorten(data, self._without_secrets)
        return block, context

    async def perform(self, block: Block, context: BlockContext, frame: Frame) -> Outcome:
        """Do the block's work; where it wants that, with the recovery agent's help after a failure."""
        services, envelope = self._services, context.envelope
        effects_before = services.effects.count
        try:
            return await self._perform(block, context)
        except BlockFailed as error:
            wants_help = envelope.use_workflow_recovery_agent and not envelope.skip_if_not_present
            if wants_help:
                await services.effects.settle()
            # what must not happen twice is not tried twice, and without a page there is nothing to mend
            had_effect = block.commits or services.effects.count > effects_before
            has_page = services.browser.session is not None
            if not wants_help or had_effect or not has_page or self._walk.is_step(envelope):
                raise

            async def redo(moved: Locator | None) -> Outcome:
                nonlocal effects_before
                effects_before = services.effects.count
                return await self._perform(*self.prepare(envelope, frame, moved))

            return await services.recovery_agent.help(
                context,
                error,
                self._history,
                lambda parent: self._close_overlay(parent, frame),
                redo,
                may_redo=lambda: services.effects.count == effects_before,
            )

    async def _perform(self, block: Block, context: BlockContext) -> Outcome:
        services, envelope = self._services, context.envelope
        services.effects.block = envelope.block_reference_id
        # a block that needs no page still runs under the guard of one that is open
        session = await services.browser.open() if block.wants_page() else services.browser.session
        if session is not None and block.wants_page() and not block.changes_by_acting:
            with context.timing("picture"):
                await session.wait_for_screenshots()
        # on the row before the effect can begin, so that it is known after a crash
        if block.commits and services.execution.commit_block is None:
            services.execution.commit_block = envelope.name
            await services.save(commit_block=envelope.name)
        seconds = None if context.limit_seconds is None else context.remaining_seconds + _GRACE_SECONDS
        try:
            async with asyncio.timeout(seconds) as limit:
                with services.signals.limiting(limit):
                    if session is None:
                        return await block.run(context)
                    async with session.guard():
                        return await _run_with_dialogs(block, context, session)
        except TimeoutError as late:
            if context.limit_seconds is None:
                raise  # not this limit's: something inside has a bug
            raise TimedOut(
                f"`{envelope.name}` did not finish within its {context.limit_seconds:g} s. "
                "Give it more with `data.timeoutMs`."
            ) from late

    def _without_secrets(self, value: Any) -> Any:
        return self._services.redactor.value(self._services.without_login_secrets(value))


def _own_locator(envelope: Envelope, names: Json) -> Locator | None:
    if not envelope.locator:
        return None
    resolved = templates.resolve(envelope.locator, names)
    try:
        return BlockLocator.model_validate(resolved, strict=False, context=RESOLVED, by_alias=True)
    except ValidationError as error:
        raise BadData(first_problem(error, BlockLocator, resolved, "locator") or "") from error


def _limit_seconds(block: Block, envelope: Envelope) -> float | None:
    if block.timeout_ms is not None:
        return block.timeout_ms / 1000
    # the contract: 5 s for a block that may be skipped, unless it says otherwise
    if envelope.skip_if_not_present and block.default_timeout_seconds is not None:
        return _SKIP_AFTER_SECONDS
    return block.default_timeout_seconds


async def _run_with_dialogs(block: Block, context: BlockContext, session: BrowserSession) -> Outcome:
    """Run the block; a dialog that no block answers fails it, because something was not done."""
    session.dialogs.raise_for_unanswered()
    if block.reads_page:
        await session.tabs.raise_if_blank()
    try:
        outcome = await block.run(context)
    except BlockFailed as error:
        session.dialogs.raise_for_unanswered(error)
        raise
    session.dialogs.raise_for_unanswered()
    return outcome


def shorten(value: Any, redact: Callable[[Any], Any]) -> Any:
    """The value with long texts, long lists and deep nesting cut off; `…` stands for what is missing.

    Secrets are taken out before texts are cut to their length: half a secret would not be recognized.
    """
    return _shortened(redact(_cut(value)))


def _cut(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        # long enough that a secret at the cut is whole, short enough that a megabyte is not searched
        return value[: _MAX_TEXT + _MAX_SECRET]
    if depth >= _MAX_DEPTH and isinstance(value, dict | list):
        return "…"
    if is_array(value):
        more = [f"… {len(value) - _MAX_ITEMS} more"] if len(value) > _MAX_ITEMS else []
        return [*(_cut(item, depth + 1) for item in value[:_MAX_ITEMS]), *more]
    if is_object(value):
        entries = islice(value.items(), _MAX_ITEMS)
        rest = {"…": f"{len(value) - _MAX_ITEMS} more"} if len(value) > _MAX_ITEMS else {}
        return {**{name: _cut(entry, depth + 1) for name, entry in entries}, **rest}
    return value


def _shortened(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _MAX_TEXT else value[:_MAX_TEXT] + "…"
    if is_array(value):
        return [_shortened(item) for item in value]
    if is_object(value):
        return {name: _shortened(entry) for name, entry in value.items()}
    return value


class BlockReporter:
    """Writes the events of blocks that ended, and keeps what the execution's report needs."""

    def __init__(self, services: RunServices) -> None:
        self._execution = services.execution
        self._kinds = services.shared.kinds
        self._logins = services.shared.logins
        self._browser = services.browser
        self._pictures = services.pictures
        self._events = services.events
        self._redactor = services.redactor
        self.history: list[str] = []
        """What was done, one line per block, for the recovery agent and the model's report."""
        self.remarks: list[str] = []
        """Remarks of blocks that ended well, for the summary."""
        self.failure: Failure | None = None
        """The latest failure of a block."""

    async def block_finished(
        self, block: Block, context: BlockContext, outcome: Outcome, duration_ms: int
    ) -> None:
        """Report that a block did its work."""
        envelope, picture = context.envelope, None
        if block.changes_page and self._is_pictured(context):
            picture = self._browser.start_picture(context.picture_seconds)
        data: Json = {"durationMs": duration_ms, **context.notes, **self._facts(context)}
        if block.changes_page and self._execution.is_test:
            # instructions about a test run (`instructorExecutionId`) refer to the pages it saw
            data["pageSnapshot"] = await self._browser.page_snapshot(self._redactor.value)
        if block.changes_page and (url := self._browser.url):
            data["url"] = url
        message = outcome.message or f"{envelope.name} is done"
        self.history.append(f"{envelope.name} ({envelope.type}): {message}")
        if outcome.remark and len(self.remarks) < _MAX_REMARKS:
            self.remarks.append(f"{envelope.name} (`{envelope.block_reference_id}`): {outcome.remark}.")
        self._events.add("block.finished", message, envelope, {**data, **outcome.details}, picture)

    async def block_failed(
        self, envelope: Envelope, error: PagehandError, context: BlockContext | None
    ) -> None:
        """Report that a block failed; an error in nested blocks belongs to the innermost one."""
        picture = None
        notes = {**context.notes, **self._facts(context)} if context else None
        # containers around the block report the same error again
        if self.failure is None or self.failure.error is not error:
            # at once: a page that hangs answers none of them, and the block must end soon after its time
            _, _, picture = await asyncio.gather(
                self._explain_signed_out(envelope, error),
                self._set_failure(envelope, error),
                self._failure_picture(context.picture_seconds if context else None),
            )
            if self.failure is not None:
                self.failure.has_picture = picture is not None
        self._events.add("block.failed", f"{envelope.name} failed: {error.message}", envelope, notes, picture)

    async def sign_in_failed(self, error: PagehandError) -> None:
        """Report that the sign-in before the first block failed."""
        await self._set_failure(None, error)
        picture = await self._failure_picture()
        self._events.add("authentication.failed", error.message, None, None, picture)

    def _is_pictured(self, context: BlockContext) -> bool:
        return self._pictures == "all" or (self._pictures == "acts" and context.has_acted)

    async def _failure_picture(self, seconds: float | None = None) -> str | None:
        return None if self._pictures == "none" else await self._browser.picture(seconds)

    async def _explain_signed_out(self, envelope: Envelope, error: PagehandError) -> None:
        """Add to the error that the page shows a session that has ended, if it does."""
        kind, session = self._kinds.kind_named(envelope.type), self._browser.session
        if not isinstance(error, BlockFailed) or kind is None or not kind.needs_page:
            return
        if session is None or session.lost.done():
            return
        try:
            async with asyncio.timeout(_LOOK_SECONDS), session.guard():
                notice = await self._logins.signed_out_words(session)
        except (TimeoutError, PagehandError):
            return  # the page hangs, is gone or answers nonsense
        # a failed sign-in has quoted the page already
        if notice and notice not in error.message:
            error.add(f"The page says “{notice}”.")
            error.diagnosis = replace(
                error.diagnosis,
                cause=f"Nobody is signed in on the page any more: it says “{notice}”.",
                advice="Sign in again before this block (a Login block), or see how long the site keeps a "
                "session.",
            )

    async def _set_failure(self, envelope: Envelope | None, error: PagehandError) -> None:
        url, title = await self._browser.describe_page()
        self.failure = Failure(envelope, error, url, title)

    def _facts(self, context: BlockContext) -> Json:
        """The block's input, model calls, what pages complained about, and how long each phase took."""
        calls = context.model_calls
        return {
            **({"input": context.input} if context.input else {}),
            **({"modelCalls": calls} if calls else {}),
            **self._browser.take_problems(self._redactor.text),
            **self._phases(context),
        }

    def _phases(self, context: BlockContext) -> Json:
        """How long each phase took, and the event whose screenshot shows the page before the block."""
        phases = {name: round(seconds * 1000) for name, seconds in context.phases.items()}
        before = self._events.last_pictured
        return {
            **({"phasesMs": phases} if phases else {}),
            **({"pictureBefore": before} if phases and before is not None else {}),
        }
