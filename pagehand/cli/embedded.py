"""A service inside a command: on a free port, over a temporary folder, with the demo portal."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagehand.api.resources import operations
from pagehand.browser.provider import Provider
from pagehand.browser.providers import make_provider
from pagehand.browser.providers.local import LocalProvider
from pagehand.cli.commands import start_without_collecting
from pagehand.cli.private_data import keep_new_files_private
from pagehand.recordings.network import RecordedNetwork
from pagehand.settings import Settings

if TYPE_CHECKING:
    from pagehand.assemble import Service
    from pagehand.demo.first_run import Demo

_ALONE: dict[str, Any] = {
    "host": "127.0.0.1",
    "port": 0,
    "database": None,
    "files": None,
    "public_url": None,
    "require_key": False,
    "worker": True,
    "engine": None,
    "concurrency": 1,
    "browser_pool": 0,  # `warm_up` launches the one; another would start beside it, on the same processors
    "stop_grace_seconds": 0,
}
"""Settings of a service that is this command's own."""
_OFFLINE: dict[str, Any] = {
    "screenshots": False,
    "model": None,
    "captcha_solver": None,
    "browser_provider": "local",
}
"""What a service must not ask while it meets a recording."""


@asynccontextmanager
async def embedded_service(
    settings: Settings,
    allow: Sequence[str] = (),
    recorded: RecordedNetwork | None = None,
    *,
    needs_browser: bool = False,
) -> AsyncGenerator[str]:
    """The address of a service that lasts as long as the context; with `recorded`, without any network.

    With `needs_browser` a browser is launched meanwhile; it starts while the service's modules are loaded.
    """
    keep_new_files_private()
    if recorded is not None:
        settings = settings.model_copy(update=_OFFLINE)
    provider = make_provider(settings, "", recorded.browser_flags if recorded else ())
    async with AsyncExitStack() as stack:
        stack.push_async_callback(provider.close)
        if needs_browser and isinstance(provider, LocalProvider):
            provider.launch_ahead()
        await asyncio.to_thread(_load_service)
        yield await _open(settings, allow, recorded, provider, stack, needs_browser=needs_browser)


def _load_service() -> None:
    """Load what the service consists of, which takes a second."""
    with start_without_collecting():
        for module in ("cli.serve", "demo.first_run"):
            import_module(f"pagehand.{module}")
        operations()


async def _open(
    settings: Settings,
    allow: Sequence[str],
    recorded: RecordedNetwork | None,
    provider: Provider,
    stack: AsyncExitStack,
    *,
    needs_browser: bool,
) -> str:
    from pagehand.assemble import open_service  # noqa: PLC0415 - loaded while the browser starts
    from pagehand.cli import serve  # noqa: PLC0415 - as above
    from pagehand.demo.first_run import open_demo  # noqa: PLC0415 - as above

    # what it logs is for operators; the command itself says what went wrong
    serve.configure_logging("critical" if settings.log_level == "info" else settings.log_level)
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="pagehand-run-"))
    settings = settings.model_copy(update={**_ALONE, "data_dir": Path(folder)})
    demo = None
    if recorded is None:
        demo = await stack.enter_async_context(open_demo(settings))
        # the usual port, too: there is the portal of a `pagehand serve` where ours took another one
        usual = [f"127.0.0.1:{settings.demo_port}"] if settings.demo_port else []
        reachable = demo.with_portal(settings.egress_allow)
        settings = settings.model_copy(update={"egress_allow": reachable}).allowing([*usual, *allow])
    else:
        settings = settings.model_copy(update={"proxy": recorded.proxy_url})
    listener = serve.listen(settings)
    stack.callback(listener.close)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    service = await stack.enter_async_context(
        open_service(settings, address, _lost, recorded=recorded, provider=provider)
    )
    server = serve.Server(serve.uvicorn_config(settings, service.app))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    stack.push_async_callback(serve.shut_down, service, server, serving)
    if needs_browser:
        service.warm_up()
    await _start(service, demo)
    return address


async def _start(service: "Service", demo: "Demo | None") -> None:
    await service.start()
    service.readiness.problem = ""
    organization = await service.stores.organizations.ensure("default")
    if demo is not None:
        await demo.ensure_login(service.logins, organization.id)


def _lost(reason: str) -> None:
    raise AssertionError(f"nobody else has this folder: {reason}")
