"""A Kubernetes pod per browser, created and deleted through the cluster's API."""

import asyncio
from pathlib import Path
from typing import Final

import httpx2
from msgspec import Struct, field

from pagehand.browser.providers.remote import RemoteBrowser
from pagehand.browser.providers.vendors.vendor_api import VendorApi
from pagehand.errors import Unavailable
from pagehand.ids import new_id
from pagehand.records import Json

URL: Final = "https://kubernetes.default.svc"
_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")
PORT: Final = 9222
_READY_SECONDS: Final = 120.0
_LOOK_SECONDS: Final = 0.5


class _Metadata(Struct):
    name: str


class _PodStatus(Struct):
    phase: str = ""
    reason: str = ""
    ip: str = field(name="podIP", default="")


class _Pod(Struct):
    status: _PodStatus


class _ListedPod(Struct):
    metadata: _Metadata


class _Pods(Struct):
    items: list[_ListedPod]


class Kubernetes:
    """Pods have this installation's name as a label, to find those left behind."""

    def __init__(
        self, url: str, key: str, owner: str, image: str, namespace: str = "", port: int = PORT
    ) -> None:
        """`key` is a bearer token, by default that of our own pod's service account."""
        token = key or _account_file("token")
        certificates = _ACCOUNT / "ca.crt"
        self._api = VendorApi(
            "Kubernetes",
            url or URL,
            {"Authorization": f"Bearer {token}"},
            str(certificates) if certificates.exists() else None,
        )
        self._pods = f"/api/v1/namespaces/{namespace or _account_file('namespace') or 'default'}/pods"
        self._label = owner.replace("_", "-").lower()
        self._image = image
        self._port = port

    async def acquire(self) -> RemoteBrowser:
        """Create a pod and wait until its browser answers."""
        name = new_id("browser").replace("_", "-").lower()
        await self._api.call(Json, "POST", self._pods, self._pod(name))
        try:
            async with asyncio.timeout(_READY_SECONDS):
                return RemoteBrowser(name, await self._address(name))
        except BaseException as error:
            await self.end(name)
            if isinstance(error, TimeoutError):
                raise Unavailable(
                    f"The browser's pod was not ready within {_READY_SECONDS:.0f} s."
                ) from error
            raise

    async def end(self, vendor_id: str) -> None:
        """Delete the pod at once."""
        await self._api.delete("DELETE", f"{self._pods}/{vendor_id}", gracePeriodSeconds="0")

    async def list_left_behind(self) -> list[str]:
        """Pods with our label."""
        selector = f"pagehand/installation={self._label}"
        found = await self._api.call(_Pods, "GET", self._pods, labelSelector=selector)
        return [pod.metadata.name for pod in found.items]

    async def close(self) -> None:
        """Close connections."""
        await self._api.close()

    def _pod(self, name: str) -> Json:
        labels = {"app": "pagehand-browser", "pagehand/installation": self._label}
        container = {"name": "browser", "image": self._image, "ports": [{"containerPort": self._port}]}
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "labels": labels},
            "spec": {
                "restartPolicy": "Never",
                "automountServiceAccountToken": False,
                "containers": [container],
            },
        }

    async def _address(self, name: str) -> str:
        while True:
            status = (await self._api.call(_Pod, "GET", f"{self._pods}/{name}")).status
            if status.phase in ("Failed", "Succeeded"):
                why = status.reason or "the cluster gives no reason"
                raise Unavailable(f"The browser's pod ended at once: {why}.")
            address = f"http://{status.ip}:{self._port}"
            if status.ip and await _answers(address):
                return address
            await asyncio.sleep(_LOOK_SECONDS)


async def _answers(address: str) -> bool:
    """True once the browser in the pod answers over the debugging protocol."""
    async with httpx2.AsyncClient(timeout=2) as client:
        try:
            return (await client.get(f"{address}/json/version")).is_success
        except httpx2.HTTPError:
            return False


def _account_file(name: str) -> str:
    path = _ACCOUNT / name
    return path.read_text(encoding="utf-8").strip() if path.exists() else ""
