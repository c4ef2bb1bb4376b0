"""What a block is given: elements, HTTP, a cache, and clear refusals of what is not there."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

import pytest
from msgspec.json import decode

from pagehand.blocks.run_context import RunContext
from pagehand.browser import BrowserSession
from pagehand.browser_session import BrowserRequest, FoundElement, Purpose
from pagehand.errors import BlockFailed, ModelNeeded, NotPresent, OurFault
from pagehand.ports import Http, HttpAnswer
from pagehand.records import Json
from pagehand.testing import BlankBrowser, Harness, ScriptedHttp
from pagehand.testing.fakes import NoProxies
from pagehand.workflow.locator import Locator
from support.attempts import DO, kinds_with, loop, new_attempt, reload_execution, value
from support.waiting import until

pytestmark = pytest.mark.anyio
SAVE = Locator(css="#save")


class FakePage(BlankBrowser):
    """A browser whose page has elements by selector; `on_find` is called before each look."""

    def __init__(self) -> None:
        super().__init__()
        self.elements = {"#save"}
        self.on_find: Callable[[], Awaitable[None]] | None = None
        self.looks: list[tuple[str, str]] = []
        self.scripts_run: list[tuple[str, Sequence[Any]]] = []

    async def find(
        self, wanted: Locator, purpose: Purpose, *, kind: str = "", timeout_seconds: float
    ) -> FoundElement:
        del purpose, timeout_seconds
        self.looks.append((wanted.css or wanted.words or "", kind))
        if self.on_find is not None:
            await self.on_find()
        if wanted.css is not None and wanted.css not in self.elements:
            raise NotPresent(f"No element matches {wanted}.")
        return FoundElement(element=cast("Any", wanted.css), matches=3, how="exact", is_one_of_several=True)

    @property
    def healing(self) -> "FakePage":
        return self

    @property
    def scripts(self) -> "FakePage":
        return self

    async def take_fingerprint(self, element: Any) -> None:
        del element

    async def run_in_blank_page(
        self, function: str, arguments: Sequence[Any], *, timeout_seconds: float
    ) -> Any:
        del timeout_seconds
        self.scripts_run.append((function, arguments))
        return [1, 2]


@pytest.fixture
async def page(harness: Harness) -> FakePage:
    paged = FakePage()

    async def opened(_: BrowserRequest) -> BrowserSession:
        return cast("BrowserSession", paged)

    harness.seams.open_browser = opened
    return paged


async def test_how_an_element_was_found_is_in_the_blocks_event(harness: Harness, page: FakePage) -> None:
    async def finds(context: RunContext) -> Any:
        return str((await context.find(locator=SAVE)).element)

    harness.seams.kinds = kinds_with(finds, page=True)
    result = await harness.run(DO)
    [event] = [event for event in result.events if event.type == "block.finished"]
    assert "`strict: true`" in event.data["found"].pop("warning")
    assert event.data["found"] == {"how": "exact", "matches": 3}
    assert "find" in event.data["phasesMs"]
    assert page.looks == [("#save", "")]


async def test_words_are_looked_up_on_the_page_each_time(harness: Harness, page: FakePage) -> None:
    async def finds(context: RunContext) -> None:
        await context.find(locator=Locator(words="the Save button"), kind="control")

    harness.seams.kinds = kinds_with(finds, page=True)
    await harness.run(loop("rows", {"times": 2}, DO))
    assert page.looks == [("the Save button", "control")] * 2
    workflow_id = (await harness.stores.executions.unfinished(after=0, limit=1))[0].id
    row = await harness.stores.executions.find_in_any_organization(workflow_id)
    assert row is not None
    assert await harness.stores.memories.of_workflow(row.organization_id, row.workflow_id) == []


async def test_without_a_locator_there_is_nothing_to_look_for(harness: Harness, page: FakePage) -> None:
    async def finds(context: RunContext) -> None:
        await context.find()

    harness.seams.kinds = kinds_with(finds, page=True)
    with pytest.raises(BlockFailed, match="has no locator"):
        await harness.run(DO)
    assert page.looks == []


@pytest.mark.parametrize("is_there", [True, False])
async def test_what_is_found_while_a_person_drives_is_looked_for_again(
    harness: Harness, page: FakePage, is_there: bool
) -> None:
    """What was there, or missing, may be different once the page is given back."""

    async def finds(context: RunContext) -> Any:
        return str((await context.find(locator=SAVE)).element)

    async def taken_over() -> None:
        page.on_find = None
        attempt.signals.drive()
        if not is_there:
            page.elements.clear()

    harness.seams.kinds = kinds_with(finds, page=True)
    execution = await harness.accept(await harness.add_workflow(DO))
    attempt = new_attempt(harness, execution)
    page.on_find = taken_over
    running = asyncio.create_task(attempt.perform(lambda _: None))
    await until(lambda: attempt.signals.first_pause)
    page.elements.add("#save")
    attempt.signals.stop_driving()
    await running
    assert decode((await reload_execution(harness, execution)).response or b"null") == {"do": "#save"}
    assert len(page.looks) == 2


async def test_a_kind_that_forgot_to_say_that_it_needs_a_page_is_our_fault(harness: Harness) -> None:
    async def uses_the_page(context: RunContext) -> Any:
        return context.page.page.url

    harness.seams.kinds = kinds_with(uses_the_page)
    with pytest.raises(OurFault, match="without saying that it needs one"):
        await harness.run(DO)


async def test_without_a_model_a_block_says_what_to_set(harness: Harness) -> None:
    async def asks(context: RunContext) -> Any:
        return await context.model.text("count", "a page")

    harness.seams.kinds = kinds_with(asks)
    with pytest.raises(ModelNeeded, match="PAGEHAND_MODEL"):
        await harness.run(DO)


class Proxied(NoProxies):
    """An organization with a proxy of its own."""

    through: ScriptedHttp

    async def is_set(self, organization_id: str, /) -> bool:
        del organization_id
        return True

    def http(self, organization_id: str, /) -> Http:
        del organization_id
        return self.through


@pytest.mark.parametrize("use_proxy", [True, False])
async def test_requests_go_by_the_way_that_the_execution_asked_for(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, use_proxy: bool
) -> None:
    url = "https://api.example/x"
    answer = HttpAnswer(status=200, url=url, headers=[], body=b"")
    direct, through = ScriptedHttp([answer]), ScriptedHttp([answer])
    monkeypatch.setattr(Proxied, "through", through, raising=False)
    monkeypatch.setattr("pagehand.testing.harness.NoProxies", Proxied)
    harness.seams.http = direct
    call = {"type": "API", "data": {"route": url}}
    execution = await harness.accept(await harness.add_workflow(call), use_proxy=use_proxy)
    await new_attempt(harness, execution).perform(lambda _: None)
    assert (len(direct.sent), len(through.sent)) == ((0, 1) if use_proxy else (1, 0))


@pytest.mark.parametrize(("is_cacheable", "kept"), [(True, {"steps": [1]}), (False, None)])
async def test_what_a_block_keeps_is_there_in_the_next_run_if_it_is_cacheable(
    harness: Harness, page: FakePage, is_cacheable: bool, kept: Json | None
) -> None:
    seen: list[Any] = []

    async def keeps(context: RunContext) -> None:
        seen.append(await context.cache.recall("steps"))
        context.cache.keep("steps", {"steps": [1]}, by_model=True)

    page.page.url = "https://shop.example/orders/17"
    harness.seams.kinds = kinds_with(keeps, page=True)
    workflow = await harness.add_workflow({**DO, "isCacheable": is_cacheable})
    for _ in range(2):
        await new_attempt(harness, await harness.accept(workflow)).perform(lambda _: None)
    assert seen == [None, kept]


async def test_what_no_longer_fits_is_dropped_from_the_cache(harness: Harness, page: FakePage) -> None:
    seen: list[Any] = []

    async def keeps_or_drops(context: RunContext) -> None:
        seen.append(await context.cache.recall("steps"))
        if seen[-1] is None:
            context.cache.keep("steps", {"steps": [1]}, by_model=False)
        else:
            await context.cache.drop("steps")

    page.page.url = "https://shop.example/orders/17"
    harness.seams.kinds = kinds_with(keeps_or_drops, page=True)
    workflow = await harness.add_workflow({**DO, "isCacheable": True})
    for _ in range(3):
        await new_attempt(harness, await harness.accept(workflow)).perform(lambda _: None)
    assert seen == [None, {"steps": [1]}, None]


async def test_a_transformer_in_javascript_runs_in_a_blank_page(harness: Harness, page: FakePage) -> None:
    block = value("a", 5, transformerFn="(output, context) => [1, 2]")
    assert (await harness.run(block, params={"n": 1})).outputs == {"a": [1, 2]}
    [(code, [output, names])] = page.scripts_run
    assert (code, output, names["params"]) == ("(output, context) => [1, 2]", 5, {"n": 1})
