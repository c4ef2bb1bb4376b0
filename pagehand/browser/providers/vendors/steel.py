"""Steel, hosted or self-hosted: a session is created under an id we choose, connected to, and released."""

import uuid
from urllib.parse import urlencode

from msgspec import Struct

from pagehand.browser.providers.remote import RemoteBrowser
from pagehand.browser.providers.vendors.vendor_api import VendorApi, path_part

URL = "https://api.steel.dev"


class _NewSession(Struct, rename="camel"):
    id: str
    websocket_url: str


class _Session(Struct):
    id: str


class _Sessions(Struct):
    sessions: list[_Session] = []


class Steel:
    """Session ids begin with letters derived from this installation, to find those left behind."""

    def __init__(self, url: str, key: str, owner: str) -> None:
        self._api = VendorApi("Steel", url or URL, {"Steel-Api-Key": key})
        self._key = key
        self._prefix = str(uuid.uuid5(uuid.NAMESPACE_URL, owner))[:18]

    async def acquire(self) -> RemoteBrowser:
        """Create a session."""
        session_id = self._prefix + str(uuid.uuid4())[18:]
        created = await self._api.call(_NewSession, "POST", "/v1/sessions", {"sessionId": session_id})
        separator = "&" if "?" in created.websocket_url else "?"
        credential = urlencode({"apiKey": self._key, "sessionId": created.id})
        address = f"{created.websocket_url}{separator}{credential}"
        return RemoteBrowser(created.id, address, vendor_url=self._api.url)

    async def end(self, vendor_id: str) -> None:
        """Release the session; it costs money until then."""
        await self._api.delete("POST", f"/v1/sessions/{path_part(vendor_id)}/release", {})

    async def list_left_behind(self) -> list[str]:
        """Live sessions whose ids begin as ours do."""
        running = await self._api.call(_Sessions, "GET", "/v1/sessions", status="live")
        return [session.id for session in running.sessions if session.id.startswith(self._prefix)]

    async def close(self) -> None:
        """Close connections."""
        await self._api.close()
