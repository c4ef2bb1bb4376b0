"""Browsers on this machine: one Playwright driver, restarted if it dies, and one Chromium per launch."""

import asyncio
import contextlib
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Generator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, CDPSession, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.devtools import send
from pagehand.browser.installation import InstalledBrowser, require_browser
from pagehand.browser.provider import LaunchOptions, ProvidedBrowser
from pagehand.errors import Unavailable
from pagehand.ids import new_id
from pagehand.settings import Settings

_HOME_PREFIX: Final = "pagehand-browsers-"
_SMALL_NURSERY: Final = "--max-semi-space-size=1"
_LAUNCH_MS: Final = 30_000
_CLOSE_SECONDS: Final = 5.0
_HEARTBEAT_SECONDS: Final = 1.0

_FLAGS: Final = (
    "--disable-quic",  # UDP would not go through the proxy
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    # the headless shell reads only this spelling
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--no-first-run",
    "--no-pings",
)

# Chromium keeps only the last --disable-features, so ours has to repeat Playwright's own list.
# In new headless the two WebUI pages cost more than half of a run's CPU time.
_DISABLED_FEATURES: Final = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "TcpPortRandomizationWin",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    "msForceBrowserSignIn",
    "msEdgeUpdateLaunchServicesPreferredVersion",
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
)


class LocalProvider:
    """Launches Chromium here, each with a profile and a downloads folder of its own."""

    def __init__(self, settings: Settings) -> None:
        """Nothing starts before the first launch."""
        self._settings = settings
        self._driver: _Driver | None = None
        self._starting = asyncio.Lock()
        self._launched: set[_Launched] = set()
        self._watching: asyncio.Task[None] | None = None
        self._clearing: set[asyncio.Task[None]] = set()

    async def launch(self, options: LaunchOptions) -> ProvidedBrowser:
        """A fresh browser; a driver that has died is replaced first."""
        installed = await require_browser(self._settings)
        driver = await self._living_driver()
        try:
            launched = await driver.launch(installed, options)
        except PlaywrightError as error:
            if await driver.is_alive():
                raise Unavailable(
                    f"The browser at `{installed.path}` does not start: {error.message[:800]}"
                ) from error
            launched = await (await self._living_driver()).launch(installed, options)
        self._launched.add(launched)

        async def close() -> None:
            self._launched.discard(launched)
            await launched.close()

        return ProvidedBrowser(
            launched.browser, launched.control, launched.vendor_id, launched.downloads, launched.died, close
        )

    async def close(self) -> None:
        """End every browser and the driver, and remove their folders."""
        if self._watching is not None:
            self._watching.cancel()
        await asyncio.gather(*(launched.close() for launched in self._launched))
        self._launched.clear()
        await asyncio.gather(*self._clearing)
        if self._driver is not None:
            await self._driver.stop()
            self._driver = None

    async def _living_driver(self) -> "_Driver":
        async with self._starting:
            if self._driver is not None and self._driver.is_dead:
                # nobody should wait for the remains to be cleared away
                task = asyncio.ensure_future(self._driver.stop())
                self._clearing.add(task)
                task.add_done_callback(self._clearing.discard)
                self._driver = None
            if self._driver is None:
                self._driver = await _Driver.start()
                self._watching = asyncio.ensure_future(self._watch(self._driver))
            return self._driver

    async def _watch(self, driver: "_Driver") -> None:
        """Notice when the driver is killed: Playwright lets its browsers go without a word."""
        while await driver.is_alive():  # noqa: ASYNC110 - Playwright offers no event for it
            await asyncio.sleep(_HEARTBEAT_SECONDS)
        for launched in self._launched:
            if launched.driver is driver and not launched.died.done():
                launched.died.set_result("The browser died with Playwright's driver.")


@contextlib.contextmanager
def _driver_environment(home: Path) -> Generator[None]:
    """What the driver is to find in its environment; Playwright offers no option for either.

    It makes profiles in its temporary folder: a folder of our own lets us remove them also after the driver
    was killed. A small nursery keeps Node's heap some 12 MB smaller.
    """
    wanted = {"TMPDIR": str(home), "NODE_OPTIONS": os.environ.get("NODE_OPTIONS", _SMALL_NURSERY)}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _expect_its_end(starter: object) -> None:
    """Hear the news of a driver that ended: Playwright keeps it in a future that nobody else ever asks."""
    try:
        news: asyncio.Future[object] = attrgetter("_client._transport.on_error_future")(starter)
    except AttributeError:
        return  # a version of Playwright that tells it in another way
    news.add_done_callback(_hear)


def _hear(news: "asyncio.Future[object]") -> None:
    if not news.cancelled():
        news.exception()


class _Driver:
    """Playwright's process and the folder under which its browsers keep their profiles."""

    def __init__(self, playwright: Playwright, home: Path) -> None:
        self._playwright = playwright
        self._home = home
        self._pids: set[int] = set()
        self.is_dead = False

    @classmethod
    async def start(cls) -> "_Driver":
        await asyncio.to_thread(_remove_orphaned_homes)
        home = Path(tempfile.mkdtemp(prefix=f"{_HOME_PREFIX}{os.getpid()}-"))
        with _driver_environment(home):
            starter = async_playwright()
            playwright = await starter.start()
        _expect_its_end(starter)
        return cls(playwright, home)

    async def is_alive(self) -> bool:
        """Ask the process for something small; remembers when there is no answer."""
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await (await self._playwright.request.new_context()).dispose()
        except PlaywrightError:
            self.is_dead = True
        except TimeoutError:
            # a busy machine is slow to answer; only a closed connection is proof
            return not self.is_dead
        return not self.is_dead

    async def launch(self, installed: InstalledBrowser, options: LaunchOptions) -> "_Launched":
        downloads = Path(tempfile.mkdtemp(prefix="downloads-", dir=self._home))
        vendor_id = new_id("local")
        # Chromium ignores it; an operator who lists processes sees which browser serves which execution
        arguments = [*_FLAGS, f"--pagehand-browser={vendor_id}"]
        if installed.kind != "headless-shell":
            arguments.append(f"--disable-features={','.join(_DISABLED_FEATURES)}")
        try:
            browser = await self._playwright.chromium.launch(
                executable_path=installed.path,
                headless=True,
                chromium_sandbox=os.name != "posix" or os.geteuid() != 0,
                args=arguments,
                downloads_path=downloads,
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
                proxy=options.proxy.settings() if options.proxy else None,
                timeout=_LAUNCH_MS,
            )
            control = await browser.new_browser_cdp_session()
            processes = await send(control, "SystemInfo.getProcessInfo")
            await send(control, "Target.setDiscoverTargets", discover=True, filter=[{"type": "page"}])
        except PlaywrightError:
            shutil.rmtree(downloads, ignore_errors=True)
            raise
        pid = next(process["id"] for process in processes["processInfo"] if process["type"] == "browser")
        self._pids.add(pid)
        died: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        return _Launched(self, browser, control, pid, downloads, vendor_id, died)

    async def stop(self) -> None:
        # a driver that was killed has nothing left to stop and says so in its own ways
        with contextlib.suppress(PlaywrightError, TimeoutError, OSError):
            await asyncio.wait_for(self._playwright.stop(), 0.1 if self.is_dead else _CLOSE_SECONDS)
        for pid in _running_in(self._home) | self._pids:
            _kill(pid, self._home)
        await asyncio.to_thread(_remove, self._home)


@dataclass(slots=True, eq=False)
class _Launched:
    """One Chromium, and what must be gone when it is closed."""

    driver: _Driver
    browser: Browser
    control: CDPSession
    pid: int
    downloads: Path
    vendor_id: str
    died: asyncio.Future[str]

    async def close(self) -> None:
        try:
            # Playwright would give a hanging browser half a minute; it gets less from us
            await asyncio.wait_for(self.browser.close(), _CLOSE_SECONDS)
        except (PlaywrightError, TimeoutError):
            _kill(self.pid, self.downloads.parent)
        await asyncio.to_thread(shutil.rmtree, self.downloads, ignore_errors=True)


def _running_in(home: Path) -> set[int]:
    """Processes that work in the folder, also those that were still starting when their driver died."""
    found: set[int] = set()
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if os.fsencode(home) in command.read_bytes():
                found.add(int(command.parent.name))
    return found


def _kill(pid: int, home: Path) -> None:
    """End what is left of a browser; its wrapper script and all its children are one process group."""
    command = Path(f"/proc/{pid}/cmdline")
    with contextlib.suppress(ProcessLookupError, PermissionError, FileNotFoundError):
        if os.name != "posix":
            os.kill(pid, signal.SIGTERM)
        # the number may belong to somebody else by now; the profile's folder in its command says whose it is
        elif not Path("/proc/self").exists() or os.fsencode(home) in command.read_bytes():
            os.killpg(os.getpgid(pid), signal.SIGKILL)


def _remove(home: Path) -> None:
    """Remove a folder in which a browser that was just killed may still be writing its last."""
    for _ in range(20):
        shutil.rmtree(home, ignore_errors=True)
        if not home.exists():
            return
        time.sleep(0.1)


def _remove_orphaned_homes() -> None:
    """Folders of services that were killed before they could tidy up."""
    for home in Path(tempfile.gettempdir()).glob(f"{_HOME_PREFIX}*-*"):
        owner = home.name.removeprefix(_HOME_PREFIX).split("-")[0]
        if owner.isdigit() and not _is_running(int(owner)):
            shutil.rmtree(home, ignore_errors=True)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
