"""Selenium Grid: a WebDriver session whose capabilities name the address of its debugging protocol."""

from typing import Any
from urllib.parse import urlsplit

from pagehand.browser.providers.remote import Rented
from pagehand.browser.providers.vendors.calls import VendorApi
from pagehand.errors import Unavailable


class SeleniumGrid:
    """A grid ends idle sessions by its own timeout, so those left behind are its to reap."""

    def __init__(self, url: str, key: str = "") -> None:
        """`url` is the hub's; `key` is `user:password` where the grid asks for one."""
        parts = urlsplit(url)
        self._api = VendorApi(
            "Selenium Grid", f"{parts.scheme}://{_credential(key)}{parts.netloc}{parts.path}"
        )

    async def rent(self) -> Rented:
        """A new session with Chrome."""
        wanted = {
            "browserName": "chrome",
            "se:name": "pagehand",
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
        return Rented(value["sessionId"], address)

    async def end(self, vendor_id: str) -> None:
        """Quit the session and its browser."""
        await self._api.delete("DELETE", f"/session/{vendor_id}")

    async def left_behind(self) -> list[str]:
        """The grid's own session timeout ends them."""
        return []

    async def close(self) -> None:
        """Let go of connections."""
        await self._api.close()


def _credential(key: str) -> str:
    return f"{key}@" if key else ""
