"""`pagehand mcp`: MCP over standard input and output, for a service."""

import asyncio

from pagehand.cli.connection import refusals_end_it
from pagehand.mcp.connection import Connection
from pagehand.mcp.server import serve_stdio


def serve(url: str | None, key: str | None) -> None:
    """Serve until the client closes standard input."""
    asyncio.run(_serve(url, key))


async def _serve(url: str | None, key: str | None) -> None:
    async with Connection(url, key) as connection:
        with refusals_end_it(connection.url):
            await connection.scopes()  # a service that is not there is said at once
        await serve_stdio(connection)
