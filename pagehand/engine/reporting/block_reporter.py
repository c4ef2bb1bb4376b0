"""What a run says of its blocks: an event each, a picture where the page changed, and the failure."""

from dataclasses import replace

from pagehand.blocks.base import Block, Outcome
from pagehand.engine.reporting.failure import Failure
from pagehand.engine.run.context import BlockContext
from pagehand.engine.run.services import RunServices
from pagehand.errors import BlockFailed, PagehandError
from pagehand.records import Json
from pagehand.workflow.envelope import Envelope

_MAX_REMARKS = 5


class BlockReporter:
    """The record of one run."""

    def __init__(self, services: RunServices) -> None:
        self._execution = services.execution
        self._settings = services.shared.settings
        self._kinds = services.shared.kinds
        self._logins = services.shared.logins
        self._browser = services.browser
        self._events = services.events
        self._redactor = services.redactor
        self.history: list[str] = []
        """What was done, a line a block, for the recovery agent and the model's report."""
        self.remarks: list[str] = []
        """What the summary has to say of blocks that ended well."""
        self.failure: Failure | None = None

    async def block_finished(
        self, block: Block, context: BlockContext, outcome: Outcome, duration_ms: int
    ) -> None:
        """The block did its work."""
        envelope, picture = context.envelope, None
        if block.changes_page and self._settings.screenshots:
            with context.timing("picture"):
                picture = await self._browser.picture()
        data: Json = {"durationMs": duration_ms, **context.notes, **self._facts(context)}
        if block.changes_page and self._execution.is_test:
            # instructions about a test run (`instructorExecutionId`) speak of the pages it saw
            data["pageSnapshot"] = await self._browser.page_snapshot(self._redactor.value)
        message = outcome.message or f"{envelope.name} is done"
        self.history.append(f"{envelope.name} ({envelope.type}): {message}")
        if outcome.remark and len(self.remarks) < _MAX_REMARKS:
            self.remarks.append(f"{envelope.name} (`{envelope.block_reference_id}`): {outcome.remark}.")
        self._events.add("block.finished", message, envelope, {**data, **outcome.details}, picture)

    async def block_failed(
        self, envelope: Envelope, error: PagehandError, context: BlockContext | None
    ) -> None:
        """Note it; of an error that passes through its containers the innermost block is the failure's."""
        picture = None
        notes = {**context.notes, **self._facts(context)} if context else None
        # the same error comes by again for every container around the block
        if self.failure is None or self.failure.error is not error:
            await self._quote_page(envelope, error)
            await self._keep(envelope, error)
            picture = await self._browser.picture()
            if self.failure is not None:
                self.failure.has_picture = picture is not None
        self._events.add("block.failed", f"{envelope.name} failed: {error.message}", envelope, notes, picture)

    async def sign_in_failed(self, error: PagehandError) -> None:
        """The sign-in before the first block failed."""
        await self._keep(None, error)
        picture = await self._browser.picture()
        self._events.add("authentication.failed", error.message, None, None, picture)

    async def _quote_page(self, envelope: Envelope, error: PagehandError) -> None:
        """A page that says the session is over explains more than whatever was missing on it."""
        kind, session = self._kinds.find(envelope.type), self._browser.session
        if not isinstance(error, BlockFailed) or kind is None or not kind.needs_page:
            return
        notice = ""
        if session is not None and not session.lost.done():
            notice = await self._logins.signed_out_words(session)
        # a sign-in quotes the page itself
        if notice and notice not in error.message:
            error.add(f"The page says “{notice}”.")
            error.diagnosis = replace(
                error.diagnosis,
                cause=f"Nobody is signed in on the page any more: it says “{notice}”.",
                advice="Sign in again before this block (a Login block), or see how long the site keeps a "
                "session.",
            )

    async def _keep(self, envelope: Envelope | None, error: PagehandError) -> None:
        url, title = await self._browser.describe_page()
        self.failure = Failure(envelope, error, url, title)

    def _facts(self, context: BlockContext) -> Json:
        """What went in, how often the model was asked, how long each phase took, and the picture before."""
        calls = context.model_calls
        return {
            **({"input": context.input} if context.input else {}),
            **({"modelCalls": calls} if calls else {}),
            **self._phases(context),
        }

    def _phases(self, context: BlockContext) -> Json:
        """How long each phase took, and the event whose picture shows the page as it was before."""
        phases = {name: round(seconds * 1000) for name, seconds in context.phases.items()}
        before = self._events.last_pictured
        return {
            **({"phasesMs": phases} if phases else {}),
            **({"pictureBefore": before} if phases and before is not None else {}),
        }
