"""Finding a browser on this machine, and installing one where there is none."""

import asyncio
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version as package_version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, cast

from pagehand.errors import Unavailable
from pagehand.settings import Settings

Kind = Literal["headless-shell", "chromium"]

INSTALL_COMMAND: Final = "playwright install chromium --only-shell"
_INSTALL_SECONDS: Final = 600
_PERCENT: Final = re.compile(rb"(\d{1,3})% of")
_DRIVER_LIBRARY: Final = "libatomic1"
"""Playwright's Node.js needs it on ARM, and a slim Debian does not have it."""
_SYSTEM_NAMES: Final = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "chromium",
    "chromium-browser",
    "microsoft-edge-stable",
    "microsoft-edge",
    "msedge",
)
_HELPERS: Final = frozenset(
    {"chrome_crashpad_handler", "chrome-wrapper", "chrome_sandbox", "chrome-management-service"}
)
"""Programs beside Chromium that are not browsers."""
_SYSTEM_PATHS: Final = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)


@dataclass(slots=True, frozen=True)
class InstalledBrowser:
    """A Chromium that can be launched."""

    path: Path
    kind: Kind
    source: str
    """Where it was found: `PAGEHAND_BROWSER_PATH`, `playwright` or `system`."""

    async def version(self) -> str:
        """The browser's version; starts it, so not for the hot path."""
        flags = ["--version"] if os.name != "posix" or os.geteuid() != 0 else ["--version", "--no-sandbox"]
        process = await asyncio.create_subprocess_exec(
            self.path, *flags, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        try:
            output, _ = await asyncio.wait_for(process.communicate(), 20)
        except TimeoutError:
            process.kill()
            await process.wait()
            return "unknown version"
        return output.decode(errors="replace").strip() or "unknown version"


def find_browser(settings: Settings) -> InstalledBrowser | None:
    """The browser to use, or None; looks at files only, so it is quick."""
    if settings.browser_path is not None:
        if not _is_program(settings.browser_path):
            raise Unavailable(
                f"`PAGEHAND_BROWSER_PATH` names `{settings.browser_path}`, which is not a program. "
                "Give the path of a Chromium, or unset it."
            )
        return InstalledBrowser(settings.browser_path, _kind(settings.browser_path), "PAGEHAND_BROWSER_PATH")
    for path in _playwright_browsers():
        return InstalledBrowser(path, _kind(path), "playwright")
    for path in _system_browsers():
        return InstalledBrowser(path, _kind(path), "system")
    return None


async def require_browser(settings: Settings) -> InstalledBrowser:
    """The browser to use; installs one if there is none and the settings allow it."""
    found = find_browser(settings)
    if found is None and settings.browser_install:
        await install_browser()
        found = find_browser(settings)
    if found is None:
        raise Unavailable(
            f"No browser was found. Run `{INSTALL_COMMAND}`, or set `PAGEHAND_BROWSER_PATH` to a Chromium."
        )
    return found


async def install_browser(on_percent: Callable[[int], None] = lambda _: None) -> None:
    """Install a headless Chromium, by Playwright or else by the system's package manager.

    `on_percent` hears how much of each download is done.
    """
    installer = (sys.executable, "-m", "playwright", "install", "chromium", "--only-shell")
    output = await run_installer(*installer, on_percent=on_percent)
    if output is None:
        return
    if _is_debian_root():
        await run_installer("apt-get", "update", "-q")
        apt_output = await run_installer("apt-get", "install", "-y", "-q", "chromium-headless-shell")
        if apt_output is None or await run_installer("apt-get", "install", "-y", "-q", "chromium") is None:
            return
        output = f"{output}\n{apt_output}"
    raise Unavailable(
        f"No browser could be installed. Run `{INSTALL_COMMAND}` where downloads are allowed, or install "
        f"Chromium and set `PAGEHAND_BROWSER_PATH`. The installer printed: {output.strip()[-600:]}"
    )


async def driver_problem() -> str:
    """Why Playwright's driver does not start, and what to do; "" when it does. Not for the hot path."""
    output = await run_installer(sys.executable, "-m", "playwright", "--version")
    if output is None:
        return ""
    advice = f"install `{_DRIVER_LIBRARY}`" if "libatomic" in output else "reinstall the package `playwright`"
    return f"Playwright's driver does not start ({output.strip()[-300:]}): {advice}."


async def install_packages() -> None:
    """Install bubblewrap and the library that the driver lacks, where we are root on Debian."""
    missing = [] if shutil.which("bwrap") else ["bubblewrap"]
    if "libatomic" in await driver_problem():
        missing.append(_DRIVER_LIBRARY)
    if missing and _is_debian_root():
        await run_installer("apt-get", "update", "-q")
        await run_installer("apt-get", "install", "-y", "-q", *missing)


async def describe(settings: Settings) -> list[str]:
    """Lines about the browser for `pagehand doctor`."""
    lines = [f"Playwright {package_version('playwright')}"]
    if problem := await driver_problem():
        lines.append(problem)
    try:
        found = find_browser(settings)
    except Unavailable as error:
        return [*lines, error.message]
    if found is None:
        return [*lines, f"No browser found. Run `{INSTALL_COMMAND}`."]
    lines.append(f"{await found.version()} ({found.kind}, from {found.source}) at {found.path}")
    lines.append(
        "Chromium's sandbox is off because this is root; run Pagehand as another user to keep it on."
        if _runs_as_root()
        else "Chromium's sandbox is on; it needs user namespaces"
    )
    return lines


def _runs_as_root() -> bool:
    return os.name == "posix" and os.geteuid() == 0


def _kind(path: Path) -> Kind:
    return "headless-shell" if "headless" in path.name else "chromium"


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _playwright_browsers() -> Iterator[Path]:
    """Browsers of `playwright install`, in the revision that this Playwright wants."""
    revisions = _wanted_revisions()
    for folder, pattern in (
        (f"chromium_headless_shell-{revisions.get('chromium-headless-shell')}", "*/*headless*shell*"),
        (f"chromium-{revisions.get('chromium')}", "*/chrome*"),
    ):
        for path in sorted((_playwright_home() / folder).glob(pattern)):
            if path.suffix in {"", ".exe"} and _is_program(path) and path.name.split(".")[0] not in _HELPERS:
                yield path


def _wanted_revisions() -> dict[str, str]:
    spec = find_spec("playwright")
    if spec is None or spec.origin is None:
        return {}
    listing = Path(spec.origin).parent / "driver" / "package" / "browsers.json"
    if not listing.is_file():
        return {}
    content: dict[str, Any] = json.loads(listing.read_text(encoding="utf-8"))
    return {entry["name"]: entry["revision"] for entry in content["browsers"]}


def _playwright_home() -> Path:
    if named := os.environ.get("PLAYWRIGHT_BROWSERS_PATH"):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ms-playwright"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "ms-playwright"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "ms-playwright"


def _system_browsers() -> Iterator[Path]:
    for name in _SYSTEM_NAMES:
        if found := shutil.which(name):
            yield Path(found)
    for path in map(Path, _SYSTEM_PATHS):
        if _is_program(path):
            yield path


def _is_debian_root() -> bool:
    return _runs_as_root() and Path("/etc/debian_version").exists() and shutil.which("apt-get") is not None


async def run_installer(*command: str, on_percent: Callable[[int], None] = lambda _: None) -> str | None:
    """Run an installer; None when it succeeds, else what it printed."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )
    stdout = cast("asyncio.StreamReader", process.stdout)
    output = b""
    try:
        async with asyncio.timeout(_INSTALL_SECONDS):
            while chunk := await stdout.read(4096):
                output += chunk
                for percent in _PERCENT.findall(chunk):
                    on_percent(int(percent))
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
        return f"`{' '.join(command)}` took longer than {_INSTALL_SECONDS} s"
    return None if process.returncode == 0 else output.decode(errors="replace")
