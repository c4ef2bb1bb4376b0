"""`pagehand mcp`: the tools of a service for a client that starts its MCP servers as commands."""

from contextlib import nullcontext

from mcp.server.stdio import stdio_server

from pagehand.mcp.connection import Connection
from pagehand.mcp.server import build_server


async def serve_stdio(connection: Connection) -> None:
    """Serve the client on standard input and output until it closes them."""
    server = build_server(lambda _: nullcontext(connection))
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
