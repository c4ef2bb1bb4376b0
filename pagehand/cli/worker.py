"""`pagehand worker`: runs executions that services on the same PostgreSQL accept."""

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
    """Take executions and run them until asked to stop."""
    host, port = _address(settings.listen)
    # where API nodes run on the same machine, they answer at once although browsers would take all of it
    os.nice(settings.worker_nice)
    own = {"engine": "postgres", "worker": True, "demo": False, "host": host, "port": port}
    run(settings.model_copy(update=own), _start, _ForServices)


async def _start(_: Settings, service: Service, __: Demo | None, ___: str) -> None:
    await service.start()
    service.readiness.problem = ""
    typer.echo(f"Worker {service.worker_id()} is ready")


def _address(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    # int() takes digits of every script, and bind() answers a port that is too large with a trace
    if not host or not (port.isascii() and port.isdigit() and int(port) <= _LAST_PORT):
        raise InvalidRequest(f"`--listen`: expected HOST:PORT such as `127.0.0.1:8710`, not `{listen}`.")
    return host.strip("[]"), int(port)


_SERVED = ("/healthz", "/metrics")


class _ForServices:
    """Tells whether the worker is ready, shows its figures, and live views to who has a signed link."""

    def __init__(self, service: Service) -> None:
        self._app: ASGIApp = service.app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" or (scope["type"] == "http" and scope["path"] in _SERVED):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            refusal = PlainTextResponse("A worker has no API: ask a `pagehand serve`.", 403)
            await refusal(scope, receive, send)
