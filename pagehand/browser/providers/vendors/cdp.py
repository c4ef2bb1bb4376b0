"""Any Chromium with a debugging port: one shared browser, with a context for each execution."""

from pagehand.browser.providers.remote import RemoteBrowser
from pagehand.ids import new_id


class DebuggingPort:
    """A browser that is already running; we never end it."""

    def __init__(self, address: str) -> None:
        self._address = address

    async def acquire(self) -> RemoteBrowser:
        """The same browser every time; the id only distinguishes connections."""
        return RemoteBrowser(new_id("cdp"), self._address, is_shared=True)

    async def end(self, vendor_id: str) -> None:
        """Do nothing: closing the connection closed its contexts, and the browser is not ours."""

    async def list_left_behind(self) -> list[str]:
        """Nothing: contexts end with their connection."""
        return []

    async def close(self) -> None:
        """There are no connections of our own."""
