"""Finding what a block means on a page that has changed, and never taking another thing for it."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import pytest

from pagehand.blocks.run_context import RunContext
from pagehand.browser_session import FoundElement, HealingFacts, HealingResult, Purpose
from pagehand.clock import now_ms
from pagehand.engine.repair import healing as module
from pagehand.engine.repair.element_memory import ElementMemory
from pagehand.engine.repair.healing import Healing
from pagehand.engine.reporting.events import EventLog
from pagehand.errors import NotPresent
from pagehand.records import Event, Execution, Fingerprint, Json, Memory, ProposedOperation
from pagehand.secrets.redactor import Redactor
from pagehand.testing import Harness
from pagehand.workflow.locator import Locator
from pagehand.workflow.tree import Envelope
from support.attempts import ScriptedRunModel
from support.database import whole

pytestmark = pytest.mark.anyio
SAVE, STORE = Locator(css="#save"), Locator(css="#store")
LIKE_SAVE = Fingerprint(name="Save")


def css(locator: Locator) -> str:
    return locator.css or locator.xpath or str(locator)


class Page:
    """A page as healing sees it: which element each selector finds, and what was found by likeness."""

    def __init__(self, **elements: str) -> None:
        self.elements: dict[str, str] = {f"#{name}": element for name, element in elements.items()}
        self.hidden: set[str] = set()
        self.alike: Mapping[str, Locator] = {}
        """By the remembered name, the locator of what is the same element by all appearances."""
        self.is_healing_refused = False
        self.looked_for: list[str] = []
        self.healed: list[bool] = []
        self.searches: list[tuple[bool, bool]] = []
        """Of each search, whether it was repeated, and whether the block's clock stood still."""
        self.looks: list[bool] = []
        """Of each fingerprint taken, whether the block's clock stood still."""
        self.is_clock_stopped = False
        self.is_slow = False
        """Whether no search after the first comes to an end."""
        self.was_cut_off = False
        """Whether such a search was ended from outside."""

    async def find(self, wanted: Locator, purpose: Purpose, *, timeout_seconds: float) -> FoundElement:
        del purpose
        self.looked_for.append(css(wanted))
        if css(wanted) not in self.elements or css(wanted) in self.hidden:
            await asyncio.sleep(timeout_seconds)
            raise NotPresent(f"No element matches {wanted}.")
        return self._found(css(wanted))

    def _found(self, selector: str) -> FoundElement:
        return FoundElement(element=cast("Any", self.elements[selector]), matches=1, how="exact")

    async def find_all(self, wanted: Locator) -> list[Any]:
        return [self.elements[css(wanted)]] if css(wanted) in self.elements else []

    @property
    def healing(self) -> "Page":
        return self

    async def take_fingerprint(self, element: str) -> Fingerprint | None:
        self.looks.append(self.is_clock_stopped)
        return Fingerprint(name=element)

    async def is_different_element(self, element: str, fingerprint: Fingerprint) -> bool:
        return element != fingerprint.name

    async def heal(self, fingerprint: Fingerprint, *, is_commit: bool, is_repeated: bool) -> HealingResult:
        self.healed.append(is_commit)
        self.searches.append((is_repeated, self.is_clock_stopped))
        if self.is_slow and is_repeated:
            try:
                await asyncio.Event().wait()
            finally:
                self.was_cut_off = True
        locator = self.alike.get(fingerprint.name)
        if locator is None:
            return HealingResult(None, None, reason="two elements are alike", facts=HealingFacts(p1=0.4))
        return HealingResult(self._found(css(locator)), locator, reason="", facts=HealingFacts(p1=0.9))

    async def describe(self) -> str:
        return "a page"

    async def find_by_reference(self, reference: str) -> tuple[FoundElement, Locator]:
        return self._found(reference), Locator(css=reference)


class FakeBlock:
    """A block at work on the page, with little time."""

    def __init__(
        self, page: Page, model: ScriptedRunModel | None = None, *, commits: bool = False, **block: Any
    ) -> None:
        self.page, self._model, self.commits = page, model, commits
        given: Json = {"locator": {"css": "#save"}, "is_cacheable": True, **block}
        self.envelope = Envelope(
            id="b1", type="Mouse", name="Save it", block_reference_id="save", data={}, **given
        )
        self.notes: Json = {}
        self.actions_allowed = 0
        self._end = asyncio.get_running_loop().time() + 0.3

    @property
    def remaining_seconds(self) -> float:
        return max(0.05, self._end - asyncio.get_running_loop().time())

    @property
    def has_model(self) -> bool:
        return self._model is not None

    @property
    def model(self) -> Any:
        return self._model

    def allow_action(self) -> None:
        self.actions_allowed += 1

    @contextmanager
    def stopped_clock(self) -> Generator[None]:
        self.page.is_clock_stopped = True
        yield
        self.page.is_clock_stopped = False


class BlockOfOneSearchMore(FakeBlock):
    """Has time until a search was cut off, however slow the machine is."""

    @property
    def remaining_seconds(self) -> float:
        return 0.05 if self.page.was_cut_off else 0.3


class Runs:
    """Runs of one workflow, one after the other, over one store."""

    def __init__(self, harness: Harness, execution: Execution) -> None:
        self.harness, self.execution = harness, execution
        self.event_logs: list[EventLog] = []
        self.begin()

    def begin(self) -> None:
        """The next run."""
        redactor = Redactor()
        self.memory = ElementMemory(self.execution, self.harness.stores.memories, redactor)
        self.event_log = EventLog(self.harness.stores.events, self.execution.id, redactor, 0)
        self.event_logs.append(self.event_log)
        self.proposals: list[ProposedOperation] = []
        self.healing = Healing(self.memory, self.harness.settings, self.event_log, self.proposals)

    async def find(self, work: FakeBlock, wanted: Locator = SAVE, purpose: Purpose = "act") -> FoundElement:
        return await self.healing.find(cast("RunContext", work), wanted, purpose)

    async def succeed(self, work: FakeBlock, wanted: Locator = SAVE) -> FoundElement:
        """A block that finds its element and does its work; then the next run begins."""
        found = await self.find(work, wanted)
        self.healing.succeeded(work.envelope)
        await self.healing.save()
        return found

    async def events(self) -> list[Event]:
        await self.event_log.close()
        found, _ = await whole(
            self.harness.stores.events.list(self.harness.organization_id, self.execution.id, 99, 0)
        )
        return found

    async def known(self) -> list[Memory]:
        return await self.harness.stores.memories.of_workflow(
            self.harness.organization_id, self.execution.workflow_id
        )


@pytest.fixture
async def runs(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Runs]:
    harness.settings.heal_after_seconds = 0.05
    monkeypatch.setattr(module, "_FIRST_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(module, "_LOOK_AGAIN_SECONDS", 0.05)
    monkeypatch.setattr(module, "_HEALING_SECONDS", 0.1)
    workflow = await harness.add_workflow({"type": "Wait", "data": {"durationMs": 1}})
    runs = Runs(harness, await harness.accept(workflow))
    yield runs
    for event_log in runs.event_logs:
        await event_log.close()


@pytest.fixture
async def found_before(runs: Runs) -> None:
    """The block has found `Save` in an earlier run."""
    await runs.succeed(FakeBlock(Page(save="Save")))
    runs.begin()


def moved() -> Page:
    """The page on which `Save` has another id."""
    page = Page(store="Save")
    page.alike = {"Save": STORE}
    return page


@pytest.mark.usefixtures("found_before")
async def test_an_element_that_moved_is_found_by_what_it_was_like_and_proposed(runs: Runs) -> None:
    page = moved()
    work = FakeBlock(page)
    assert (await runs.succeed(work)).element == "Save"
    assert work.notes["healing"]["new"] == {"css": "#store"}
    assert work.actions_allowed == 1
    [patch] = runs.proposals
    assert patch == ProposedOperation(type="update", block_id="b1", block={"locator": {"css": "#store"}})
    [event] = [event for event in await runs.events() if event.type == "locator.healed"]
    assert (event.data["old"], event.data["p1"]) == ({"css": "#save"}, 0.9)


@pytest.mark.usefixtures("found_before")
async def test_the_next_run_finds_it_by_the_new_locator_without_the_model(runs: Runs) -> None:
    page = moved()
    await runs.succeed(FakeBlock(page))
    runs.begin()
    page.healed.clear()
    assert (await runs.find(FakeBlock(page))).how == "cached"
    assert page.healed == []


@pytest.mark.usefixtures("found_before")
async def test_what_a_failed_block_took_for_its_element_is_not_kept(runs: Runs) -> None:
    page = moved()
    work = FakeBlock(page)
    await runs.find(work)
    runs.healing.failed(work.envelope)
    runs.healing.succeeded(work.envelope)
    await runs.memory.save()
    assert (runs.proposals, [item.healed_locator for item in await runs.known()]) == ([], [None])


@pytest.mark.usefixtures("found_before")
async def test_a_new_element_under_the_cached_locator_is_not_taken(runs: Runs) -> None:
    page = moved()
    await runs.succeed(FakeBlock(page))
    runs.begin()
    with pytest.raises(NotPresent, match="looked for by what it was like before: two elements are alike"):
        await runs.find(FakeBlock(Page(store="Delete everything")))


@pytest.mark.usefixtures("found_before")
async def test_only_the_first_search_is_whole_and_outside_of_the_blocks_time(runs: Runs) -> None:
    page = Page()
    with pytest.raises(NotPresent):
        await runs.find(FakeBlock(page))
    assert page.searches[0] == (False, True)
    assert set(page.searches[1:]) <= {(True, False)}  # a slow machine finds time for the first alone


async def test_learning_what_an_element_is_like_is_outside_of_the_blocks_time(runs: Runs) -> None:
    page = Page(save="Save")
    await runs.find(FakeBlock(page))
    assert page.looks == [True]


@pytest.mark.usefixtures("found_before")
async def test_a_search_that_is_repeated_ends_with_the_blocks_time_and_keeps_the_first_reason(
    runs: Runs,
) -> None:
    page = Page()
    page.is_slow = True
    with pytest.raises(NotPresent, match="two elements are alike"):
        await asyncio.wait_for(runs.find(BlockOfOneSearchMore(page)), 60)
    assert [is_repeated for is_repeated, _ in page.searches] == [False, True]


async def test_a_healed_locator_is_as_strict_as_the_one_it_replaces(runs: Runs) -> None:
    strict, given = Locator(css="#save", strict=True), {"css": "#save", "strict": True}
    await runs.succeed(FakeBlock(Page(save="Save"), locator=given), strict)
    runs.begin()
    work = FakeBlock(moved(), locator=given)
    await runs.succeed(work, strict)
    assert work.notes["healing"]["new"] == {"css": "#store", "strict": True}


@pytest.mark.usefixtures("found_before")
async def test_a_refusal_says_why_nothing_was_taken(runs: Runs) -> None:
    work = FakeBlock(Page(), commits=True)
    with pytest.raises(NotPresent, match="two elements are alike") as absent:
        await runs.find(work)
    assert "two elements are alike" in absent.value.diagnosis.found
    assert work.notes["healing"] == {"p1": 0.4, "refused": "two elements are alike"}
    assert set(work.page.healed) == {True}  # whoever heals knows that the effect must not happen twice


@pytest.mark.usefixtures("found_before")
async def test_an_element_that_is_there_but_hidden_is_waited_for(runs: Runs) -> None:
    page = Page(save="Save", store="Save")
    page.hidden, page.alike = {"#save"}, {"Save": STORE}
    with pytest.raises(NotPresent):
        await runs.find(FakeBlock(page))
    assert page.healed == []


@pytest.mark.usefixtures("found_before")
@pytest.mark.parametrize("given", ["skip", "setting"])
async def test_a_block_that_may_be_skipped_never_heals(runs: Runs, given: str) -> None:
    runs.harness.settings.heal = given != "setting"
    page = moved()
    with pytest.raises(NotPresent):
        await runs.find(FakeBlock(page, skip_if_not_present=given == "skip"))
    assert page.healed == []


THIRD = Locator(css="li:nth-child(3)")


async def replace_third(runs: Runs, written: Json, name: str) -> Page:
    """A page whose third item was found in one run and is another in the next."""
    page = Page()
    page.elements["li:nth-child(3)"] = "Save"
    await runs.succeed(FakeBlock(page, **written), THIRD)
    runs.begin()
    page.elements["li:nth-child(3)"] = name
    return page


async def test_a_place_that_another_element_took_is_not_the_element(runs: Runs) -> None:
    written: Json = {"locator": {"css": "li:nth-child(3)"}}
    page = await replace_third(runs, written, "Delete")
    with pytest.raises(NotPresent, match="another element than the one it found before"):
        await runs.find(FakeBlock(page, **written), THIRD)
    # a block that only reads the third item, or that is not cacheable, gets what is third now
    assert (await runs.find(FakeBlock(page, **written), THIRD, "see")).element == "Delete"
    assert (await runs.find(FakeBlock(page, is_cacheable=False, **written), THIRD)).element == "Delete"


async def test_a_template_that_counts_means_the_place(runs: Runs) -> None:
    written: Json = {"locator": {"css": "li:nth-child({{index}})"}}
    page = await replace_third(runs, written, "Next")
    assert (await runs.find(FakeBlock(page, **written), THIRD)).element == "Next"


async def test_a_model_points_at_what_no_run_has_seen_before(runs: Runs) -> None:
    model = ScriptedRunModel([{"ref": "#store"}])
    page = Page(store="Save")
    work = FakeBlock(page, model)
    assert (await runs.succeed(work)).how == "model"
    assert "find_element" in model.prompts[0][0]
    assert runs.proposals != []
    runs.begin()
    assert (await runs.find(FakeBlock(page, ScriptedRunModel()))).how == "cached"  # no second call


@pytest.mark.usefixtures("found_before")
@pytest.mark.parametrize(
    ("answer", "note"),
    [
        ({"ref": None}, "does not see it"),
        ({"ref": "#delete-all"}, "could do harm"),
    ],
)
async def test_an_answer_of_the_model_is_not_always_followed(runs: Runs, answer: Json, note: str) -> None:
    page = Page()
    page.elements["#delete-all"] = "Delete all"
    work = FakeBlock(page, ScriptedRunModel([answer]))
    with pytest.raises(NotPresent):
        await runs.find(work)
    assert note in work.notes["model"]["refused"]


async def test_no_model_is_asked_where_a_wrong_element_could_do_harm(runs: Runs) -> None:
    model = ScriptedRunModel()
    with pytest.raises(NotPresent):
        await runs.find(FakeBlock(Page(store="Save"), model, commits=True))
    page = Page(save="Save")
    page.hidden = {"#save"}
    with pytest.raises(NotPresent):
        await runs.find(FakeBlock(page, model))
    assert model.prompts == []


async def test_a_model_is_asked_once_for_an_element_that_was_known(runs: Runs) -> None:
    model = ScriptedRunModel([{"ref": None}])
    with pytest.raises(NotPresent):
        await runs.find(FakeBlock(Page(), model))
    assert len(model.prompts) == 1


@pytest.mark.usefixtures("found_before")
async def test_a_memory_that_is_a_week_old_is_refreshed(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    in_eight_days = now_ms() + 8 * 86_400_000
    monkeypatch.setattr(module, "now_ms", lambda: in_eight_days)
    await runs.succeed(FakeBlock(Page(save="Save now")))
    [kept] = await runs.known()
    whole = await runs.memory.with_fingerprints(kept)
    assert whole is not None
    assert whole.fingerprint == Fingerprint(name="Save now")


async def adopted(runs: Runs, page: Page, work: FakeBlock) -> None:
    """What the recovery agent does: run the block again with another locator, then adopt that."""
    await runs.find(work, STORE)
    await runs.healing.adopt(cast("RunContext", work), SAVE, STORE)
    runs.healing.succeeded(work.envelope)
    await runs.memory.save()
    assert page.looked_for[-1] == "#store"


@pytest.mark.usefixtures("found_before")
async def test_what_the_recovery_agent_found_is_found_again_though_it_is_called_otherwise(
    runs: Runs,
) -> None:
    page = Page(store="Keep my changes")
    await adopted(runs, page, FakeBlock(page))
    runs.begin()
    assert (await runs.find(FakeBlock(page, ScriptedRunModel()))).how == "cached"


async def test_what_is_not_cacheable_is_not_adopted(runs: Runs) -> None:
    page = Page(store="Keep my changes")
    work = FakeBlock(page, is_cacheable=False)
    await runs.healing.adopt(cast("RunContext", work), SAVE, STORE)
    await runs.memory.save()
    assert await runs.known() == []
