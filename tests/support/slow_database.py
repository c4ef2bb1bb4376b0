"""A way to a PostgreSQL server on which everything that is asked arrives late."""

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import make_url


@contextmanager
def slow_database(database_url: str, folder: Path, seconds: float) -> Generator[str]:
    """The address of the same database by that way; the server has to listen on a Unix socket."""
    socket = Path(str(make_url(database_url).query["host"])) / ".s.PGSQL.5432"
    folder.mkdir()
    loop = asyncio.new_event_loop()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_unix_connection(socket)
        # either side that goes takes the other along
        with suppress(ConnectionError):
            await asyncio.gather(_copy(reader, server_writer, seconds), _copy(server_reader, writer, 0))

    serving = loop.run_until_complete(asyncio.start_unix_server(relay, folder / ".s.PGSQL.5432"))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield database_url.replace(quote(str(socket.parent), safe=""), quote(str(folder), safe="")).replace(
            str(socket.parent), str(folder)
        )
    finally:
        asyncio.run_coroutine_threadsafe(_end(serving), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _end(serving: asyncio.Server) -> None:
    """Listen no more, and end what is relayed."""
    serving.close()
    relaying = asyncio.all_tasks() - {asyncio.current_task()}
    for task in relaying:
        task.cancel()
    await asyncio.gather(*relaying, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    try:
        while piece := await reader.read(65536):
            await asyncio.sleep(seconds)
            writer.write(piece)
            await writer.drain()
    finally:
        writer.close()
