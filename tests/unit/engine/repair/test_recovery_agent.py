"""The recovery agent: within a failed block's intent, never past an effect, and it edits nothing."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.browser_session import FoundElement
from pagehand.engine.repair.recovery_agent import RecoveryAgent
from pagehand.engine.reporting.events import EventLog
from pagehand.errors import BlockFailed, NotPresent
from pagehand.records import Execution, ProposedOperation
from pagehand.secrets.redactor import Redactor
from pagehand.testing import Harness
from pagehand.workflow.locator import Locator
from pagehand.workflow.tree import Envelope
from support.attempts import ScriptedRunModel
from support.database import whole

pytestmark = pytest.mark.anyio
ABSENT = NotPresent("No element matches #save.")


class Page:
    """A page on which every reference leads somewhere."""

    def __init__(self) -> None:
        self.page = self
        self.url = "https://shop.example/cart"
        self.limits: list[Any] = []

    async def evaluate(self, script: str) -> list[str]:
        del script
        return ["cdn.example"]

    @asynccontextmanager
    async def guard(self, action: str) -> AsyncGenerator[None]:
        del action
        yield

    def limit_domains(self, hosts: Any) -> None:
        self.limits.append(hosts)

    async def find_by_reference(self, reference: str) -> tuple[FoundElement, Locator]:
        return cast("FoundElement", None), Locator(css=reference)


class FakeBlock:
    """A block that failed."""

    def __init__(self, model: ScriptedRunModel | None = None, locator: Locator | None = None) -> None:
        self.page, self._model = Page(), model
        self.locator = locator or Locator(css="#save")
        given = self.locator.model_dump(exclude_none=True)
        self.envelope = Envelope(
            id="b1", type="Mouse", name="Save it", block_reference_id="save", data={}, locator=given
        )
        self.adopted: list[Locator] = []
        self.messages: list[str] = []

    @property
    def has_model(self) -> bool:
        return self._model is not None

    @property
    def model(self) -> Any:
        return self._model

    async def adopt(self, moved: Locator) -> None:
        self.adopted.append(moved)

    async def say(self, role: str, text: str) -> None:
        self.messages.append(f"{role}: {text}")


class RecoveryCase:
    """One call for help: what closes, how often the block ran again, and with which locator."""

    def __init__(self, harness: Harness, execution: Execution) -> None:
        self.harness, self.execution = harness, execution
        self.event_log = EventLog(harness.stores.events, execution.id, Redactor(), 0)
        self.proposals: list[ProposedOperation] = []
        self.agent = RecoveryAgent(self.event_log, self.proposals)
        self.closes = False
        self.again: list[Locator | None] = []
        self.has_effect = False
        self.outcomes: list[Outcome | BlockFailed] = [Outcome(output="done")]

    async def help(self, work: FakeBlock, error: BlockFailed = ABSENT) -> Outcome:
        context = cast("RunContext", work)
        history = ["Open (Navigate): done"]
        return await self.agent.help(
            context, error, history, self._close, self._redo, may_redo=lambda: not self.has_effect
        )

    async def _close(self, parent: Envelope) -> bool:
        del parent
        return self.closes

    async def _redo(self, moved: Locator | None) -> Outcome:
        self.again.append(moved)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, BlockFailed):
            raise outcome
        return outcome

    async def events(self) -> list[str]:
        await self.event_log.close()
        events, _ = await whole(
            self.harness.stores.events.list(self.harness.organization_id, self.execution.id, 99, 0)
        )
        return [f"{event.type}: {event.message}" for event in events]


@pytest.fixture
async def case(harness: Harness) -> AsyncGenerator[RecoveryCase]:
    workflow = await harness.add_workflow({"type": "Wait", "data": {"durationMs": 1}})
    case = RecoveryCase(harness, await harness.accept(workflow))
    yield case
    await case.event_log.close()


async def test_without_a_model_it_closes_what_lies_over_the_page(case: RecoveryCase) -> None:
    case.closes = True
    assert (await case.help(FakeBlock())).output == "done"
    assert case.again == [None]
    assert (await case.events())[-1] == (
        "recovery.succeeded: Save it succeeded after closing what covered it"
    )


async def test_without_a_model_and_an_overlay_the_error_stands(case: RecoveryCase) -> None:
    with pytest.raises(NotPresent) as failed:
        await case.help(FakeBlock())
    assert failed.value is ABSENT
    assert case.again == []


async def test_a_block_that_fails_otherwise_after_the_overlay_is_gone_says_so(case: RecoveryCase) -> None:
    case.closes = True
    case.outcomes = [BlockFailed("The form was held back.")]
    with pytest.raises(BlockFailed, match="held back"):
        await case.help(FakeBlock())


async def test_a_model_that_clears_the_way_lets_the_block_run_as_it_is(case: RecoveryCase) -> None:
    model = ScriptedRunModel([{"ref": None}])
    work = FakeBlock(model)
    assert (await case.help(work)).output == "done"
    assert (case.again, work.adopted, case.proposals) == ([None], [], [])
    assert "No element matches #save." in model.prompts[0][0]
    assert "Open (Navigate): done" in model.prompts[0][0]


async def test_what_a_model_finds_is_used_adopted_and_proposed(case: RecoveryCase) -> None:
    work = FakeBlock(ScriptedRunModel([{"ref": "#store"}]))
    await case.help(work)
    assert (case.again, work.adopted) == ([Locator(css="#store")], [Locator(css="#store")])
    patch = ProposedOperation(type="update", block_id="b1", block={"locator": {"css": "#store"}})
    assert case.proposals == [patch]
    assert "executions/applyProposal" in work.messages[0]
    types = [line.partition(":")[0] for line in await case.events()]
    assert types == ["recovery.started", "recovery.proposed", "recovery.succeeded"]


async def test_a_block_that_fails_with_the_new_locator_proposes_nothing(case: RecoveryCase) -> None:
    case.outcomes = [BlockFailed("That was not it.")]
    work = FakeBlock(ScriptedRunModel([{"ref": "#store"}]))
    with pytest.raises(BlockFailed, match="That was not it"):
        await case.help(work)
    assert (work.adopted, case.proposals) == ([], [])


async def test_the_page_reaches_only_its_own_hosts_while_the_model_works(case: RecoveryCase) -> None:
    work = FakeBlock(ScriptedRunModel([BlockFailed("I cannot.")]))
    with pytest.raises(NotPresent) as failed:
        await case.help(work)
    assert failed.value is ABSENT  # the block's own error explains more than the model's
    hosts, after = work.page.limits
    assert (sorted(hosts), after) == (["cdn.example", "shop.example"], None)
    assert "recovery.failed: I cannot." in await case.events()


async def test_an_element_that_could_do_harm_is_not_taken(case: RecoveryCase) -> None:
    work = FakeBlock(ScriptedRunModel([{"ref": "#delete-account"}]))
    with pytest.raises(NotPresent):
        await case.help(work)
    assert case.again == []
    assert any("could do harm" in line for line in await case.events())


def _held_back() -> BlockFailed:
    return BlockFailed("The form was held back.")


@pytest.mark.parametrize(
    ("make_error", "locator"),
    [(_held_back, Locator(css="#save")), (lambda: ABSENT, Locator(words="the Save button"))],
    ids=["the element was there", "words are looked up anew each time"],
)
async def test_only_an_element_that_was_not_found_by_a_selector_moves(
    case: RecoveryCase, make_error: Callable[[], BlockFailed], locator: Locator
) -> None:
    work = FakeBlock(ScriptedRunModel([{"ref": "#store"}]), locator)
    await case.help(work, make_error())
    assert (case.again, work.adopted) == ([None], [])


async def test_a_block_that_had_an_effect_in_its_second_try_gets_no_third(case: RecoveryCase) -> None:
    model = ScriptedRunModel()
    case.closes, case.has_effect = True, True
    case.outcomes = [BlockFailed("It was sent, and then the page broke.")]
    with pytest.raises(BlockFailed, match="then the page broke"):
        await case.help(FakeBlock(model))
    assert (case.again, model.prompts) == ([None], [])
