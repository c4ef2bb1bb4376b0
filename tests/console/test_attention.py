"""Attention: one card per thing that waits; an answer removes it everywhere at once."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.async_api import Page, expect

from support.blocks import click_at, navigate, wait
from support.console import Console
from support.portal import PASSWORD, RIGHT_CODE, PortalWithCode
from support.service import FINAL, Api, Json, RunningService
from support.site import Site
from support.webservice import Reply, WebService

pytestmark = pytest.mark.anyio

FIRST = "<!doctype html><title>Notes</title><h1>Note</h1><button id=save type=button>Keep note</button>"


@pytest.fixture(scope="module")
def service(bundle: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    del bundle
    folder = tmp_path_factory.mktemp("attention")
    running = RunningService(folder / "data", PAGEHAND_HEAL_AFTER_SECONDS="0.5").start()
    yield running
    running.stop()


def make_login(api: Api, portal: PortalWithCode, **more: Any) -> str:
    configuration = {"username": "ada", "password": PASSWORD, "twoFactorAuthConfiguration": {"method": "SMS"}}
    pages = {"authenticationUrl": f"{portal.url}/in", "homeUrl": f"{portal.url}/home"}
    fields: Json = {"name": "Claims portal", **pages, "loginConfiguration": configuration, **more}
    return api.call("/logins/create", fields)["login"]["id"]


def pay(partner: WebService) -> Json:
    partner.answers["/pay"] = Reply(drops=True)
    data = {"route": f"{partner.url}/pay", "method": "POST", "isCommit": True, "onDoubt": "pause"}
    return {"type": "API", "name": "Pay the bill", "data": data}


async def two_pages(console: Console) -> tuple[Page, Page]:
    return await console.open("/attention"), await console.open("/attention", width=390)


@pytest.mark.slow
async def test_a_code_is_sent_and_its_card_goes_everywhere(
    console: Console, api: Api, guarded: PortalWithCode
) -> None:
    execution = api.start(api.create("Signs in", wait(10))["id"], loginId=make_login(api, guarded))["id"]
    page, other = await two_pages(console)
    card = page.get_by_role("region", name="A code is needed")
    await expect(card).to_be_visible(timeout=60_000)
    await expect(page.get_by_role("navigation", name="Main").get_by_text("1", exact=True)).to_be_visible()
    await expect(other.get_by_role("region", name="A code is needed")).to_be_visible()
    await card.get_by_label("Code").fill("111111")
    await card.get_by_role("button", name="Send").click()
    await expect(card).to_contain_text("Invalid verification code", timeout=60_000)
    await card.get_by_label("Code").fill(RIGHT_CODE)
    await card.get_by_label("Code").press("Enter")
    await expect(card).to_have_count(0, timeout=60_000)
    await expect(other.get_by_role("region", name="A code is needed")).to_have_count(0)
    assert api.wait_for(execution, *FINAL)["status"] == "Completed"


@pytest.mark.slow
async def test_a_manual_sign_in_opens_the_live_view_in_place(
    console: Console, api: Api, guarded: PortalWithCode
) -> None:
    login = make_login(api, guarded, isManualAuthentication=True)
    execution = api.start(api.create("By hand", wait(10))["id"], loginId=login)["id"]
    page = await console.open("/attention", width=390)
    card = page.get_by_role("region", name="Sign in by hand")
    await expect(card).to_be_visible(timeout=60_000)
    await card.get_by_role("button", name="Open the live view").click()
    live = card.get_by_role("region", name="Live view")
    await live.get_by_role("button", name="Take control").click()
    await expect(live.get_by_role("button", name="Give back")).to_be_visible()
    await expect(live.get_by_text("Connecting")).to_have_count(0)
    await expect(card.get_by_text("by hand, in the live view")).to_have_count(1)
    await console.picture(page, "attention-live-390-light", full=True)
    await console.check(page)
    await console.assert_fits(page)
    api.call("/executions/cancel", {"id": execution})
    await expect(card).to_have_count(0)


@pytest.mark.slow
async def test_a_doubt_is_approved_or_declined(console: Console, api: Api, partner: WebService) -> None:
    flow = api.create("Pay", pay(partner))["id"]
    first, second = api.start(flow, name="First")["id"], api.start(flow, name="Second")["id"]
    page, other = await two_pages(console)
    cards = page.get_by_role("region", name="Approve this?")
    await expect(cards).to_have_count(2, timeout=30_000)
    await expect(cards.first).to_contain_text("Whether the effect happened is unknown")
    await cards.filter(has_text="First").get_by_role("button", name="Approve").click()
    await expect(cards).to_have_count(1)
    await cards.get_by_role("button", name="Decline").click()
    await page.get_by_role("dialog").get_by_role("button", name="End execution").click()
    await expect(cards).to_have_count(0)
    await expect(other.get_by_text("Nothing is waiting for you.")).to_be_visible()
    assert api.wait_for(first, *FINAL)["status"] == "Completed"
    assert api.wait_for(second, *FINAL)["status"] == "Failed"


@pytest.mark.slow
async def test_a_refused_login_is_released(console: Console, api: Api, guarded: PortalWithCode) -> None:
    configuration = {"username": "ada", "password": "wrong", "twoFactorAuthConfiguration": {"method": "SMS"}}
    login = make_login(api, guarded, loginConfiguration=configuration)
    page = await console.open("/attention")
    api.call("/logins/test", {"id": login})
    card = page.get_by_role("region", name="A login keeps failing")
    await expect(card).to_contain_text("Claims portal", timeout=30_000)
    await card.get_by_role("button", name="Release").click()
    await expect(card).to_have_count(0)


def healed(api: Api, site: Site) -> str:
    """A run that found its button again on a page that has changed."""
    press = {**click_at("#save", timeoutMs=4000), "name": "Keep it"}
    workflow = api.create("Notes", navigate(site.page("/", FIRST)), press)["id"]
    api.call("/workflows/executeSync", {"workflowId": workflow})
    site.page("/", FIRST.replace("id=save", "id=x41"))
    done = api.call("/workflows/executeSync", {"workflowId": workflow})["execution"]
    assert done["metadata"]["proposedOperations"], done["errorAnalysis"]
    return done["id"]


@pytest.mark.slow
async def test_a_proposal_shows_the_same_diff_on_both_views_and_is_applied_once(
    console: Console, api: Api, site: Site
) -> None:
    execution = healed(api, site)
    page = await console.open("/attention")
    run = await console.open(f"/executions/{execution}")
    card = page.get_by_role("region", name="A change is proposed")
    diff = card.get_by_role("list", name="Changes")
    await expect(diff).to_contain_text("#save")
    await expect(diff).to_contain_text("Keep note")
    offered = run.get_by_role("region", name="A change to the workflow is proposed")
    await expect(offered.get_by_role("list", name="Changes")).to_have_text((await diff.text_content()) or "")
    await console.picture(run, "execution-healed-1280-light", full=True)
    await card.get_by_role("button", name="Apply").click()
    await expect(card).to_have_count(0)
    await expect(offered).to_contain_text("Applied as version 2")
    await expect(offered.get_by_role("button", name="Apply")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
async def test_it_fits_and_reads_well(
    console: Console, api: Api, partner: WebService, site: Site, width: int, theme: Any
) -> None:
    proposing = healed(api, site)
    execution = api.start(api.create("Pay", pay(partner))["id"], name="Bill 4711")["id"]
    page = await console.open("/attention", width=width, theme=theme)
    await expect(page.get_by_role("region", name="Approve this?")).to_be_visible(timeout=30_000)
    await expect(page.get_by_role("button", name="Apply")).to_be_visible()
    await console.picture(page, f"attention-{width}-{theme}", full=True)
    await console.check(page)
    await console.assert_fits(page)
    api.call("/executions/cancel", {"id": execution})
    api.call("/executions/declineProposal", {"id": proposing})
