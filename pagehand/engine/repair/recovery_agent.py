"""The recovery agent: helps a failed block to do what it was meant to do, and never edits the workflow.

Without a model it closes overlays. With one it sees the page, the block and the error, may remove what is in
the way, and may find the element elsewhere; edits that would mend the workflow are proposed to people.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from msgspec import to_builtins

from pagehand.blocks.outcome import Outcome
from pagehand.blocks.page.controls.agent_tools import PageAgentTools, own_hosts
from pagehand.blocks.run_context import RunContext
from pagehand.browser import NAMED_ELEMENT, RiskyElement, named_element
from pagehand.engine.repair.element_memory import locator_patch
from pagehand.engine.reporting.events import EventLog
from pagehand.errors import BlockFailed, NotPresent
from pagehand.records import Json, ProposedOperation
from pagehand.workflow.locator import Locator
from pagehand.workflow.tree import Envelope

_MAX_STEPS: Final = 8
_SHOWN_HISTORY: Final = 15
Redo = Callable[[Locator | None], Awaitable[Outcome]]
"""Runs the block again, with another locator if one is given."""
CloseOverlay = Callable[[Envelope], Awaitable[bool]]
"""Closes an overlay of the page; False when there was none."""


class RecoveryAgent:
    """Helps the failed blocks of one run, and collects what it would change in the workflow."""

    def __init__(self, events: EventLog, proposals: list[ProposedOperation]) -> None:
        """Edits of the workflow that would make the help unnecessary are added to `proposals`."""
        self._events = events
        self._proposals = proposals

    async def help(
        self,
        context: RunContext,
        error: BlockFailed,
        history: Sequence[str],
        close_overlay: CloseOverlay,
        redo: Redo,
        *,
        may_redo: Callable[[], bool],
    ) -> Outcome:
        """The outcome of the block after help; raises its error when nothing helps.

        `may_redo` is false once the latest try had an effect: that must not happen twice.
        """
        envelope = context.envelope
        self._events.add("recovery.started", f"{envelope.name} failed: {error.message}", envelope)
        if await close_overlay(envelope):
            try:
                return self._succeeded(envelope, await redo(None), "after closing what covered it")
            # closing did not help, but the newer error describes the page as it is now
            except BlockFailed as newer:
                error = newer
        if not context.has_model or not may_redo():
            raise error
        moved = await self._ask(context, error, history)
        if moved is None:
            return self._succeeded(envelope, await redo(None), "after clearing the way")
        outcome = await redo(moved)
        await context.adopt(moved)
        await self._propose(context, moved)
        return self._succeeded(envelope, outcome, f"with {moved}")

    async def _ask(self, context: RunContext, error: BlockFailed, history: Sequence[str]) -> Locator | None:
        """Let the model remove what is in the way; the element's new locator if it has moved."""
        session, model = context.page, context.model
        tools = PageAgentTools(context, for_recovery=True, commits="refuse")
        instructions = model.prompt(
            "recover",
            block=_described(context),
            error=error.message,
            history="\n".join(history[-_SHOWN_HISTORY:]) or "Nothing.",
        )
        # the page may attack the model, so its steps reach no other site
        session.limit_domains(await own_hosts(session))
        try:
            achieved = await model.run_agent(instructions, tools, most_steps=_MAX_STEPS, result=NAMED_ELEMENT)
        except BlockFailed as gave_up:
            self._events.add("recovery.failed", gave_up.message, context.envelope)
            raise error from gave_up
        finally:
            session.limit_domains(None)
        # words are looked up at every run; a locator in their place would freeze one row
        may_move = context.locator is not None and not context.locator.words
        if not may_move or not isinstance(error, NotPresent):
            return None
        try:
            named = await named_element(session.find_by_reference, achieved.result, str(context.locator))
        except RiskyElement as risky:
            self._events.add("recovery.failed", f"{risky.message}; it is not taken", context.envelope)
            raise error from risky
        return named and named[1]

    async def _propose(self, context: RunContext, moved: Locator) -> None:
        """Propose the edit that would mend the workflow, for a person to apply."""
        envelope, old = context.envelope, context.locator
        patch = locator_patch(envelope, old, moved) if old is not None else None
        if patch is None:
            return
        self._proposals.append(patch)
        operation = to_builtins(patch)
        message = f"{envelope.name}: {old} is not there any more; {moved} does the same"
        self._events.add("recovery.proposed", message, envelope, {"operations": [operation]})
        await context.say(
            "assistant",
            f"{message}. To keep it call executions/applyProposal with the execution's id, or apply it "
            f"yourself with workflows/blocks/update: {json.dumps(operation)}",
        )

    def _succeeded(self, envelope: Envelope, outcome: Outcome, how: str) -> Outcome:
        self._events.add("recovery.succeeded", f"{envelope.name} succeeded {how}", envelope)
        return outcome


def _described(context: RunContext) -> str:
    envelope = context.envelope
    given: Json = {"name": envelope.name, "type": envelope.type, "data": envelope.data}
    if context.locator is not None:
        given["locator"] = str(context.locator)
    return json.dumps(given, ensure_ascii=False)
