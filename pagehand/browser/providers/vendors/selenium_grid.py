"""Selenium Grid: a WebDriver session whose capabilities name the address of its debugging protocol."""

import base64
from urllib.parse import urlsplit

from msgspec import Struct, field

from pagehand.browser.providers.remote import RemoteBrowser
from pagehand.browser.providers.vendors.vendor_api import VendorApi, path_part
from pagehand.errors import Unavailable


class _Capabilities(Struct):
    name: str | None = field(name="se:name", default=None)
    address: str | None = field(name="se:cdp", default=None)


class _Session(Struct, rename="camel"):
    session_id: str
    capabilities: _Capabilities


class _NewSession(Struct):
    value: _Session


class _Slot(Struct):
    session: _Session | None = None


class _Node(Struct):
    slots: list[_Slot]


class _Nodes(Struct):
    nodes: list[_Node]


class _Status(Struct):
    value: _Nodes


class SeleniumGrid:
    """Sessions have this installation's name in their capabilities, to find those left behind."""

    def __init__(self, url: str, key: str, owner: str) -> None:
        """`url` is that of the hub; `key` is `user:password` where the grid asks for one."""
        parts = urlsplit(url)
        self._headers = _credential(key)
        self._api = VendorApi("Selenium Grid", f"{parts.scheme}://{parts.netloc}{parts.path}", self._headers)
        self._name = f"pagehand {owner}"

    async def acquire(self) -> RemoteBrowser:
        """Create a session with Chrome."""
        wanted = {
            "browserName": "chrome",
            "se:name": self._name,
            "goog:chromeOptions": {"args": ["--headless=new"]},
        }
        answer = await self._api.call(
            _NewSession, "POST", "/session", {"capabilities": {"alwaysMatch": wanted}}
        )
        created = answer.value
        address = created.capabilities.address
        if not address:
            await self.end(created.session_id)
            raise Unavailable(
                "The grid's session has no `se:cdp`: start its nodes with the debugging protocol on."
            )
        return RemoteBrowser(created.session_id, address, self._headers, vendor_url=self._api.url)

    async def end(self, vendor_id: str) -> None:
        """Quit the session and its browser."""
        await self._api.delete("DELETE", f"/session/{path_part(vendor_id)}")

    async def list_left_behind(self) -> list[str]:
        """Sessions with our name on any node."""
        status = await self._api.call(_Status, "GET", "/status")
        sessions = [slot.session for node in status.value.nodes for slot in node.slots]
        return [
            session.session_id
            for session in sessions
            if session is not None and session.capabilities.name == self._name
        ]

    async def close(self) -> None:
        """Close connections."""
        await self._api.close()


def _credential(key: str) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(key.encode()).decode()}"} if key else {}
