"""Requests that come at the same moment: limits hold, and the same login is made once."""

import asyncio
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from pagehand.errors import TooLarge
from pagehand.logins.login_fields import LoginFields
from pagehand.logins.stored import StoredLogins
from pagehand.records import FileInfo, Schedule, Webhook, Workflow
from pagehand.secrets.master_key import MasterKey
from pagehand.secrets.vault import Vault
from pagehand.storage import Database, Stores
from pagehand.storage.accepting import AcceptLimits

pytestmark = pytest.mark.anyio

AT_ONCE = 20
MOST = 3
SCHEDULE = Schedule(
    id="", organization_id="org_a", workflow_id="wf_1", cron="0 9 * * *", time_zone="UTC", params={}
)
FILE = FileInfo(
    id="file_1",
    organization_id="org_a",
    execution_id=None,
    name="a.txt",
    mime_type="text/plain",
    size_bytes=1_000_000,
    key="org_a/uploads/file_1",
    created_at=1,
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


@pytest.mark.parametrize("item", [SCHEDULE, WEBHOOK], ids=["schedules", "webhooks"])
async def test_no_more_are_kept_than_an_organization_may_have(stores: Stores, item: Any) -> None:
    workflow = Workflow(id="wf_1", organization_id="org_a", name="Invoices", version=1, blocks=[])
    await stores.workflows.add(workflow, [])
    store: Any = stores.schedules if isinstance(item, Schedule) else stores.webhooks
    added = [store.add(replace(item, id=f"one_{number}"), MOST) for number in range(AT_ONCE)]
    kept = await asyncio.gather(*added)
    assert sorted(kept) == [False] * (AT_ONCE - MOST) + [True] * MOST
    assert await store.add(replace(item, id="one_of_another", organization_id="org_b"), MOST)


def limited(database: Database, most: int) -> Stores:
    return Stores(database, AcceptLimits(stored_bytes=most))


async def test_files_at_once_stay_within_what_an_organization_may_keep(database: Database) -> None:
    stores = limited(database, MOST * FILE.size_bytes)
    added = [stores.files.add(replace(FILE, id=f"file_{number}")) for number in range(AT_ONCE)]
    refused = [
        outcome for outcome in await asyncio.gather(*added, return_exceptions=True) if outcome is not None
    ]
    assert len(refused) == AT_ONCE - MOST
    assert all(isinstance(error, TooLarge) for error in refused)
    assert await stores.files.total_bytes("org_a") == MOST * FILE.size_bytes
    await stores.files.add(replace(FILE, id="file_other", organization_id="org_b"))


async def test_file_that_is_added_again_after_a_lost_answer_counts_once(database: Database) -> None:
    stores = limited(database, FILE.size_bytes)
    await stores.files.add(FILE)
    await stores.files.add(FILE)
    with pytest.raises(TooLarge, match="`PAGEHAND_MAX_STORED_BYTES`"):
        await stores.files.check_room("org_a", 1)
    await stores.files.check_room("org_a", 0)
    await stores.files.check_room("org_b", FILE.size_bytes)


async def test_without_a_limit_anything_fits(stores: Stores) -> None:
    await stores.files.add(replace(FILE, size_bytes=10**15))
    await stores.files.check_room("org_a", 10**15)


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
