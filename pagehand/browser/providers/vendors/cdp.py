"""Any Chromium with a debugging port: one browser for all, with a context for each execution."""

from pagehand.browser.providers.remote import Rented
from pagehand.ids import new_id


class DebuggingPort:
    """A browser that runs already; it is never ended from here."""

    def __init__(self, address: str) -> None:
        self._address = address

    async def rent(self) -> Rented:
        """The same browser every time; the id only tells connections apart."""
        return Rented(new_id("cdp"), self._address, is_shared=True)

    async def end(self, vendor_id: str) -> None:
        """Closing the connection has closed its contexts; the browser is not ours to end."""

    async def left_behind(self) -> list[str]:
        """Contexts end with their connection, so nothing is ever left."""
        return []

    async def close(self) -> None:
        """Nothing to let go of."""
