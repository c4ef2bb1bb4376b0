"""What a run says of its blocks: an event each, a picture where the page changed, and the failure."""

from dataclasses import replace

from pagehand.blocks.base import Block, Outcome
from pagehand.engine.reporting.failure import Failure
from pagehand.engine.run.context import BlockContext
from pagehand.engine.run.services import Kit
from pagehand.errors import BlockFailed, PagehandError
from pagehand.records import Json
from pagehand.workflow.envelope import Envelope

_MOST_REMARKS = 5


class Record:
    """The record of one run."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self.history: list[str] = []
        """What was done, a line a block, for a model that helps or tells."""
        self.remarks: list[str] = []
        """What the summary has to say of blocks that ended well."""
        self.failure: Failure | None = None

    async def finished(self, block: Block, context: BlockContext, outcome: Outcome, duration_ms: int) -> None:
        """The block did its work."""
        kit, envelope, picture = self._kit, context.envelope, None
        if block.changes_page and kit.parts.settings.screenshots:
            with context.timing("picture"):
                picture = await kit.browsing.picture()
        data: Json = {"durationMs": duration_ms, **context.notes, **self._phases(context)}
        if block.changes_page and kit.execution.is_test:
            # instructions about a test run (`instructorExecutionId`) speak of the pages it saw
            data["pageSnapshot"] = await kit.browsing.page_snapshot(kit.redactor.value)
        message = outcome.message or f"{envelope.name} is done"
        self.history.append(f"{envelope.name} ({envelope.type}): {message}")
        if outcome.remark and len(self.remarks) < _MOST_REMARKS:
            self.remarks.append(f"{envelope.name} (`{envelope.block_reference_id}`): {outcome.remark}.")
        kit.journal.add("block.finished", message, envelope, {**data, **outcome.details}, picture)

    async def failed(self, envelope: Envelope, error: PagehandError, context: BlockContext | None) -> None:
        """Note it; of an error that passes through its containers the innermost block is the failure's."""
        kit, picture = self._kit, None
        notes = {**context.notes, **self._phases(context)} if context else None
        if self.failure is None or self.failure.error is not error:
            await self._quote_page(envelope, error)
            await self._keep(envelope, error)
            picture = await kit.browsing.picture()
            if self.failure is not None:
                self.failure.has_picture = picture is not None
        kit.journal.add("block.failed", f"{envelope.name} failed: {error.message}", envelope, notes, picture)

    async def could_not_sign_in(self, error: PagehandError) -> None:
        """The sign-in before the first block failed."""
        await self._keep(None, error)
        picture = await self._kit.browsing.picture()
        self._kit.journal.add("authentication.failed", error.message, None, None, picture)

    async def _quote_page(self, envelope: Envelope, error: PagehandError) -> None:
        """A page that says the session is over explains more than whatever was missing on it."""
        kind, session = self._kit.parts.kinds.find(envelope.type), self._kit.browsing.session
        if not isinstance(error, BlockFailed) or kind is None or not kind.needs_page:
            return
        said = ""
        if session is not None and not session.lost.done():
            said = await self._kit.parts.logins.signed_out_words(session)
        if said and said not in error.message:
            error.add(f"The page says “{said}”.")
            error.diagnosis = replace(
                error.diagnosis,
                cause=f"Nobody is signed in on the page any more: it says “{said}”.",
                advice="Sign in again before this block (a Login block), or see how long the site keeps a "
                "session.",
            )

    async def _keep(self, envelope: Envelope | None, error: PagehandError) -> None:
        url, title = await self._kit.browsing.describe_page()
        self.failure = Failure(envelope, error, url, title)

    def _phases(self, context: BlockContext) -> Json:
        """How long each phase took, and the event whose picture shows the page as it was before."""
        phases = {name: round(seconds * 1000) for name, seconds in context.phases.items()}
        before = self._kit.journal.pictured
        return {
            **({"phasesMs": phases} if phases else {}),
            **({"pictureBefore": before} if phases and before is not None else {}),
        }
