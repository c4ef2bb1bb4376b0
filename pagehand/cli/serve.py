"""`pagehand serve`: the service in one process, with its demo beside it."""

import asyncio
import contextlib
import gc
import resource
import shutil
import signal
import socket
from collections.abc import Callable, Coroutine, Generator

import structlog
import uvicorn
from starlette.types import ASGIApp

from pagehand import confinement
from pagehand.api.auth import is_loopback
from pagehand.api.protocol import ConnectionLimits, limited
from pagehand.assemble import Service, open_service
from pagehand.cli import log
from pagehand.cli.banner import show_banner
from pagehand.cli.loop_watch import LoopWatch
from pagehand.cli.private_data import only_one
from pagehand.demo.first_run import Demo, open_demo
from pagehand.errors import Conflict, Forbidden, Unavailable
from pagehand.settings import Settings
from pagehand.storage import Stores

_log = structlog.get_logger("pagehand")
_DRAIN_SECONDS = 2
_MESSAGE_BYTES = 1_000_000
"""The largest message over the live view's WebSocket; files come in smaller pieces."""

Start = Callable[[Settings, Service, Demo | None, str], Coroutine[None, None, None]]
AppOf = Callable[[Service], ASGIApp]
"""What of the service is served to others."""


def _whole_app(service: Service) -> ASGIApp:
    return service.app


def serve(settings: Settings) -> None:
    """Be the service until asked to stop."""
    run(settings, _start)


def run(settings: Settings, start: Start, app_of: AppOf = _whole_app) -> None:
    """Be a process of the service until asked to stop; `start` makes it ready and says so."""
    log.configure(settings.log_level)
    with only_one(settings.data_dir):
        uvicorn_loop = uvicorn.Config("", loop="auto").get_loop_factory()
        with asyncio.Runner(loop_factory=uvicorn_loop) as runner:
            runner.run(_serve(settings, start, app_of))


async def _serve(settings: Settings, start: Start, app_of: AppOf) -> None:
    """Serve until asked to stop; running executions then get their grace, the rest is requeued."""
    # first: a port that is taken is reported before anything is opened or changed
    listener = _listen(settings)
    watch = LoopWatch()
    address = f"http://{_shown_host(settings.host)}:{listener.getsockname()[1]}"
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(listener.close)  # what keeps the service from starting must free the port, too
        stack.callback(watch.stop)
        demo = await stack.enter_async_context(open_demo(settings)) if settings.demo else None
        if demo is not None:
            settings = settings.model_copy(
                update={"egress_allow": demo.allowed_beside(settings.egress_allow)}
            )
        lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        service = await stack.enter_async_context(
            open_service(settings, settings.public_url or address, lost.set_result, demo, _reached(address))
        )
        server = _Server(
            uvicorn.Config(
                app_of(service),
                log_config=None,
                access_log=False,
                lifespan="off",
                ws="wsproto",
                ws_max_size=_MESSAGE_BYTES,
                ws_per_message_deflate=False,  # pictures do not shrink, and a small message could swell
                http=limited(ConnectionLimits(connections=_room_for(settings.max_connections))),
                # nobody has to know which server of which version this is
                server_header=False,
                date_header=False,
                timeout_keep_alive=30,
                timeout_graceful_shutdown=_DRAIN_SECONDS,
            )
        )
        _say_what_is_not_contained()
        # requests are answered from now on, if only with what the service waits for
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        stop = _asked_to_stop()
        starting = asyncio.create_task(start(settings, service, demo, address))
        try:
            await asyncio.wait([starting, serving, stop], return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                starting.result()  # raises what keeps the service from starting
                gc.freeze()  # what is here now stays: a full collection would look at all of it every time
                watch.start()  # starting up may hold the loop: nobody waits yet
                await asyncio.wait([serving, stop, lost], return_when=asyncio.FIRST_COMPLETED)
        finally:
            starting.cancel()
            await asyncio.wait([starting])
            if lost.done():
                service.engine.abandon(lost.result())
            await _shut_down(service, server, serving)
        if lost.done():
            raise Conflict(lost.result())


async def _start(settings: Settings, service: Service, demo: Demo | None, address: str) -> None:
    await service.start()
    await _demand_key(settings, service.stores)
    service.readiness.problem = ""
    if demo is not None:
        await demo.introduce(service.engine, service.stores, service.logins, service.schedules)
    show_banner(settings, address, demo)


def _say_what_is_not_contained() -> None:
    if shutil.which("bwrap") is not None:
        return
    files = "cannot read files" if confinement.is_available() else "can read the files that the service can"
    _log.warning(
        "bubblewrap is missing: user code and readers of documents run in processes of limited memory and "
        f"time that {files}, but that are not kept from the network: `apt-get install bubblewrap`."
    )


async def _shut_down(service: Service, server: uvicorn.Server, serving: "asyncio.Task[None]") -> None:
    await service.engine.stop()  # clients that wait get their answers before the port is closed
    server.should_exit = True
    await serving


def _asked_to_stop() -> "asyncio.Future[None]":
    loop = asyncio.get_running_loop()
    asked: asyncio.Future[None] = loop.create_future()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, lambda: asked.done() or asked.set_result(None))
    return asked


class _Server(uvicorn.Server):
    """A server that leaves signals to us: work is drained before connections are."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Take none."""
        yield


def _room_for(connections: int) -> int:
    """How many connections fit beside the files, browsers and databases that need descriptors as well."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    # shells often give 1,024, and every browser takes dozens
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return min(connections, most // 2) if most != resource.RLIM_INFINITY else connections


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    # a restarted service must not wait for connections of the one before to time out
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as trouble:
        listener.close()
        raise Unavailable(
            f"cannot listen on {settings.host}:{settings.port} ({trouble.strerror}). "
            "Give another port with `--port`."
        ) from trouble
    return listener


async def _demand_key(settings: Settings, stores: Stores) -> None:
    """Beyond loopback a key is needed, unless the operator has set `PAGEHAND_ALLOW_KEYLESS`."""
    if is_loopback(settings.host) or settings.allow_keyless or await stores.keys.any_active():
        return
    raise Forbidden(
        f"{settings.host} can be reached from other machines, and there is no API key yet. Make one with "
        "`pagehand keys create --organization NAME`, or set `PAGEHAND_ALLOW_KEYLESS=1` to stay open to all."
    )


def _reached(address: str) -> str:
    """Where other machines reach what listens on every address: by its own address, or its name."""
    name = socket.gethostname()
    with contextlib.suppress(OSError):
        found = socket.gethostbyname(name)
        name = name if is_loopback(found) else found
    return address.replace("//0.0.0.0:", f"//{name}:").replace("//[::]:", f"//{name}:")


def _shown_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host
