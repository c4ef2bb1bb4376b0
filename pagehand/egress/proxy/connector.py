"""Connects to origins: resolve the name, check every address, connect to a checked one."""

import asyncio
import ssl
from ipaddress import IPv6Address

from pagehand.egress.policy import Address, EgressPolicy
from pagehand.egress.proxy.origin import OriginConnection, Unreachable
from pagehand.egress.upstream import ProxyRefused, UpstreamProxy

_CONNECT_SECONDS = 10


class OriginConnector:
    """Connects to hosts the policy allows, directly or through an upstream proxy."""

    def __init__(self, policy: EgressPolicy, upstream: UpstreamProxy | None) -> None:
        self._policy = policy
        self._upstream = upstream

    async def connect(self, origin: OriginConnection, host: str, port: int) -> None:
        """Connect `origin`; raises `EgressRefused`, `HostUnknown` or `Unreachable`."""
        cause = "unreachable"
        for address in await self._policy.resolve(host, port):
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    await self._connect_to(origin, address, port)
            except OSError as error:  # time-outs and TLS errors are OSErrors too
                origin.abort()
                cause = _cause(error)
            else:
                return
        raise Unreachable(cause)

    async def _connect_to(self, origin: OriginConnection, address: Address, port: int) -> None:
        loop = asyncio.get_running_loop()
        if self._upstream is None:
            await loop.create_connection(lambda: origin, str(address), port)
            return
        # The upstream is given the address that was checked: given the name, it would look it up again.
        target = f"[{address}]:{port}" if isinstance(address, IPv6Address) else f"{address}:{port}"
        tls = ssl.create_default_context() if self._upstream.is_tls else None
        try:
            proxy_address = await self._upstream.address_to_dial(self._policy)
        except ProxyRefused as refused:
            raise Unreachable(f"upstream proxy: {refused}") from refused
        await loop.create_connection(
            lambda: origin,
            proxy_address,
            self._upstream.port,
            ssl=tls,
            server_hostname=self._upstream.host if tls else None,
        )
        if self._upstream.is_socks:
            await origin.open_socks_tunnel(self._upstream, address, port)
        else:
            await origin.open_tunnel(self._upstream, target)


def _cause(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "timed out"
    return "connection refused" if isinstance(error, ConnectionRefusedError) else "unreachable"
