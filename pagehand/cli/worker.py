"""`pagehand worker`: runs the executions that services on the same PostgreSQL database accept."""

import os

import typer
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pagehand.assemble import Service
from pagehand.cli.serve import run
from pagehand.demo.first_run import Demo
from pagehand.errors import InvalidRequest
from pagehand.settings import Settings

_LAST_PORT = 65535


def work_until_stopped(settings: Settings) -> None:
    """Run executions until asked to stop."""
    host, port = _address(settings.listen)
    # API nodes on the same machine stay responsive while browsers use all of its processors
    os.nice(settings.worker_nice)
    overrides = {"engine": "postgres", "worker": True, "demo": False, "host": host, "port": port}
    run(settings.model_copy(update=overrides), _start, _WorkerApp)


async def _start(_: Settings, service: Service, __: Demo | None, ___: str) -> None:
    await service.start()
    service.readiness.problem = ""
    typer.echo(f"Worker {service.worker_id()} is ready")


def _address(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    # int() accepts digits of every script, and bind() fails with a traceback for too large a port
    if not host or not (port.isascii() and port.isdigit() and int(port) <= _LAST_PORT):
        raise InvalidRequest(f"`--listen`: expected HOST:PORT such as `127.0.0.1:8710`, not `{listen}`.")
    return host.strip("[]"), int(port)


_SERVED_PATHS = ("/healthz", "/metrics")


class _WorkerApp:
    """What a worker serves to others: its health, its metrics, and the live view with a signed link."""

    def __init__(self, service: Service) -> None:
        self._app: ASGIApp = service.app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" or (scope["type"] == "http" and scope["path"] in _SERVED_PATHS):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            refusal = PlainTextResponse("A worker has no API: ask a `pagehand serve`.", 403)
            await refusal(scope, receive, send)
