"""Whom the live view lets in."""

import asyncio

import httpx2
import pytest
from playwright.async_api import Browser, Page, expect

from pagehand.files import UrlSigner
from pagehand.secrets.master_key import load_key_file
from support.blocks import navigate
from support.database import add_key
from support.service import Api, RunningService
from support.site import Site
from support.viewer import open_live_view, start_execution

pytestmark = pytest.mark.anyio


@pytest.mark.slow
async def test_a_link_to_watch_shows_and_does_not_drive(
    service: RunningService, api: Api, site: Site, browser: Browser
) -> None:
    reader = service.api(await asyncio.to_thread(add_key, service, "default", scopes=["read"]))
    execution = start_execution(api, site)
    url = reader.get(execution["id"])["liveViewUrl"]
    assert url != execution["liveViewUrl"]
    viewer = await (await open_live_view(browser, url)).ready()
    await expect(viewer.status).to_have_text("Watching")
    await expect(viewer.page.get_by_role("button", name="Take control")).to_be_hidden()
    assert "This link is to watch only" in await from_its_page(viewer.page, url)
    api.call("/executions/cancel", {"id": execution["id"]})
    await expect(viewer.curtain).to_contain_text("It has failed.")


async def from_its_page(page: Page, url: str) -> str:
    """What the service says to somebody who asks for control from the live view's own page."""
    return await page.evaluate(
        """(token) => new Promise((done) => {
          const heard = [];
          const socket = new WebSocket(`ws://${location.host}/live/socket`, ['pagehand.live', `t.${token}`]);
          socket.onopen = () => socket.send('{"type": "take"}');
          socket.onmessage = (event) => { if (typeof event.data === 'string') heard.push(event.data); };
          socket.onclose = (event) => done(`${heard.join()} closed ${event.code}`);
          setTimeout(() => socket.close(), 1500);
        })""",
        url.split("?t=")[1],
    )


@pytest.mark.slow
async def test_wrong_expired_and_foreign_links_are_refused(
    service: RunningService, api: Api, other: Api, site: Site, browser: Browser
) -> None:
    execution = start_execution(api, site)
    url: str = execution["liveViewUrl"]
    address, token = url.split("?t=")
    signer = UrlSigner(load_key_file(service.data_dir)[0].subkey("signed urls"), service.url, 900)
    organization = signer.open(token).organization_id
    foreign = other.start(other.create("w", navigate(f"{site.url}/"))["id"])
    refused = {
        "": 403,
        "nonsense": 403,
        token[:-2] + ("AA" if token[-2:] != "AA" else "BB"): 403,
        signer.token("live view", organization, execution["id"], mode="control", lifetime_seconds=0): 404,
        signer.token("file", organization, execution["id"]): 403,
        signer.token("live view", organization, foreign["id"], mode="control"): 404,
    }
    viewer = await (await open_live_view(browser, url)).ready()
    for wrong, status in refused.items():
        answer = httpx2.get(f"{address}?t={wrong}")
        assert (answer.status_code, list(answer.json())) == (status, ["error"]), wrong
        assert (
            httpx2.get(f"{service.url}/live/socket", headers=handshake(service, wrong)).status_code == status
        )
        assert "closed 1006" in await from_its_page(viewer.page, f"?t={wrong}")
    assert api.get(execution["id"])["status"] == "InProgress"
    api.call("/executions/cancel", {"id": execution["id"]})


def handshake(service: RunningService, token: str, **more: str) -> dict[str, str]:
    """What a browser sends to open a socket from our own page."""
    return {
        "connection": "Upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        "sec-websocket-protocol": f"pagehand.live, t.{token or 'none'}",
        "origin": service.url,
        **more,
    }


@pytest.mark.slow
async def test_pages_of_other_origins_cannot_open_the_socket(
    service: RunningService, api: Api, site: Site, browser: Browser
) -> None:
    execution = start_execution(api, site)
    token = execution["liveViewUrl"].split("?t=")[1]
    for origin in ("http://evil.example", site.url, "null", ""):
        headers = handshake(service, token, origin=origin)
        answer = httpx2.get(f"{service.url}/live/socket", headers=headers)
        assert (answer.status_code, list(answer.json())) == (403, ["error"]), origin
    page = await (await browser.new_context()).new_page()
    await page.goto(site.url)
    heard = await page.evaluate(
        """([url, token]) => new Promise((done) => {
          const socket = new WebSocket(url, ['pagehand.live', `t.${token}`]);
          socket.onopen = () => done('open');
          socket.onclose = (event) => done(`closed ${event.code}`);
        })""",
        [f"{service.url.replace('http', 'ws')}/live/socket", token],
    )
    assert heard == "closed 1006"
    elsewhere = httpx2.get(f"{service.url}/executions/get", headers=handshake(service, token))
    assert (elsewhere.status_code, list(elsewhere.json())) == (404, ["error"])
    api.call("/executions/cancel", {"id": execution["id"]})


@pytest.mark.slow
async def test_the_page_is_closed_to_frames_scripts_and_caches_of_others(api: Api, site: Site) -> None:
    execution = start_execution(api, site)
    headers = httpx2.get(execution["liveViewUrl"]).headers
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'self'" in policy
    api.call("/executions/cancel", {"id": execution["id"]})
