import asyncio
import json

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from pagehand.api.protocol import JsonProtocol

pytestmark = pytest.mark.anyio


async def nothing(_scope: Scope, _receive: Receive, _send: Send) -> None:
    """Is never reached."""


async def test_what_is_not_http_is_refused_as_json() -> None:
    config = uvicorn.Config(nothing, port=0, http=JsonProtocol, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn offers no event for it
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET\x01 nonsense\r\n\r\n")
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    server.should_exit = True
    await serving
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400")
    assert set(json.loads(body)) == {"error"}
