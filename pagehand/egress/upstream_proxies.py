"""Which proxy the executions with `useProxy` go through: their organization's own, else the operator's."""

from collections.abc import Sequence
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from pagehand.egress.http import MOST_BYTES, HttpAnswer, HttpClient
from pagehand.egress.policy import Denied, EgressPolicy, EgressRefused
from pagehand.egress.upstream import Upstream
from pagehand.errors import BlockFailed, InvalidRequest
from pagehand.secrets.masks import KEPT
from pagehand.secrets.vault import Place, Vault
from pagehand.storage.organizations import OrganizationStore

_FIELD: Final = "proxy"


class Proxies:
    """The operator's proxy and those of organizations."""

    def __init__(
        self, operators: str | None, store: OrganizationStore, vault: Vault, policy: EgressPolicy
    ) -> None:
        self._operators = Upstream.parse(operators) if operators else None
        self._store = store
        self._vault = vault
        self._policy = policy
        self._clients: dict[Upstream, HttpClient] = {}

    async def of(self, organization_id: str) -> Upstream | None:
        """The proxy of an organization's executions; None when there is none to be had."""
        url = await self._url(organization_id)
        return Upstream.parse(url, _FIELD) if url else self._operators

    async def is_set(self, organization_id: str) -> bool:
        """Whether an execution of the organization may ask for a proxy."""
        return await self.of(organization_id) is not None

    async def of_run(self, organization_id: str) -> Upstream:
        """The same for an execution that was accepted; `BlockFailed` when it has been taken away since."""
        upstream = await self.of(organization_id)
        if upstream is None:
            raise BlockFailed("The execution asks for a proxy, and none is set any more.")
        return upstream

    def http(self, organization_id: str) -> "ProxiedHttp":
        """HTTP through the proxy that the organization has when a request is sent."""
        return ProxiedHttp(self, organization_id)

    async def client(self, organization_id: str) -> HttpClient:
        """What sends its requests now."""
        upstream = await self.of_run(organization_id)
        if upstream not in self._clients:
            self._clients[upstream] = HttpClient(self._policy, upstream)
        return self._clients[upstream]

    async def shown(self, organization_id: str) -> str | None:
        """The organization's own as it may be seen, its password masked."""
        url = await self._url(organization_id)
        return _masked(url) if url else None

    async def change(self, organization_id: str, url: str) -> None:
        """Give the organization another; empty takes it away, the mask in its place keeps the password."""
        before = await self._url(organization_id)
        # a form that shows the masked address sends it back unchanged
        if before is not None and url == _masked(before):
            return
        if url:
            self._check(Upstream.parse(url, _FIELD))
        await self._store.set_proxy(
            organization_id, self._vault.seal(url.encode(), _place(organization_id)) if url else None
        )

    async def close(self) -> None:
        """End what is under way."""
        for client in self._clients.values():
            await client.close()

    async def _url(self, organization_id: str) -> str | None:
        sealed = await self._store.proxy(organization_id)
        return None if sealed is None else self._vault.open(sealed, _place(organization_id)).decode()

    def _check(self, upstream: Upstream) -> None:
        """Refuse an address that is plainly closed; names are looked up only when something is sent."""
        # with another host the kept password would go to somebody it was not meant for
        if upstream.credentials and upstream.credentials[1] == KEPT:
            raise InvalidRequest(f"`{_FIELD}` has the mask for a password: give the password itself.")
        try:
            address = ip_address(upstream.host)
        except ValueError:
            return
        verdict = self._policy.decide(upstream.host, upstream.port, address)
        if isinstance(verdict, Denied):
            refusal = EgressRefused(upstream.host, upstream.port, verdict.reason)
            raise InvalidRequest(f"`{_FIELD}`: {refusal.message}")


class ProxiedHttp:
    """Sends the requests of one organization through its proxy."""

    def __init__(self, proxies: Proxies, organization_id: str) -> None:
        self._proxies = proxies
        self._organization_id = organization_id

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Sequence[tuple[str, str]] = (),
        body: bytes = b"",
        timeout_seconds: float,
        max_bytes: int = MOST_BYTES,
        follow_redirects: bool = True,
        private_headers: Sequence[str] = (),
    ) -> HttpAnswer:
        """The answer, whatever its status; errors are those of `HttpClient.send`."""
        client = await self._proxies.client(self._organization_id)
        return await client.send(
            method,
            url,
            headers=headers,
            body=body,
            timeout_seconds=timeout_seconds,
            max_bytes=max_bytes,
            follow_redirects=follow_redirects,
            private_headers=private_headers,
        )


def _masked(url: str) -> str:
    parts = urlsplit(url)
    if parts.password is None:
        return url
    user, _, place = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}:{KEPT}@{place}"))


def _place(organization_id: str) -> Place:
    return Place(organization_id, "organization_proxies", organization_id, "sealed")
