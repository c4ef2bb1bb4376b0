"""Playwright's driver: the process that talks to browsers, and the folder of their profiles."""

import asyncio
import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Generator
from operator import attrgetter
from pathlib import Path
from typing import Final
from weakref import WeakSet

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Playwright, async_playwright

from pagehand import temporary_files
from pagehand.browser.installation import driver_problem
from pagehand.errors import Unavailable
from pagehand.loop import spawn

_SMALL_NURSERY: Final = "--max-semi-space-size=1"
_HEARTBEAT_SECONDS: Final = 1.0
CLOSE_SECONDS: Final = 5.0
"""How long a browser or the driver may take to end by itself."""


class Driver:
    """Playwright's process and the folder under which its browsers keep their profiles."""

    def __init__(self, playwright: Playwright, home: Path) -> None:
        self.playwright = playwright
        self.home = home
        """Below it lie the profiles and downloads of all its browsers."""
        self.pids: set[int] = set()
        """The browsers it has launched."""
        self.is_dead = False
        self._deaths: WeakSet[asyncio.Future[str]] = WeakSet()

    @classmethod
    async def start(cls) -> "Driver":
        """Start a process with an empty folder."""
        home = Path(tempfile.mkdtemp(prefix=temporary_files.prefix("browsers")))
        # only while it starts: other child processes should not see it
        with _driver_environment(home):
            starter = async_playwright()
            try:
                playwright = await starter.start()
            except Exception as error:  # Playwright raises a bare Exception when its driver ends at once
                shutil.rmtree(home, ignore_errors=True)
                raise Unavailable(await driver_problem() or f"Playwright did not start: {error}") from error
        _retrieve_its_error(starter)
        return cls(playwright, home)

    async def is_alive(self) -> bool:
        """Ask the process for something small; remember when it is dead."""
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await (await self.playwright.request.new_context()).dispose()
        except PlaywrightError:
            self.is_dead = True
        except TimeoutError:
            # a busy machine is slow to answer; only a closed connection proves the death
            return not self.is_dead
        return not self.is_dead

    def new_death(self) -> "asyncio.Future[str]":
        """A future that resolves with the reason when the driver dies, of which Playwright has no event."""
        death: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._deaths.add(death)
        return death

    async def watch(self) -> None:
        """Poll the driver and resolve the futures of `new_death` when it has died."""
        while await self.is_alive():  # noqa: ASYNC110 - Playwright offers no event for it
            await asyncio.sleep(_HEARTBEAT_SECONDS)
        for death in self._deaths:
            if not death.done():
                death.set_result("The browser died with Playwright's driver.")

    async def stop(self) -> None:
        """End it, its browsers and its folder."""
        # stopping a driver that was killed makes Playwright raise in several ways
        with contextlib.suppress(PlaywrightError, TimeoutError, OSError):
            await asyncio.wait_for(self.playwright.stop(), 0.1 if self.is_dead else CLOSE_SECONDS)
        # a browser that was starting when its driver died is not among `pids` yet
        for pid in _running_in(self.home) | self.pids:
            kill(pid, self.home)
        await asyncio.to_thread(temporary_files.remove, self.home)


class Drivers:
    """One driver at a time; one that has died is replaced."""

    def __init__(self) -> None:
        self._driver: Driver | None = None
        self._starting = asyncio.Lock()
        self._watching: asyncio.Task[None] | None = None
        self._clearing: set[asyncio.Task[None]] = set()

    async def get(self) -> Driver:
        """The running driver; starts one where there is none."""
        async with self._starting:
            if self._driver is not None and self._driver.is_dead:
                # cleaning up after the dead one takes time that the caller need not wait
                spawn(self._clearing, self._driver.stop())
                self._driver = None
            if self._driver is None:
                self._driver = await Driver.start()
                self._watching = asyncio.ensure_future(self._driver.watch())
            return self._driver

    async def close(self) -> None:
        """End the driver, and finish cleaning up after earlier ones."""
        if self._watching is not None:
            self._watching.cancel()
        await asyncio.gather(*self._clearing)
        if self._driver is not None:
            await self._driver.stop()
            self._driver = None


def kill(pid: int, home: Path) -> None:
    """Kill a browser with its wrapper script and all its children, which are one process group."""
    command = Path(f"/proc/{pid}/cmdline")
    with contextlib.suppress(ProcessLookupError, PermissionError, FileNotFoundError):
        if os.name != "posix":
            os.kill(pid, signal.SIGTERM)
        # another process may have the number by now: only ours has the profile's folder in its command
        elif not Path("/proc/self").exists() or os.fsencode(home) in command.read_bytes():
            os.killpg(os.getpgid(pid), signal.SIGKILL)


@contextlib.contextmanager
def _driver_environment(home: Path) -> Generator[None]:
    """Environment variables for the driver; Playwright has no option for either.

    The driver makes profiles in its temporary folder: with a folder of our own we can remove them even after
    the driver was killed. A small nursery keeps Node's heap some 12 MB smaller.
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


def _retrieve_its_error(starter: object) -> None:
    """Retrieve the error of a driver that ended, or asyncio logs Playwright's future as never retrieved."""
    try:
        error: asyncio.Future[object] = attrgetter("_client._transport.on_error_future")(starter)
    except AttributeError:
        return  # a version of Playwright that reports it in another way
    error.add_done_callback(_retrieve)


def _retrieve(error: "asyncio.Future[object]") -> None:
    if not error.cancelled():
        error.exception()


def _running_in(home: Path) -> set[int]:
    """Processes with the folder in their command, also those still starting when their driver died."""
    found: set[int] = set()
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if os.fsencode(home) in command.read_bytes():
                found.add(int(command.parent.name))
    return found
