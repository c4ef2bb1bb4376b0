"""Browserbase: a session is created, connected to, and released."""

from msgspec import Struct

from pagehand.browser.providers.remote import RemoteBrowser
from pagehand.browser.providers.vendors.vendor_api import VendorApi, path_part

URL = "https://api.browserbase.com"


class _Session(Struct):
    id: str


class _NewSession(Struct, rename="camel"):
    id: str
    connect_url: str


class Browserbase:
    """Sessions have this installation's name in their metadata, to find those left behind."""

    def __init__(self, url: str, key: str, owner: str, project: str = "") -> None:
        self._api = VendorApi("Browserbase", url or URL, {"X-BB-API-Key": key})
        self._owner = owner
        self._project = {"projectId": project} if project else {}

    async def acquire(self) -> RemoteBrowser:
        """Create a session."""
        body = {**self._project, "userMetadata": {"pagehand": self._owner}}
        created = await self._api.call(_NewSession, "POST", "/v1/sessions", body)
        return RemoteBrowser(created.id, created.connect_url, vendor_url=self._api.url)

    async def end(self, vendor_id: str) -> None:
        """Release the session; it costs money until then."""
        body = {**self._project, "status": "REQUEST_RELEASE"}
        await self._api.delete("POST", f"/v1/sessions/{path_part(vendor_id)}", body)

    async def list_left_behind(self) -> list[str]:
        """Running sessions with our name."""
        query = f"user_metadata['pagehand']:'{self._owner}'"
        running = await self._api.call(list[_Session], "GET", "/v1/sessions", status="RUNNING", q=query)
        return [session.id for session in running]

    async def close(self) -> None:
        """Close connections."""
        await self._api.close()
