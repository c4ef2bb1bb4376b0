"""What only a person can do at the live view: captchas and sign-ins by hand."""

import asyncio

import pytest
from playwright.async_api import Browser, expect

from support.blocks import navigate
from support.service import Api, Json
from support.site import Site
from support.viewer import open_live_view, wait_until_finished

pytestmark = pytest.mark.anyio


@pytest.mark.slow
async def test_a_captcha_waits_for_the_person(api: Api, site: Site, browser: Browser) -> None:
    captcha = """<title>Captcha</title><body style="margin: 0"><div class=g-recaptcha style="position:
      absolute; left: 100px; top: 100px; width: 300px; height: 80px; background: silver"
      onclick="document.querySelector('textarea').value = 'solved'">I am a person</div>
      <textarea name=g-recaptcha-response style="display: none"></textarea>"""
    workflow = api.create(
        "Captcha", navigate(site.page("/captcha", captcha)), {"type": "WaitForCaptchaSolve", "data": {}}
    )
    execution = api.start(workflow["id"])
    paused = await asyncio.to_thread(api.wait_for, execution["id"], "Paused")
    viewer = await (await open_live_view(browser, paused["liveViewUrl"])).ready()
    await expect(viewer.page.locator(".live .banner")).to_have_text("Solve the reCAPTCHA in the live view")
    await viewer.take()
    await viewer.click(200, 140)
    result = await wait_until_finished(api, execution)
    assert result["status"] == "Completed", result["errorAnalysis"]


HAND_IN = """<title>Sign in</title><style>
  body { margin: 0 } form > * { position: absolute; left: 100px; width: 300px; height: 40px }
</style>
<form action=/home><input name=user style="top: 100px"><input name=password type=password style="top: 200px">
<button style="top: 300px">Sign in</button></form>"""


def manual_login(api: Api, site: Site) -> Json:
    fields = {
        "name": "By hand",
        "authenticationUrl": site.page("/in", HAND_IN),
        "homeUrl": f"{site.url}/home",
    }
    return api.call("/logins/create", {**fields, "isManualAuthentication": True})["login"]


@pytest.mark.slow
async def test_a_manual_sign_in_waits_for_the_person(api: Api, site: Site, browser: Browser) -> None:
    site.page("/home", "<title>Home</title><h1>Welcome</h1><a href=/out>Sign out</a>")
    fields = {"title": {"locator": {"css": "h1"}}}
    workflow = api.create(
        "Manual", {"type": "Extract", "blockReferenceId": "e", "data": {"prompt": "t", "fields": fields}}
    )
    execution = api.start(workflow["id"], loginId=manual_login(api, site)["id"])
    paused = await asyncio.to_thread(api.wait_for, execution["id"], "Paused")
    [authentication] = paused["authentications"]
    assert authentication["status"] == "WaitingForUser"
    assert authentication["liveViewUrl"] == paused["liveViewUrl"]
    viewer = await (await open_live_view(browser, paused["liveViewUrl"])).ready()
    await expect(viewer.page.locator(".live .banner")).to_contain_text("Sign in with By hand by hand")
    await viewer.take()
    await viewer.click(200, 120)
    await viewer.page.keyboard.type("ada")
    await viewer.page.keyboard.press("Tab")
    await viewer.page.keyboard.type("pw")
    await viewer.page.keyboard.press("Enter")
    result = await wait_until_finished(api, execution)
    assert result["status"] == "Completed", result["errorAnalysis"]
    assert result["response"]["e"] == {"title": "Welcome"}
    assert [authentication["status"] for authentication in result["authentications"]] == ["Completed"]


@pytest.mark.slow
async def test_the_person_says_that_the_sign_in_is_done(api: Api, site: Site, browser: Browser) -> None:
    site.page("/home", "<title>Home</title><h1>No sign of it</h1>")
    fields: Json = {"name": "Odd", "authenticationUrl": site.page("/odd", "<h1>Odd</h1>")}
    login = api.call("/logins/create", {**fields, "isManualAuthentication": True})["login"]
    execution = api.start(api.create("Odd", navigate(f"{site.url}/home"))["id"], loginId=login["id"])
    paused = await asyncio.to_thread(api.wait_for, execution["id"], "Paused")
    viewer = await (await open_live_view(browser, paused["liveViewUrl"])).ready()
    await viewer.take()
    await asyncio.sleep(1)
    assert api.get(execution["id"])["status"] == "Paused"
    await viewer.page.get_by_role("button", name="Done, give back").click()
    assert (await wait_until_finished(api, execution))["status"] == "Completed"
