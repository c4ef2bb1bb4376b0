"""Browsers on this machine, one Chromium process tree per launch."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, CDPSession
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.installation import InstalledBrowser, require_browser
from pagehand.browser.provider import LaunchOptions, ProvidedBrowser, open_control, send
from pagehand.browser.providers.driver import CLOSE_SECONDS, Driver, Drivers, kill
from pagehand.errors import Unavailable
from pagehand.ids import new_id
from pagehand.settings import Settings

_LAUNCH_MS: Final = 30_000

# Playwright turns off Chromium's brake on pages that change their address many times a second; each
# change is an event for us, and a flood of them would keep everybody waiting
_IGNORED_DEFAULTS: Final = ("--disable-ipc-flooding-protection",)
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


def _launch_failure(path: Path, message: str) -> str:
    if "sandboxing failed" in message:
        return (
            f"The browser at `{path}` does not start: its sandbox needs user namespaces, which this machine "
            "or container forbids. Allow them (containers: `--security-opt seccomp=unconfined`); "
            "docs/deployment.md says more."
        )
    return f"The browser at `{path}` does not start: {message[:800]}"


class LocalProvider:
    """Launches Chromium on this machine, each with its own profile and downloads folder."""

    def __init__(self, settings: Settings, flags: Sequence[str] = ()) -> None:
        """Nothing starts before the first launch; `flags` are more options for Chromium."""
        self._settings = settings
        self._flags = flags
        self._drivers = Drivers()
        self._launched: set[_LaunchedBrowser] = set()
        self._ahead: asyncio.Task[ProvidedBrowser] | None = None

    def launch_ahead(self) -> None:
        """Begin the launch that the first `launch` waits for."""
        self._ahead = asyncio.create_task(self._launch(LaunchOptions()))

    async def launch(self, options: LaunchOptions) -> ProvidedBrowser:
        """Launch a browser, or take the one that is launched ahead."""
        if self._ahead is None or options != LaunchOptions():
            return await self._launch(options)
        ahead, self._ahead = self._ahead, None
        return await ahead

    async def _launch(self, options: LaunchOptions) -> ProvidedBrowser:
        """Launch a browser; a driver that has died is replaced first."""
        installed = await require_browser(self._settings)
        driver = await self._drivers.get()
        try:
            launched = await _launch(driver, installed, options, self._flags)
        except PlaywrightError as error:
            if await driver.is_alive():
                raise Unavailable(_launch_failure(installed.path, error.message)) from error
            launched = await _launch(await self._drivers.get(), installed, options, self._flags)
        self._launched.add(launched)

        async def close() -> None:
            self._launched.discard(launched)
            await launched.close()

        return ProvidedBrowser(
            launched.browser,
            launched.control,
            launched.vendor_id,
            launched.downloads,
            launched.died,
            close,
            is_reusable=True,
        )

    def start(self) -> None:
        """Do nothing: a browser ends with the process that drives it, so none is left behind."""

    async def end_lost(self, vendor_id: str) -> None:
        """Do nothing: it ended with its process."""

    async def close(self) -> None:
        """End every browser and the driver, and remove their folders."""
        if self._ahead is not None:  # nobody has taken it
            await asyncio.gather(self._ahead, return_exceptions=True)
        await asyncio.gather(*(launched.close() for launched in self._launched))
        self._launched.clear()
        await self._drivers.close()


@dataclass(slots=True, eq=False)
class _LaunchedBrowser:
    """One Chromium, and what has to be removed when it is closed."""

    driver: Driver
    browser: Browser
    control: CDPSession
    pid: int
    downloads: Path
    vendor_id: str
    died: asyncio.Future[str]

    async def close(self) -> None:
        try:
            # Playwright would wait half a minute for a hanging browser
            await asyncio.wait_for(self.browser.close(), CLOSE_SECONDS)
        except (PlaywrightError, TimeoutError):
            kill(self.pid, self.downloads.parent)
        await asyncio.to_thread(shutil.rmtree, self.downloads, ignore_errors=True)


async def _launch(
    driver: Driver, installed: InstalledBrowser, options: LaunchOptions, flags: Sequence[str]
) -> _LaunchedBrowser:
    downloads = Path(tempfile.mkdtemp(prefix="downloads-", dir=driver.home))
    vendor_id = new_id("local")
    # Chromium ignores it; an operator who lists processes sees which browser serves which execution
    arguments = [*_FLAGS, *flags, f"--pagehand-browser={vendor_id}"]
    if installed.kind != "headless-shell":
        arguments.append(f"--disable-features={','.join(_DISABLED_FEATURES)}")
    try:
        browser = await driver.playwright.chromium.launch(
            executable_path=installed.path,
            headless=True,
            chromium_sandbox=os.name != "posix" or os.geteuid() != 0,
            args=arguments,
            ignore_default_args=_IGNORED_DEFAULTS,
            downloads_path=downloads,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
            proxy=options.proxy.settings() if options.proxy else None,
            timeout=_LAUNCH_MS,
        )
        control = await open_control(browser)
        processes = await send(control, "SystemInfo.getProcessInfo")
    except PlaywrightError:
        shutil.rmtree(downloads, ignore_errors=True)
        raise
    pid = next(process["id"] for process in processes["processInfo"] if process["type"] == "browser")
    driver.pids.add(pid)
    return _LaunchedBrowser(driver, browser, control, pid, downloads, vendor_id, driver.new_death())
