"""Sessions in the console: they end with their key, at sign-out, in time, and when too many follow."""

import asyncio

import pytest

from pagehand.api.console_cookie import new_session
from pagehand.api.keys import new_key
from pagehand.clock import now_ms
from pagehand.records import ApiKey, ConsoleSession
from pagehand.storage import Stores
from pagehand.storage.organizations import MOST_PER_KEY

pytestmark = pytest.mark.anyio


async def add_key(stores: Stores, organization: str = "one") -> ApiKey:
    key, _ = new_key((await stores.organizations.ensure(organization)).id)
    await stores.keys.add(key)
    return key


async def sign_in(stores: Stores, key: ApiKey) -> ConsoleSession:
    session = new_session(key)
    await stores.console_sessions.add(session)
    return session


async def is_open(stores: Stores, session: ConsoleSession) -> bool:
    return await stores.console_sessions.find_key(session.id) is not None


async def test_session_leads_to_its_key_until_it_is_ended(stores: Stores) -> None:
    key = await add_key(stores)
    ended, other = await sign_in(stores, key), await sign_in(stores, key)
    await stores.console_sessions.end(ended.id)
    assert not await is_open(stores, ended)
    assert await stores.console_sessions.find_key(other.id) == key


async def test_revoked_key_takes_its_sessions_along_and_no_others(stores: Stores) -> None:
    key, other = await add_key(stores), await add_key(stores, "two")
    sessions = [await sign_in(stores, key), await sign_in(stores, other)]
    assert not await stores.keys.revoke(key.organization_id, other.id, now_ms())
    assert await stores.keys.revoke(key.organization_id, key.id, now_ms())
    assert [await is_open(stores, session) for session in sessions] == [False, True]


async def test_expired_session_is_over_and_removed_at_the_next_sign_in(stores: Stores) -> None:
    key = await add_key(stores)
    old = ConsoleSession(id="session_old", key_id=key.id, created_at=1, expires_at=2)
    await stores.console_sessions.add(old)
    assert not await is_open(stores, old)
    await sign_in(stores, key)
    await stores.console_sessions.add(old)  # its row is gone, so that there is room for it


async def test_key_has_a_limited_number_of_sessions_also_when_they_begin_at_once(stores: Stores) -> None:
    key = await add_key(stores)
    sessions = await asyncio.gather(*(sign_in(stores, key) for _ in range(MOST_PER_KEY + 20)))
    assert sum([await is_open(stores, session) for session in sessions]) == MOST_PER_KEY
