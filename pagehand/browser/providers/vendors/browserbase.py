"""Browserbase: a session is made, connected to, and released."""

from msgspec import Struct

from pagehand.browser.providers.remote import Rented
from pagehand.browser.providers.vendors.calls import VendorApi

URL = "https://api.browserbase.com"


class _Session(Struct):
    id: str


class _Made(Struct, rename="camel"):
    id: str
    connect_url: str


class Browserbase:
    """Sessions carry this installation's name, so that those left behind are found again."""

    def __init__(self, url: str, key: str, owner: str, project: str = "") -> None:
        self._api = VendorApi("Browserbase", url or URL, {"X-BB-API-Key": key})
        self._owner = owner
        self._project = {"projectId": project} if project else {}

    async def rent(self) -> Rented:
        """A new session."""
        body = {**self._project, "userMetadata": {"pagehand": self._owner}}
        made = await self._api.call(_Made, "POST", "/v1/sessions", body)
        return Rented(made.id, made.connect_url)

    async def end(self, vendor_id: str) -> None:
        """Release it; a session bills until then."""
        body = {**self._project, "status": "REQUEST_RELEASE"}
        await self._api.delete("POST", f"/v1/sessions/{vendor_id}", body)

    async def left_behind(self) -> list[str]:
        """Running sessions with our name."""
        query = f"user_metadata['pagehand']:'{self._owner}'"
        running = await self._api.call(list[_Session], "GET", "/v1/sessions", status="RUNNING", q=query)
        return [session.id for session in running]

    async def close(self) -> None:
        """Let go of connections."""
        await self._api.close()
