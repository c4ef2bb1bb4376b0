"""Browserless, hosted or self-hosted: a browser per connection, ended by the id we chose."""

from urllib.parse import urlencode, urlsplit, urlunsplit

from pagehand.browser.providers.remote import RemoteBrowser
from pagehand.browser.providers.vendors.vendor_api import VendorApi
from pagehand.ids import new_id


class Browserless:
    """Connecting starts a browser; our `trackingId` names it before that."""

    def __init__(self, url: str, key: str) -> None:
        """`url` is the service's address, with `ws`, `wss`, `http` or `https`."""
        self._parts = urlsplit(url)
        self._key = key
        is_secure = self._parts.scheme in ("wss", "https")
        self._api = VendorApi("Browserless", f"{'https' if is_secure else 'http'}://{self._parts.netloc}")
        self._scheme = "wss" if is_secure else "ws"

    async def acquire(self) -> RemoteBrowser:
        """A URL that starts a browser when it is connected to."""
        vendor_id = new_id("browserless")
        query = urlencode({"token": self._key, "trackingId": vendor_id})
        return RemoteBrowser(
            vendor_id, urlunsplit((self._scheme, self._parts.netloc, self._parts.path, query, ""))
        )

    async def end(self, vendor_id: str) -> None:
        """End the browser, whether or not the connection is open."""
        await self._api.delete("GET", f"/kill/{vendor_id}", token=self._key)

    async def list_left_behind(self) -> list[str]:
        """Nothing: a browser ends with its connection, so a process that died left none."""
        return []

    async def close(self) -> None:
        """Close connections."""
        await self._api.close()
