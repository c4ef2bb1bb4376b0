"""Logins: how each fares, the one a link leads to, and changes that never show a secret."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from support.console import Console
from support.service import FINAL, Api
from support.site import Site

pytestmark = pytest.mark.anyio

PASSWORD = "squeamish-ossifrage"
SEED = "JBSWY3DPEHPK3PXP"
FORM = (
    "<!doctype html><title>Sign in</title><form action=/home><input name=user aria-label='User name'>"
    "<input type=password name=pw aria-label=Password><button>Sign in</button></form>"
)
REFUSING = FORM.replace("/home", "/refusing").replace("<form", "<p role=alert>Wrong password</p><form")


def create(api: Api, name: str, url: str, **more: object) -> str:
    configuration = {"username": "ada@example.com", "password": PASSWORD, **more}
    fields = {"name": name, "authenticationUrl": url, "loginConfiguration": configuration}
    return api.call("/logins/create", fields)["login"]["id"]


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


@pytest.fixture
def portal(site: Site) -> str:
    site.page("/home", "<!doctype html><title>Home</title><h1>Welcome</h1><a href=/in>Sign out</a>")
    return site.page("/in", FORM)


@pytest.mark.slow
async def test_a_login_that_works_says_so_and_since_when(console: Console, api: Api, portal: str) -> None:
    create(api, "Claims portal", portal)
    page = await console.open("/logins")
    mine = card(page, "Claims portal")
    await expect(mine).to_contain_text("Not used yet")
    await expect(mine).to_contain_text("ada@example.com")
    await mine.get_by_role("button", name="Test", exact=True).click()
    await expect(page.get_by_text("Signed in.", exact=True)).to_be_visible(timeout=120_000)
    await expect(mine).to_contain_text("Works")
    await expect(mine).to_contain_text(re.compile(r"Last signed in\s*just now|seconds ago"))
    await console.check(page)
    await console.picture(page, "logins-used", full=True)
    assert PASSWORD not in await page.content()


@pytest.mark.slow
async def test_a_refused_login_is_held_back_with_the_reason_until_it_is_released(
    console: Console, api: Api, site: Site
) -> None:
    login = create(api, "Refused", site.page("/refusing", REFUSING))
    tested = api.call("/logins/test", {"id": login})["test"]
    api.wait_for(tested["executionId"], *FINAL, seconds=120)
    page = await console.open("/logins")
    mine = card(page, "Refused")
    await expect(mine).to_contain_text("On hold")
    await expect(mine).to_contain_text("Wrong password")
    await console.check(page)
    await console.picture(page, "logins-held-back", full=True)
    await mine.get_by_role("button", name="Release").click()
    await expect(mine.get_by_text("On hold")).to_have_count(0)

    # once it works again, the failure before is no longer news
    site.page("/refusing", "<!doctype html><title>Home</title><h1>Welcome</h1><a href=/in>Sign out</a>")
    await mine.get_by_role("button", name="Test", exact=True).click()
    await expect(mine).to_contain_text("Works", timeout=120_000)
    await expect(mine).not_to_contain_text("Wrong password")


async def test_a_second_factor_says_when_its_next_code_is_due(
    console: Console, api: Api, portal: str
) -> None:
    factor = {"method": "TOTP", "totpSecretKey": SEED}
    create(api, "With a code", portal, twoFactorAuthConfiguration=factor)
    page = await console.open("/logins")
    await expect(card(page, "With a code")).to_contain_text(re.compile(r"TOTP · next code in \d+ s"))
    assert SEED not in await page.content()


@pytest.mark.slow
async def test_a_link_leads_to_one_login_and_says_when_it_is_gone(
    console: Console, api: Api, portal: str
) -> None:
    wanted = create(api, "The one that is meant", portal)
    create(api, "A newer one", portal)
    page = await console.open(f"/logins?login={wanted}")
    cards = page.get_by_role("main").get_by_role("region")
    await expect(cards.first).to_have_accessible_name("The one that is meant")
    await expect(page.locator(".chosen")).to_be_focused()
    await console.check(page)
    api.call("/logins/delete", {"id": wanted})
    await expect(page.get_by_text("This login no longer exists.")).to_be_visible()
    await page.get_by_role("button", name="Show all").click()
    await expect(page).to_have_url(f"{console.url}/logins")


@pytest.mark.slow
async def test_a_change_keeps_the_secrets_that_were_not_typed(
    console: Console, api: Api, portal: str
) -> None:
    login = create(api, "To be changed", portal)
    page = await console.open("/logins", width=390)
    await card(page, "To be changed").get_by_role("button", name="Change", exact=True).click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_label("Name", exact=True)).to_have_value("To be changed")
    await expect(dialog.get_by_label("Password")).to_have_value("")
    await console.check(page)
    await console.assert_fits(page)
    await console.picture(page, "logins-change-390")
    await dialog.get_by_label("Name", exact=True).fill("Was changed")
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_have_count(0)
    await expect(card(page, "Was changed")).to_be_visible()
    tested = api.call("/logins/test", {"id": login})["test"]
    assert tested["success"], tested["message"]


@pytest.mark.slow
async def test_another_site_asks_for_the_password_again_beside_its_field(
    console: Console, api: Api, portal: str
) -> None:
    login = create(api, "To be moved", "https://old.example/in")
    page = await console.open("/logins")
    await card(page, "To be moved").get_by_role("button", name="Change", exact=True).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Sign-in page").fill(portal)
    await dialog.get_by_label("Home page").fill("")
    await expect(dialog.get_by_text("enter the secret again")).to_be_visible()
    await dialog.get_by_role("button", name="Save").click()
    password = dialog.get_by_label("Password")
    await expect(password).to_have_accessible_description(re.compile("goes only where it was entered for"))
    await console.check(page)
    console.expect_error("status of 400")
    assert api.call("/logins/get", {"id": login})["login"]["authenticationUrl"] == "https://old.example/in"
    await password.fill(PASSWORD)
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_have_count(0)
    assert api.call("/logins/get", {"id": login})["login"]["authenticationUrl"] == portal
