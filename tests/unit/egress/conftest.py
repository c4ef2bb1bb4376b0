"""An egress proxy that may reach loopback, and a web server there."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from pagehand.egress.policy import EgressPolicy
from pagehand.egress.proxy.server import EgressProxy
from support.egress_proxy import Origin


@pytest.fixture
async def origin() -> AsyncIterator[Origin]:
    origin = Origin()
    server = await asyncio.start_server(origin.serve, "127.0.0.1", 0)
    origin.port = server.sockets[0].getsockname()[1]
    yield origin
    server.close()
    await server.wait_closed()


@pytest.fixture
async def proxy() -> AsyncIterator[EgressProxy]:
    proxy = EgressProxy(EgressPolicy("127.0.0.1:*"))
    yield proxy
    await proxy.close()
