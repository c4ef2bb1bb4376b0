"""`pagehand serve`: the service in one process, with its demo beside it."""

import asyncio
import contextlib
import ctypes
import gc
import logging
import resource
import signal
import socket
import sys
from collections.abc import Callable, Coroutine, Generator
from typing import BinaryIO

import orjson
import structlog
import uvicorn
from rich.console import Console
from starlette.types import ASGIApp
from uvicorn.protocols.websockets.wsproto_impl import WSProtocol
from wsproto import events

from pagehand import bubblewrap, confinement
from pagehand.api.auth import is_loopback
from pagehand.api.protocol import ConnectionLimits, limited_protocol
from pagehand.assemble import Service, open_service
from pagehand.cli.private_data import lock_data_dir
from pagehand.demo.first_run import Demo, open_demo
from pagehand.errors import Conflict, Forbidden, Unavailable
from pagehand.loop import LoopWatch
from pagehand.settings import Settings
from pagehand.storage import Stores

_log = structlog.get_logger("pagehand")
_M_MMAP_THRESHOLD = -3
"""The option of `mallopt` in glibc's malloc.h."""
_LARGE_BUFFER_BYTES = 512 * 1024
_UNSENT_BYTES = 128 * 1024
_DRAIN_SECONDS = 2
_MESSAGE_BYTES = 1_000_000
"""The largest message over the live view's WebSocket; files are sent in smaller pieces."""
_MAX_UNREAD_MESSAGES = 2000
"""Reading pauses while messages wait, but one piece of data may hold tens of thousands."""
_MAX_UNSENT_BYTES = 64 * 1024
Start = Callable[[Settings, Service, Demo | None, str], Coroutine[None, None, None]]
ChooseApp = Callable[[Service], ASGIApp]
"""Chooses what of the service is served to others."""


class LimitedWebSocket(WSProtocol):
    """A WebSocket whose client may neither send more than is read nor leave answers to pings unread."""

    def handle_message(self, event: events.TextMessage | events.BytesMessage) -> None:
        """Queue a message for the application."""
        if self.queue.qsize() < _MAX_UNREAD_MESSAGES:
            super().handle_message(event)
        else:
            self.transport.abort()

    def handle_ping(self, event: events.Ping) -> None:
        """Answer a ping, unless the client does not read the answers."""
        if self.transport.get_write_buffer_size() < _MAX_UNSENT_BYTES:
            super().handle_ping(event)


def _whole_app(service: Service) -> ASGIApp:
    return service.app


def serve(settings: Settings) -> None:
    """Run the service until asked to stop."""
    run(settings, _start)


def _return_large_buffers() -> None:
    """Have buffers of megabytes returned to the system when they are freed: glibc keeps them for later."""
    with contextlib.suppress(AttributeError, OSError, TypeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE_BUFFER_BYTES)


def run(settings: Settings, start: Start, choose_app: ChooseApp = _whole_app) -> None:
    """Run a process of the service until asked to stop; `start` makes it ready and prints that."""
    configure_logging(settings.log_level)
    _return_large_buffers()
    with lock_data_dir(settings.data_dir):
        uvicorn_loop = uvicorn.Config("", loop="auto").get_loop_factory()
        with asyncio.Runner(loop_factory=uvicorn_loop) as runner:
            runner.run(_serve(settings, start, choose_app))


async def _serve(settings: Settings, start: Start, choose_app: ChooseApp) -> None:
    """Serve until asked to stop; running executions then get their grace period, the rest is requeued."""
    # first: a port that is in use is reported before anything is opened or changed
    listener = listen(settings)
    settings = settings.model_copy(update={"max_connections": _connection_limit(settings.max_connections)})
    watch = LoopWatch()
    address = f"http://{_url_host(settings.host)}:{listener.getsockname()[1]}"
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(listener.close)  # an error while starting must free the port, too
        stack.callback(watch.stop)
        demo = await stack.enter_async_context(open_demo(settings)) if settings.demo else None
        if demo is not None:
            settings = settings.model_copy(update={"egress_allow": demo.with_portal(settings.egress_allow)})
        lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        base_url, own_address = settings.public_url or address, _reachable_address(address)
        service = await stack.enter_async_context(
            open_service(settings, base_url, lost.set_result, demo, own_address)
        )
        service.request_log.json_stream = _json_log(settings)
        server = Server(uvicorn_config(settings, choose_app(service)))
        gc.enable()  # the command has disabled it while the service was put together
        # requests are answered from now on, until the service has started with the reason to wait
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        stop = stop_requested()
        starting = asyncio.create_task(start(settings, service, demo, address))
        try:
            await asyncio.wait([starting, serving, stop], return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                starting.result()  # raises what keeps the service from starting
                await _warn_without_bubblewrap()
                gc.freeze()  # these objects stay: full collections need not look at them
                watch.start()  # not before: starting may block the loop while nobody waits
                await asyncio.wait([serving, stop, lost], return_when=asyncio.FIRST_COMPLETED)
        finally:
            starting.cancel()
            await asyncio.wait([starting])
            if lost.done():
                service.engine.abandon(lost.result())
            await shut_down(service, server, serving)
        if lost.done():
            raise Conflict(lost.result())


def uvicorn_config(settings: Settings, app: ASGIApp) -> uvicorn.Config:
    """How the service is served: connections and messages within limits."""
    limits = ConnectionLimits(connections=settings.max_connections)
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws=LimitedWebSocket,
        ws_max_size=_MESSAGE_BYTES,
        ws_per_message_deflate=False,  # pictures do not shrink, and a small message could become a large one
        http=limited_protocol(limits),
        # no need to reveal the server and its version
        server_header=False,
        # addresses in forwarding headers are not trusted here, so they need not be read
        proxy_headers=False,
        date_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_DRAIN_SECONDS,
    )


async def _start(settings: Settings, service: Service, demo: Demo | None, address: str) -> None:
    await service.start()
    await _require_key(settings, service.stores)
    service.readiness.problem = ""
    if demo is not None:
        await demo.set_up(service.engine, service.stores, service.logins, service.schedules)
    show_banner(settings, address, demo)


async def _warn_without_bubblewrap() -> None:
    if problem := await bubblewrap.problem():
        _log.warning(
            f"bubblewrap cannot be used: {problem}. User code and readers of documents run in processes of "
            f"limited memory and time. {confinement.describe()}."
        )


async def shut_down(service: Service, server: uvicorn.Server, serving: "asyncio.Task[None]") -> None:
    """Stop the executions, then the server."""
    await service.engine.stop()  # waiting clients get their responses before the port is closed
    service.changes.close()
    server.should_exit = True
    await serving
    service.request_log.write()


def stop_requested() -> "asyncio.Future[None]":
    """Done once the process gets SIGINT or SIGTERM."""
    loop = asyncio.get_running_loop()
    requested: asyncio.Future[None] = loop.create_future()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, lambda: requested.done() or requested.set_result(None))
    return requested


class Server(uvicorn.Server):
    """Leaves signals to us: executions stop before connections are closed."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture none."""
        yield


def _connection_limit(wanted: int) -> int:
    """How many connections fit beside the files, browsers and databases that also need descriptors."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    # shells often set 1,024, and every browser takes dozens
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return min(wanted, most // 2) if most != resource.RLIM_INFINITY else wanted


def listen(settings: Settings) -> socket.socket:
    """A socket on the configured port; raises Unavailable when it is in use."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    # a restarted service must not wait until connections of the last one time out
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # holds for its connections: else the kernel takes megabytes of a download that the client does not read
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT_BYTES)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        raise Unavailable(
            f"cannot listen on {settings.host}:{settings.port} ({error.strerror}). "
            "Give another port with `--port`."
        ) from error
    return listener


async def _require_key(settings: Settings, stores: Stores) -> None:
    """Refuse to listen beyond loopback without an API key, unless `PAGEHAND_ALLOW_KEYLESS` is set."""
    if is_loopback(settings.host) or settings.allow_keyless or await stores.keys.any_active():
        return
    raise Forbidden(
        f"{settings.host} can be reached from other machines, and there is no API key yet. Make one with "
        "`pagehand keys create --organization NAME`, or set `PAGEHAND_ALLOW_KEYLESS=1` to stay open to all."
    )


def _reachable_address(address: str) -> str:
    """The address for other machines: if it listens on all interfaces, by this machine's IP or name."""
    name = socket.gethostname()
    with contextlib.suppress(OSError):
        found = socket.gethostbyname(name)
        name = name if is_loopback(found) else found
    return address.replace("//0.0.0.0:", f"//{name}:").replace("//[::]:", f"//{name}:")


def _url_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def show_banner(settings: Settings, address: str, demo: Demo | None) -> None:
    """Print the addresses, and a command to try first."""
    echo = Console(highlight=False, soft_wrap=True).print
    echo("\n[bold]Pagehand is ready.[/bold]")
    echo(f"  Console    {address}/")
    echo(f"  API        {address}")
    echo(f"  API docs   {address}/docs")
    echo(f"  Data       {settings.data_dir}")
    if demo is None:
        echo("")
        return
    echo(f"  Demo site  {demo.url}   (user demo, password demo)")
    echo("\nRun the demo workflow and wait for its result:\n")
    echo(
        f"  curl -s {address}/workflows/executeSync -H 'Content-Type: application/json' \\\n"
        f'    -d \'{{"workflowName": "{demo.workflow_name}"}}\'\n',
        # the JSON has brackets, which Rich would read as markup
        markup=False,
    )
    echo(f"Open {address}/ in a browser to see it happen.\n")


def configure_logging(level: str) -> None:
    """Set up structlog, and show only warnings of libraries."""
    is_terminal = sys.stderr.isatty()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            # a request's line may be written a moment after the request has ended
            structlog.processors.MaybeTimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _logfmt() if is_terminal else structlog.processors.JSONRenderer(serializer=orjson.dumps),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        # stdout belongs to what commands print for programs
        # as bytes a line takes a third less time than as text
        logger_factory=structlog.WriteLoggerFactory(sys.stderr)
        if is_terminal
        else structlog.BytesLoggerFactory(sys.stderr.buffer),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")


def _json_log(settings: Settings) -> BinaryIO | None:
    """Where lines of the level info go as JSON, if they do."""
    is_shown = logging.getLevelNamesMapping()[settings.log_level.upper()] <= logging.INFO
    return sys.stderr.buffer if is_shown and not sys.stderr.isatty() else None


def _logfmt() -> structlog.typing.Processor:
    return structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"], drop_missing=True)
