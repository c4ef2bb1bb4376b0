"""What blocks keep for the next run: for pages that are alike, until the block is written anew."""

from collections.abc import Sequence
from typing import Any

import pytest

from pagehand.blocks import kinds
from pagehand.engine.run.cache import PlanCache, url_pattern, wording_digests
from pagehand.errors import Unavailable
from pagehand.records import CachedPlan, Execution
from pagehand.secrets.redactor import Redactor
from pagehand.storage import Stores
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow.tree import Envelope

pytestmark = pytest.mark.anyio
PAGE = "https://shop.example/orders/17"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://x.example/orders/17", "https://x.example/orders/*"),
        ("https://x.example/orders/17?page=2#top", "https://x.example/orders/*"),
        ("https://x.example/a/b", "https://x.example/a/b"),
        ("https://x.example/2026-11-17/report", "https://x.example/*/report"),
        ("https://x.example/deadbeefdeadbeef/x", "https://x.example/*/x"),
        ("https://x.example:8443/v2", "https://x.example:8443/*"),
        ("about:blank", "about://blank"),
        ("", "://"),
        ("https://x.example/ü/1", "https://x.example/ü/*"),
    ],
)
def test_pages_that_show_one_thing_of_many_are_alike(url: str, expected: str) -> None:
    assert url_pattern(url) == expected


def blocks(*durations: int) -> list[Envelope]:
    written: list[dict[str, Any]] = [
        {"id": f"block_{at}", "type": "Wait", "data": {"durationMs": each}}
        for at, each in enumerate(durations)
    ]
    return parse_blocks(written, kinds())


def test_an_edit_is_seen_by_the_block_and_those_after_it() -> None:
    before, after = wording_digests(blocks(1, 2, 3)), wording_digests(blocks(1, 5, 3))
    assert [before[name] == after[name] for name in before] == [True, False, False]


def cache(stores: Stores, *durations: int, secrets: Sequence[str] = (), **changes: Any) -> PlanCache:
    given: dict[str, Any] = {"workflow_version": 1, "params": {}, **changes}
    execution = Execution(
        id="exec_1",
        organization_id="org_1",
        workflow_id="wf_1",
        workflow_name="x",
        browser_session_id="bs_1",
        accepted_at=1,
        start_time=1,
        deadline_at=2,
        **given,
    )
    return PlanCache(execution, blocks(*durations), stores.plans, Redactor(secrets))


async def keep_plan(made: PlanCache, plan: Any = "by label", page: str = PAGE) -> None:
    made.keep("block_0", "find", page, plan, "model")
    made.succeeded(blocks(1)[0])
    await made.save()


async def test_the_next_run_finds_what_was_kept_on_a_page_that_is_alike(stores: Stores) -> None:
    await keep_plan(cache(stores, 1))
    later = cache(stores, 1)
    assert await later.recall("block_0", "find", "https://shop.example/orders/99?x=1") == "by label"
    assert await later.recall("block_0", "other kind", PAGE) is None
    assert await later.recall("block_0", "find", "https://shop.example/cart") is None
    assert await later.recall("block_1", "find", PAGE) is None


async def test_a_block_that_failed_keeps_nothing(stores: Stores) -> None:
    made = cache(stores, 1)
    made.keep("block_0", "find", PAGE, "wrong", "model")
    made.failed(blocks(1)[0])
    made.succeeded(blocks(1)[0])
    await made.save()
    assert await cache(stores, 1).recall("block_0", "find", PAGE) is None


@pytest.mark.parametrize("plan", ["type hunter2", {"a": ["hunter2"]}, {"hunter2": 1}])
async def test_a_plan_with_a_secret_is_not_kept(stores: Stores, plan: Any) -> None:
    await keep_plan(cache(stores, 1, secrets=["hunter2"]), plan)
    assert await cache(stores, 1).recall("block_0", "find", PAGE) is None


async def test_other_names_of_parameters_are_another_case(stores: Stores) -> None:
    await keep_plan(cache(stores, 1, params={"a": 1}))
    assert await cache(stores, 1, params={"a": 2}).recall("block_0", "find", PAGE) == "by label"
    assert await cache(stores, 1, params={"b": 1}).recall("block_0", "find", PAGE) is None


async def test_plans_for_other_wording_are_dropped(stores: Stores) -> None:
    await keep_plan(cache(stores, 1))
    edited = cache(stores, 2, workflow_version=2)
    assert await edited.recall("block_0", "find", PAGE) is None
    await edited.save()
    assert await cache(stores, 1).recall("block_0", "find", PAGE) is None


async def test_a_run_of_an_older_version_forgets_nothing_of_the_newer(stores: Stores) -> None:
    await keep_plan(cache(stores, 2, workflow_version=2))
    older = cache(stores, 1, workflow_version=1)
    assert await older.recall("block_0", "find", PAGE) is None
    await older.save()
    assert await cache(stores, 2, workflow_version=2).recall("block_0", "find", PAGE) == "by label"


async def test_what_no_longer_fits_is_dropped(stores: Stores) -> None:
    await keep_plan(cache(stores, 1))
    made = cache(stores, 1)
    await made.drop("block_0", "find", PAGE)
    assert await made.recall("block_0", "find", PAGE) is None
    await made.save()
    assert await cache(stores, 1).recall("block_0", "find", PAGE) is None


async def test_one_block_keeps_only_so_many(stores: Stores) -> None:
    made = cache(stores, 1)
    for number in range(60):
        made.keep("block_0", f"kind{number}", PAGE, number, "model")
    made.succeeded(blocks(1)[0])
    await made.save()
    later = cache(stores, 1)
    await later.recall("block_0", "find", PAGE)
    await later.save()
    assert len(await stores.plans.of_workflow("org_1", "wf_1")) == 50


async def test_a_database_that_is_away_costs_only_the_plans(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*given: Any) -> list[CachedPlan]:
        raise Unavailable(f"away: {len(given)}")

    monkeypatch.setattr(stores.plans, "of_workflow", away)
    monkeypatch.setattr(stores.plans, "save", away)
    made = cache(stores, 1)
    assert await made.recall("block_0", "find", PAGE) is None
    await keep_plan(made)


async def test_another_organization_has_its_own(stores: Stores) -> None:
    await keep_plan(cache(stores, 1))
    assert await stores.plans.of_workflow("org_2", "wf_1") == []
