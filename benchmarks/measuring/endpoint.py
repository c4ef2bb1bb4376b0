"""A bare ASGI endpoint: reads the request, returns the same bytes, under the service's uvicorn settings.

Run as a program it serves a file on a port until it is terminated: python -m measuring.endpoint FILE PORT.
"""

import asyncio
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import uvicorn

from measuring import processes
from measuring.running import Client, free_port


class Endpoint:
    """The endpoint in a separate process; it answers within the context."""

    def __init__(self, answer: bytes) -> None:
        self.port = free_port()
        self._file = tempfile.NamedTemporaryFile()  # noqa: SIM115 - closed on leaving
        self._file.write(answer)
        self._file.flush()
        self._process = processes.start(["-m", "measuring.endpoint", self._file.name, str(self.port)])

    def __enter__(self) -> Self:
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with suppress(OSError):
                Client(self.port).post_bytes("/", b"{}")
                return self
            time.sleep(0.05)
        raise RuntimeError("the bare endpoint does not answer")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate(timeout=30)
        self._file.close()


def application(answer: bytes) -> Any:
    """What answers every request alike."""
    length = str(len(answer)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length)]

    async def app(scope: Any, receive: Any, send: Any) -> None:
        del scope
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    return app


def main() -> None:
    """Serve."""
    config = uvicorn.Config(
        application(Path(sys.argv[1]).read_bytes()),
        port=int(sys.argv[2]),
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        date_header=False,
        timeout_keep_alive=30,
    )
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(uvicorn.Server(config).serve())


if __name__ == "__main__":
    main()
