"""`pagehand mcp`: MCP over standard input and output, for a service."""

import asyncio
from typing import Final

from pagehand.cli.connection import refusals_end_it
from pagehand.client import ApiError
from pagehand.errors import Forbidden
from pagehand.mcp.connection import Connection
from pagehand.mcp.server import serve_stdio

_FORBIDDEN: Final = 403


def serve(url: str | None, key: str | None) -> None:
    """Serve until the client closes standard input."""
    asyncio.run(_serve(url, key))


async def _serve(url: str | None, key: str | None) -> None:
    async with Connection(url, key) as connection:
        with refusals_end_it(connection.url):
            await _check(connection)
        await serve_stdio(connection)


async def _check(connection: Connection) -> None:
    """Say at once that the service is not there, or that an agent could do nothing with the key."""
    try:
        await connection.scopes()
    except ApiError as error:
        if error.status != _FORBIDDEN:
            raise
        raise Forbidden(
            "an agent's key needs the scope `read`; `read,run` to run workflows, `read,run,edit` to build "
            "them. `pagehand keys create --organization NAME --scope read,run` makes one."
        ) from error
