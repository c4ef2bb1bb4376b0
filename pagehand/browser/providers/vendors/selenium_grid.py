"""Selenium Grid: a WebDriver session whose capabilities name the address of its debugging protocol."""

import base64
from typing import Any
from urllib.parse import urlsplit

from pagehand.browser.providers.remote import Rented
from pagehand.browser.providers.vendors.calls import VendorApi
from pagehand.errors import Unavailable


class SeleniumGrid:
    """Sessions carry this installation's name, so that those left behind are found again."""

    def __init__(self, url: str, key: str, owner: str) -> None:
        """`url` is the hub's; `key` is `user:password` where the grid asks for one."""
        parts = urlsplit(url)
        self._headers = _credential(key)
        self._api = VendorApi("Selenium Grid", f"{parts.scheme}://{parts.netloc}{parts.path}", self._headers)
        self._name = f"pagehand {owner}"

    async def rent(self) -> Rented:
        """A new session with Chrome."""
        wanted = {
            "browserName": "chrome",
            "se:name": self._name,
            "goog:chromeOptions": {"args": ["--headless=new"]},
        }
        made: dict[str, Any] = await self._api.call(
            "POST", "/session", {"capabilities": {"alwaysMatch": wanted}}
        )
        value: dict[str, Any] = made["value"]
        address = value["capabilities"].get("se:cdp")
        if not address:
            await self.end(value["sessionId"])
            raise Unavailable(
                "The grid's session has no `se:cdp`: start its nodes with the debugging protocol on."
            )
        return Rented(value["sessionId"], address, self._headers)

    async def end(self, vendor_id: str) -> None:
        """Quit the session and its browser."""
        await self._api.delete("DELETE", f"/session/{vendor_id}")

    async def left_behind(self) -> list[str]:
        """Sessions with our name on any node."""
        status: dict[str, Any] = await self._api.call("GET", "/status")
        slots: list[dict[str, Any]] = [slot for node in status["value"]["nodes"] for slot in node["slots"]]
        sessions = [slot["session"] for slot in slots if slot.get("session")]
        return [
            session["sessionId"]
            for session in sessions
            if session["capabilities"].get("se:name") == self._name
        ]

    async def close(self) -> None:
        """Let go of connections."""
        await self._api.close()


def _credential(key: str) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(key.encode()).decode()}"} if key else {}
