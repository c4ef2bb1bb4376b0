"""What the session's key may not do is not offered, and refused by the service."""

import asyncio
from collections.abc import Iterator

import pytest
from playwright.async_api import Page, expect

from support.blocks import fail, wait
from support.console import Console
from support.database import add_key
from support.service import Api, Json, RunningService

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def service(bundle: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that demands keys."""
    del bundle
    running = RunningService(tmp_path_factory.mktemp("scopes") / "data", PAGEHAND_REQUIRE_KEY="1").start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def api(service: RunningService) -> Api:
    return service.api(add_key(service, "acme"))


@pytest.fixture(scope="module")
def failed(api: Api) -> Json:
    workflow = api.create("Fails", fail("It had to"))["id"]
    return api.call("/workflows/executeSync", {"workflowId": workflow})["execution"]


async def signed_in(console: Console, service: RunningService, scopes: list[str], path: str) -> Page:
    key = await asyncio.to_thread(add_key, service, "acme", scopes=scopes)
    return await with_key(console, key, path)


async def with_key(console: Console, key: str, path: str) -> Page:
    page = await console.open(path)
    await expect(page).to_have_url(f"{console.url}/sign-in?next={path.replace('/', '%2F')}")
    await page.get_by_label("API key").fill(key)
    await page.get_by_role("button", name="Sign in").click()
    await page.wait_for_url(f"{console.url}{path}")
    await console.settle(page)
    console.expect_error("status of 401")
    return page


async def test_whoever_may_only_read_is_offered_nothing_that_changes_anything(
    console: Console, service: RunningService, failed: Json
) -> None:
    page = await signed_in(console, service, ["read"], f"/executions/{failed['id']}")
    await expect(page.get_by_role("button", name="Download evidence")).to_be_visible()
    for name in ("Retry", "Run from here", "Cancel"):
        await expect(page.get_by_role("button", name=name)).to_have_count(0)
    await expect(page.get_by_role("link", name="Fix this block")).to_have_count(0)
    refused = await page.evaluate(
        """async (id) => (await fetch("/executions/retry", {method: "POST", body: JSON.stringify({id}),
            headers: {"Content-Type": "application/json"}})).status""",
        failed["id"],
    )
    assert refused == 403
    console.expect_error("status of 403")


async def test_whoever_may_run_is_offered_to_run_and_not_to_edit(
    console: Console, service: RunningService, failed: Json
) -> None:
    page = await signed_in(console, service, ["read", "run"], f"/executions/{failed['id']}")
    await expect(page.get_by_role("button", name="Retry")).to_be_visible()
    await expect(page.get_by_role("link", name="Fix this block")).to_have_count(0)


async def test_whoever_may_edit_is_offered_to_fix(
    console: Console, service: RunningService, failed: Json
) -> None:
    page = await signed_in(console, service, ["read", "run", "edit"], f"/executions/{failed['id']}")
    await expect(page.get_by_role("link", name="Fix this block")).to_be_visible()


async def test_a_reader_cannot_answer_what_waits(console: Console, service: RunningService, api: Api) -> None:
    execution = api.start(api.create("Naps", wait(60_000))["id"])["id"]
    api.wait_for(execution, "InProgress")
    api.call("/executions/pause", {"id": execution})
    api.wait_for(execution, "Paused")
    page = await signed_in(console, service, ["read"], "/attention")
    await expect(page.get_by_role("region", name="Paused on request")).to_be_visible()
    for name in ("Resume", "Cancel"):
        await expect(page.get_by_role("button", name=name)).to_have_count(0)
    api.call("/executions/cancel", {"id": execution})


async def test_no_key_is_kept_in_the_browser(console: Console, service: RunningService, failed: Json) -> None:
    key = await asyncio.to_thread(add_key, service, "acme", scopes=["read"])
    page = await with_key(console, key, f"/executions/{failed['id']}")
    kept = await page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert key not in kept
    assert "pagehand_session" not in kept


CHANGING = {
    "/workflows": ["Import", "New workflow", "Rename or move Fails", "Duplicate Fails", "Delete Fails"],
    "/logins": ["New login", "Change", "Test", "Delete Bank"],
    "/batches": ["New batch"],
    "/schedules": ["New schedule", "Run now", "Change", "Delete Fails"],
    "/webhooks": ["New webhook"],
    "/files": ["Upload"],
    "/knowledge": ["Add files", "Add text"],
    "/settings": ["New key", "Save"],
}


@pytest.fixture(scope="module")
def furnished(api: Api, failed: Json) -> None:
    """A login and a schedule to look at."""
    api.call(
        "/logins/create",
        {
            "name": "Bank",
            "authenticationUrl": "http://127.0.0.1:9/in",
            "loginConfiguration": {"username": "ada", "password": "not telling"},
        },
    )
    api.call("/schedules/create", {"workflowId": failed["workflow"]["id"], "cron": "0 3 * * *"})


@pytest.mark.slow
@pytest.mark.usefixtures("furnished")
async def test_whoever_may_only_read_is_offered_no_change_in_any_view(
    console: Console, service: RunningService
) -> None:
    page = await signed_in(console, service, ["read"], "/workflows")
    for address, names in CHANGING.items():
        await page.goto(console.url + address)
        await console.settle(page)
        await expect(page.get_by_role("button", name="Sign out")).to_be_visible()
        for name in names:
            await expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)


@pytest.mark.slow
@pytest.mark.usefixtures("furnished")
async def test_whoever_may_do_everything_is_offered_it_in_every_view(
    console: Console, service: RunningService
) -> None:
    page = await signed_in(console, service, ["read", "run", "edit", "admin"], "/workflows")
    for address, names in CHANGING.items():
        await page.goto(console.url + address)
        for name in names:
            await expect(page.get_by_role("button", name=name, exact=True).first).to_be_visible()


async def test_signing_out_ends_the_session(console: Console, service: RunningService) -> None:
    page = await signed_in(console, service, ["read"], "/workflows")
    await page.get_by_role("button", name="Sign out").click()
    await expect(page).to_have_url(f"{console.url}/sign-in")
    await page.goto(f"{console.url}/workflows")
    await expect(page.get_by_label("API key")).to_be_visible()
    console.expect_error("status of 401")
