"""Steel, hosted or one's own: a session is made under an id we choose, connected to, and released."""

import uuid
from urllib.parse import urlencode

from msgspec import Struct

from pagehand.browser.providers.remote import Rented
from pagehand.browser.providers.vendors.calls import VendorApi

URL = "https://api.steel.dev"


class _Made(Struct, rename="camel"):
    id: str
    websocket_url: str


class _Session(Struct):
    id: str


class _Live(Struct):
    sessions: list[_Session] = []


class Steel:
    """Session ids begin with this installation's own letters, so that those left behind are found again."""

    def __init__(self, url: str, key: str, owner: str) -> None:
        self._api = VendorApi("Steel", url or URL, {"Steel-Api-Key": key})
        self._key = key
        self._prefix = str(uuid.uuid5(uuid.NAMESPACE_URL, owner))[:18]

    async def rent(self) -> Rented:
        """A new session."""
        session_id = self._prefix + str(uuid.uuid4())[18:]
        made = await self._api.call(_Made, "POST", "/v1/sessions", {"sessionId": session_id})
        separator = "&" if "?" in made.websocket_url else "?"
        credential = urlencode({"apiKey": self._key, "sessionId": made.id})
        return Rented(made.id, f"{made.websocket_url}{separator}{credential}")

    async def end(self, vendor_id: str) -> None:
        """Release it; a session bills until then."""
        await self._api.delete("POST", f"/v1/sessions/{vendor_id}/release", {})

    async def left_behind(self) -> list[str]:
        """Live sessions whose ids begin as ours do."""
        live = await self._api.call(_Live, "GET", "/v1/sessions", status="live")
        return [session.id for session in live.sessions if session.id.startswith(self._prefix)]

    async def close(self) -> None:
        """Let go of connections."""
        await self._api.close()
