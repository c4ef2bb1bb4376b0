"""The upstream proxy of executions with `useProxy`: their organization's own, else the operator's."""

from typing import Final, Unpack
from urllib.parse import urlsplit, urlunsplit

from pagehand.egress.http import HttpAnswer, HttpClient
from pagehand.egress.policy import EgressPolicy
from pagehand.egress.upstream import UpstreamProxy
from pagehand.errors import BlockFailed, InvalidRequest
from pagehand.ports import HttpOptions
from pagehand.secrets.vault import KEPT, FieldLocation, Vault
from pagehand.storage.organizations import OrganizationStore

_FIELD: Final = "proxy"


class UpstreamProxies:
    """The operator's proxy and those of organizations."""

    def __init__(
        self, operator_url: str | None, store: OrganizationStore, vault: Vault, policy: EgressPolicy
    ) -> None:
        self._operator_proxy = UpstreamProxy.parse(operator_url) if operator_url else None
        self._store = store
        self._vault = vault
        self._policy = policy
        self._clients: dict[UpstreamProxy, HttpClient] = {}

    async def proxy_of(self, organization_id: str) -> UpstreamProxy | None:
        """The proxy of an organization's executions, if there is one."""
        url = await self._url(organization_id)
        return UpstreamProxy.parse(url, _FIELD) if url else self._operator_proxy

    async def is_set(self, organization_id: str) -> bool:
        """Whether there is a proxy for executions of the organization."""
        return await self.proxy_of(organization_id) is not None

    async def require(self, organization_id: str) -> UpstreamProxy:
        """The proxy for an execution that asked for one; `BlockFailed` when it has been removed since."""
        upstream = await self.proxy_of(organization_id)
        if upstream is None:
            raise BlockFailed("The execution asks for a proxy, and none is set any more.")
        return upstream

    def http(self, organization_id: str) -> "ProxiedHttp":
        """HTTP through the proxy that the organization has at the time of each request."""
        return ProxiedHttp(self, organization_id)

    async def client(self, organization_id: str) -> HttpClient:
        """The client for the organization's current proxy."""
        upstream = await self.require(organization_id)
        if upstream not in self._clients:
            self._clients[upstream] = HttpClient(self._policy, upstream)
        return self._clients[upstream]

    async def masked_url(self, organization_id: str) -> str | None:
        """The organization's own proxy, its password masked."""
        url = await self._url(organization_id)
        return _masked(url) if url else None

    async def set_url(self, organization_id: str, url: str) -> None:
        """Set the organization's own proxy; empty removes it, the masked address keeps it."""
        current = await self._url(organization_id)
        # a form that shows the masked address sends it back unchanged
        if current is not None and url == _masked(current):
            return
        if url:
            self._check(UpstreamProxy.parse(url, _FIELD))
        await self._store.set_proxy(
            organization_id, self._vault.seal(url.encode(), _location(organization_id)) if url else None
        )

    async def close(self) -> None:
        """Close the HTTP clients."""
        for client in self._clients.values():
            await client.close()

    async def _url(self, organization_id: str) -> str | None:
        sealed = await self._store.proxy(organization_id)
        return None if sealed is None else self._vault.open(sealed, _location(organization_id)).decode()

    def _check(self, upstream: UpstreamProxy) -> None:
        """Refuse a closed address; names are resolved only when something is sent."""
        # with another host the stored password would go to somebody else
        if upstream.credentials and upstream.credentials[1] == KEPT:
            raise InvalidRequest(f"`{_FIELD}` has the mask for a password: give the password itself.")
        refusal = self._policy.refusal_of_address(upstream.host, upstream.port)
        if refusal is not None:
            raise InvalidRequest(f"`{_FIELD}`: {refusal.message}")


class ProxiedHttp:
    """Sends the requests of one organization through its proxy."""

    def __init__(self, proxies: UpstreamProxies, organization_id: str) -> None:
        self._proxies = proxies
        self._organization_id = organization_id

    async def send(self, method: str, url: str, **options: Unpack[HttpOptions]) -> HttpAnswer:
        """As `HttpClient.send`."""
        client = await self._proxies.client(self._organization_id)
        return await client.send(method, url, **options)


def _masked(url: str) -> str:
    parts = urlsplit(url)
    if parts.password is None:
        return url
    user, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}:{KEPT}@{host}"))


def _location(organization_id: str) -> FieldLocation:
    return FieldLocation(organization_id, "organization_proxies", organization_id, "sealed")
