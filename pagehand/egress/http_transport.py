"""The HTTP transport: connects to addresses that the policy allows, while TLS still verifies the host name.

Import it only where a request is about to be made: the HTTP library is large.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterable
from ipaddress import IPv6Address
from typing import cast

import anyio
import httpcore2
import httpx2

from pagehand.egress.policy import Address, EgressPolicy
from pagehand.egress.upstream import ProxyRefused, SocksRefused, UpstreamProxy

_CONNECT_SECONDS = 10
_LONGEST_UPSTREAM_ANSWER = 16 * 1024
_READ_BYTES = 4096
_CONNECTIONS = 500


class CheckedTransport(httpx2.AsyncBaseTransport):
    """A transport for httpx2 that asks the egress policy about every connection it makes."""

    def __init__(
        self, policy: EgressPolicy, upstream: UpstreamProxy | None = None, tls: ssl.SSLContext | None = None
    ) -> None:
        # Connections are not kept: every request is checked, and none goes into one that is about to close.
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls or httpx2.create_ssl_context(),
            network_backend=CheckedNetwork(policy, upstream),
            max_connections=_CONNECTIONS,
            max_keepalive_connections=0,
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request; raises httpcore2's errors and the policy's refusals."""
        url = request.url
        answer = await self._pool.handle_async_request(
            httpcore2.Request(
                method=request.method,
                url=httpcore2.URL(
                    scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                ),
                headers=request.headers.raw,
                content=cast("httpx2.AsyncByteStream", request.stream),
                extensions=request.extensions,
            )
        )
        return httpx2.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(answer),
            request=request,
        )

    async def aclose(self) -> None:
        """Close the open connections."""
        await self._pool.aclose()


class _Body(httpx2.AsyncByteStream):
    """The body of a response as httpx2 wants it."""

    def __init__(self, answer: httpcore2.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._answer.aiter_stream():
            yield part

    async def aclose(self) -> None:
        await self._answer.aclose()


class CheckedNetwork(httpcore2.AsyncNetworkBackend):
    """Opens connections to checked addresses, directly or through the upstream."""

    def __init__(self, policy: EgressPolicy, upstream: UpstreamProxy | None) -> None:
        self._policy = policy
        self._upstream = upstream
        # httpcore2 declares the class twice, once for where anyio is missing
        self._plain = cast("httpcore2.AsyncNetworkBackend", httpcore2.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore2's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect; EgressRefused and HostUnknown from the policy, httpcore2's ConnectError otherwise."""
        seconds = min(timeout or _CONNECT_SECONDS, _CONNECT_SECONDS)
        failure: httpcore2.ConnectError | httpcore2.ConnectTimeout | None = None
        for address in await self._policy.resolve(host, port):
            try:
                if self._upstream is None:
                    return await self._plain.connect_tcp(
                        str(address), port, seconds, local_address, socket_options
                    )
                async with asyncio.timeout(seconds):
                    return await self._tunnel(self._upstream, address, port)
            except TimeoutError:
                failure = httpcore2.ConnectTimeout("timed out")
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
            except httpcore2.NetworkError:
                failure = httpcore2.ConnectError("upstream proxy: closed the connection")
        raise failure or httpcore2.ConnectError("no address answered")

    async def sleep(self, seconds: float) -> None:
        """Wait between tries."""
        await anyio.sleep(seconds)

    async def _tunnel(
        self, upstream: UpstreamProxy, address: Address, port: int
    ) -> httpcore2.AsyncNetworkStream:
        """Have the upstream connect to the checked address: given the name, it would look it up again."""
        try:
            proxy_address = await upstream.address_to_dial(self._policy)
        except ProxyRefused as refused:
            raise httpcore2.ConnectError(f"upstream proxy: {refused}") from refused
        stream = await self._plain.connect_tcp(proxy_address, upstream.port)
        try:
            if upstream.is_tls:
                stream = await stream.start_tls(ssl.create_default_context(), upstream.host)
            if upstream.is_socks:
                await _open_socks_tunnel(stream, upstream, address, port)
                return stream
            target = f"[{address}]:{port}" if isinstance(address, IPv6Address) else f"{address}:{port}"
            await stream.write(upstream.connect_request(target))
            await _await_connect_answer(stream)
        except BaseException:
            await stream.aclose()
            raise
        return stream


async def _open_socks_tunnel(
    stream: httpcore2.AsyncNetworkStream, upstream: UpstreamProxy, address: Address, port: int
) -> None:
    """Have a SOCKS proxy connect to the checked address."""
    steps = upstream.socks_steps(address, port)
    try:
        sent, length = next(steps)
        while True:
            if sent:
                await stream.write(sent)
            answer = b""
            while len(answer) < length:
                part = await stream.read(length - len(answer))
                if not part:
                    raise httpcore2.ConnectError("upstream proxy: closed the connection")
                answer += part
            sent, length = steps.send(answer)
    except StopIteration:
        return
    except SocksRefused as refused:
        raise httpcore2.ConnectError(f"upstream proxy: {refused}") from refused


async def _await_connect_answer(stream: httpcore2.AsyncNetworkStream) -> None:
    """Read the upstream's answer; nothing follows it, because an HTTP origin waits for a request."""
    head = b""
    while b"\r\n\r\n" not in head and len(head) < _LONGEST_UPSTREAM_ANSWER:
        try:
            part = await stream.read(_READ_BYTES)
        except httpcore2.ReadError:
            part = b""
        if not part:
            break
        head += part
    status = head.partition(b"\r\n")[0].partition(b" ")[2].decode("latin-1")
    if not status.startswith("200"):
        raise httpcore2.ConnectError(f"upstream proxy: {status[:100] or 'closed the connection'}")
