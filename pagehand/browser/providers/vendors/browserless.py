"""Browserless, hosted or one's own: a browser per connection, ended by the name we gave it."""

from urllib.parse import urlencode, urlsplit, urlunsplit

from pagehand.browser.providers.remote import Rented
from pagehand.browser.providers.vendors.calls import VendorApi
from pagehand.ids import new_id


class Browserless:
    """Connecting starts a browser; our `trackingId` is known before that."""

    def __init__(self, url: str, key: str) -> None:
        """`url` is the service's address, with `ws`, `wss`, `http` or `https`."""
        self._parts = urlsplit(url)
        self._key = key
        is_secure = self._parts.scheme in ("wss", "https")
        self._api = VendorApi("Browserless", f"{'https' if is_secure else 'http'}://{self._parts.netloc}")
        self._scheme = "wss" if is_secure else "ws"

    async def rent(self) -> Rented:
        """An address that starts a browser when it is connected to."""
        vendor_id = new_id("browserless")
        query = urlencode({"token": self._key, "trackingId": vendor_id})
        return Rented(vendor_id, urlunsplit((self._scheme, self._parts.netloc, self._parts.path, query, "")))

    async def end(self, vendor_id: str) -> None:
        """Ends the browser whether or not the connection is open."""
        await self._api.delete("GET", f"/kill/{vendor_id}", token=self._key)

    async def left_behind(self) -> list[str]:
        """A browser ends with its connection, so a process that died has left none."""
        return []

    async def close(self) -> None:
        """Let go of connections."""
        await self._api.close()
