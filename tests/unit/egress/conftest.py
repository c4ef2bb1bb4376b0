"""An egress proxy that may reach loopback, and a web server there."""

from collections.abc import AsyncIterator

import pytest

from pagehand.egress.policy import EgressPolicy
from pagehand.egress.proxy.server import EgressProxy
from support.egress_proxy import Origin, serving


@pytest.fixture
async def origin() -> AsyncIterator[Origin]:
    origin = Origin()
    async with serving(origin):
        yield origin


@pytest.fixture
async def proxy() -> AsyncIterator[EgressProxy]:
    proxy = EgressProxy(EgressPolicy("127.0.0.1:*"))
    yield proxy
    await proxy.close()
