"""Creates docs/pictures/live-view.png: the live view on a computer and on a phone.

The service must be running with its demo; the arguments are their URLs:

python scripts/picture_of_live_view.py http://127.0.0.1:8700 http://127.0.0.1:8701
"""

import asyncio
import base64
import sys
import time
from pathlib import Path
from typing import Any

import httpx2
from playwright.async_api import Browser, Page

from pagehand.browser import LaunchOptions, LocalProvider
from pagehand.settings import Settings

_TARGET = Path(__file__).parent.parent / "docs" / "pictures" / "live-view.png"
_START_SECONDS = 60
_STYLE = """
body { margin: 0; background: #f4f5f7; width: 1240px }
main { position: relative; padding: 28px 190px 28px 28px }
img { display: block; border: 1px solid #c8ced8; border-radius: 10px;
  box-shadow: 0 10px 40px rgb(20 30 50 / .18) }
img.computer { width: 1020px }
img.phone { position: absolute; right: 28px; bottom: 28px; width: 270px; border-radius: 22px;
  border: 6px solid #1d2433 }
"""


def _start_execution(service: httpx2.Client, portal: str) -> dict[str, Any]:
    """A run that waits for a person to sign in to the demo portal by hand."""
    login = {"name": "Claims portal", "authenticationUrl": portal, "isManualAuthentication": True}
    made = service.post("/logins/create", json=login).json()["login"]
    blocks = [{"type": "Wait", "data": {"durationMs": 1000}}]
    workflow = service.post("/workflows/create", json={"name": "File a claim", "blocks": blocks})
    order = {"workflowId": workflow.json()["workflow"]["id"], "loginId": made["id"], "timeout": 120}
    execution = service.post("/workflows/execute", json=order).json()["execution"]
    end = time.monotonic() + _START_SECONDS
    while execution["status"] != "Paused" and time.monotonic() < end:
        time.sleep(0.2)
        execution = service.post("/executions/get", json={"id": execution["id"]}).json()["execution"]
    return execution


async def _open(browser: Browser, url: str, width: int, height: int, *, is_phone: bool) -> Page:
    context = await browser.new_context(
        viewport={"width": width, "height": height},
        has_touch=is_phone,
        is_mobile=is_phone,
        device_scale_factor=2,
    )
    page = await context.new_page()
    await page.goto(url)
    await page.get_by_role("button", name="Take control").wait_for()
    await page.locator(".live-curtain").wait_for(state="hidden")
    return page


async def _draw(url: str) -> None:
    provider = LocalProvider(Settings())
    browser = (await provider.launch(LaunchOptions())).browser
    computer = await _open(browser, url, 1280, 860, is_phone=False)
    phone = await _open(browser, url, 360, 640, is_phone=True)
    await phone.get_by_role("button", name="Take control").click()
    await phone.get_by_role("button", name="give back").wait_for()
    await phone.get_by_role("button", name="Zoom in").click()
    await asyncio.sleep(1)
    phone_shot = await phone.screenshot()
    await phone.get_by_role("button", name="give back").click()
    computer_shot = await computer.screenshot()
    page = await browser.new_page(viewport={"width": 1240, "height": 600})
    images = "".join(
        f"<img class={name} src='data:image/png;base64,{base64.b64encode(shot).decode()}'>"
        for name, shot in (("computer", computer_shot), ("phone", phone_shot))
    )
    await page.set_content(f"<!doctype html><style>{_STYLE}</style><main>{images}</main>")
    await page.screenshot(path=_TARGET, full_page=True)
    await provider.close()


def main() -> None:
    """Start an execution, take screenshots of its live view, and combine them."""
    with httpx2.Client(base_url=sys.argv[1], timeout=30) as service:
        execution = _start_execution(service, sys.argv[2])
        asyncio.run(_draw(execution["liveViewUrl"]))
        service.post("/executions/cancel", json={"id": execution["id"]})


if __name__ == "__main__":
    main()
