"""Reports on the blocks of a run: an event for each, with a screenshot where the page changed."""

import asyncio
from dataclasses import replace

from pagehand.blocks.base import Block
from pagehand.blocks.outcome import Outcome
from pagehand.engine.reporting.report import Failure
from pagehand.engine.run.context import BlockContext
from pagehand.engine.run.services import RunServices
from pagehand.errors import BlockFailed, PagehandError
from pagehand.records import Json
from pagehand.workflow.tree import Envelope

_MAX_REMARKS = 5
_LOOK_SECONDS = 1.0


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
        """The block's input, how often the model was asked, and how long each phase took."""
        calls = context.model_calls
        return {
            **({"input": context.input} if context.input else {}),
            **({"modelCalls": calls} if calls else {}),
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
