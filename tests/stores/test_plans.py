"""How blocks did things: kept per workflow, block, kind and page, apart between organizations."""

from dataclasses import replace

import pytest

from pagehand.records import CachedPlan
from pagehand.storage import Stores

pytestmark = pytest.mark.anyio

ONE = CachedPlan(
    organization_id="org_a",
    workflow_id="wf_1",
    block_id="block_1",
    kind="extraction",
    key="k1",
    written="w1",
    version=3,
    page="https://a.example/claims/*",
    made_by="model",
    kept_at=5,
    plan={"rows": ".r", "fields": {"name": {"css": ".a"}}},
)


async def test_plans_come_back_whole_newest_first(stores: Stores) -> None:
    newer = replace(ONE, kind="steps", kept_at=9, plan=[{"type": "Wait"}])
    await stores.plans.save([ONE, newer])
    assert await stores.plans.of_workflow("org_a", "wf_1") == [newer, ONE]


async def test_what_was_written_last_stays_and_dropped_ones_go(stores: Stores) -> None:
    other = replace(ONE, key="k2", kept_at=4)
    await stores.plans.save([ONE, other])
    newer = replace(ONE, plan={"rows": "tr"}, kept_at=6)
    await stores.plans.save([newer], [other])
    assert await stores.plans.of_workflow("org_a", "wf_1") == [newer]


async def test_organizations_do_not_touch_each_others_plans(stores: Stores) -> None:
    await stores.plans.save([ONE])
    await stores.plans.save([replace(ONE, organization_id="org_b", plan={"rows": "stolen"})])
    assert await stores.plans.of_workflow("org_b", "wf_1") == []
    assert await stores.plans.clear("org_b", "wf_1", None) == 0
    assert await stores.plans.of_workflow("org_a", "wf_1") == [ONE]


async def test_clearing_forgets_a_block_or_all(stores: Stores) -> None:
    other = replace(ONE, block_id="block_2")
    await stores.plans.save([ONE, other])
    assert await stores.plans.clear("org_a", "wf_1", "block_1") == 1
    assert await stores.plans.of_workflow("org_a", "wf_1") == [other]
    assert await stores.plans.clear("org_a", "wf_1", None) == 1
