"""What to do when it is unknown whether an effect happened."""

from pagehand.blocks.base import CommittingBlock
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.errors import PagehandError, SiteDown, TimedOut, Unanswered

IN_DOUBT = (Unanswered, TimedOut)
"""Errors of a call after which the outside may or may not have acted."""
ACT_IN_DOUBT = (SiteDown, TimedOut)
"""The same for an act on the page: what it set going was sent by the browser, and the answer is missing."""


async def settle(block: CommittingBlock, ctx: RunContext, error: PagehandError) -> Outcome:
    """Wait for a person's word where `onDoubt` asks for it; else the error stands, with the doubt named.

    A person who resumes the execution confirms that it happened; one who finds that it did not cancels it.
    """
    # without the mark the ordinary rules for retrying decide
    if not block.commits:
        raise error
    doubt = f"{error.message} Whether the effect happened is unknown; look before doing it again."
    if block.on_doubt == "pause":
        await ctx.wait_for_approval(
            f"{doubt} Approve (resume) if it did happen, decline (cancel) if it did not."
        )
        return Outcome(output=None, message="A person confirmed that it happened.", details={"inDoubt": True})
    raise type(error)(doubt) from error
