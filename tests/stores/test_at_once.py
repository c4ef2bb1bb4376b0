"""Requests that come at the same moment: limits hold, and the same login is made once."""

import asyncio
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from pagehand.logins.login_fields import LoginFields
from pagehand.logins.stored import StoredLogins
from pagehand.records import Schedule, Webhook, Workflow
from pagehand.secrets.master_key import MasterKey
from pagehand.secrets.vault import Vault
from pagehand.storage import Stores

pytestmark = pytest.mark.anyio

AT_ONCE = 8
MOST = 3
SCHEDULE = Schedule(
    id="", organization_id="org_a", workflow_id="wf_1", cron="0 9 * * *", time_zone="UTC", params={}
)
WEBHOOK = Webhook(
    id="",
    organization_id="org_a",
    url="https://hooks.example/x",
    events=["execution.completed"],
    name=None,
    is_active=True,
    secrets=b"sealed",
    created_at=1,
    updated_at=1,
)


@pytest.mark.parametrize("one", [SCHEDULE, WEBHOOK], ids=["schedules", "webhooks"])
async def test_no_more_are_kept_than_an_organization_may_have(stores: Stores, one: Any) -> None:
    workflow = Workflow(id="wf_1", organization_id="org_a", name="Invoices", version=1, blocks=[])
    await stores.workflows.add(workflow, [])
    store: Any = stores.schedules if isinstance(one, Schedule) else stores.webhooks
    added = [store.add(replace(one, id=f"one_{number}"), MOST) for number in range(AT_ONCE)]
    kept = await asyncio.gather(*added)
    assert sorted(kept) == [False] * (AT_ONCE - MOST) + [True] * MOST
    assert await store.add(replace(one, id="one_of_another", organization_id="org_b"), MOST)


async def test_a_login_that_several_bring_at_once_is_one_login(stores: Stores) -> None:
    logins = StoredLogins(stores.logins, Vault(MasterKey(bytes(32))))
    fields = {
        "name": "Bank",
        "authenticationUrl": "https://bank.example/in",
        "loginConfiguration": {"username": "ann"},
    }
    written = msgspec.convert(fields, LoginFields)
    upserted = await asyncio.gather(*(logins.upsert("org_a", written) for _ in range(AT_ONCE)))
    assert len({login.id for login in upserted}) == 1
    assert (await logins.list("org_a", search=None, limit=10, offset=0))[1] == 1
