"""Where the pages are served: packages unpacked into a folder, applications started, all on loopback."""

import base64
import contextlib
import functools
import hashlib
import http.server
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from playwright.async_api import Page

from phrase_pages import HERE, Source

sys.path.insert(0, str(HERE.parents[1] / "tests"))  # the applications are those of the tests
from support.apps import App, started_app

_KEPT: Final = Path(tempfile.gettempdir()) / "pagehand-phrase-pages"
_SECONDS: Final = 300
_APPLICATIONS: Final = {
    "django": ("admin", "/admin/", "username", "plain"),
    "datasette": ("datasette", "", "", ""),
    "roundup": ("roundup", "/", "__login_name", "ada"),
    "wagtail": ("wagtail", "/cms/", "username", "ada"),
}


class Pages(contextlib.ExitStack):
    """Serves what is asked for, once, until it is left."""

    def __init__(self) -> None:
        super().__init__()
        self._addresses: dict[str, str] = {}

    async def show(self, source: Source, page: Page) -> None:
        """Open the page, signed in where that is needed."""
        await page.goto(await self._address(source, page) + source.path, wait_until="load")
        await page.wait_for_timeout(500)

    async def _address(self, source: Source, page: Page) -> str:
        origin = source.origin.split(" ")[0] if source.is_application else source.origin
        if origin not in self._addresses:
            if source.is_application:
                self._addresses[origin] = await self._application(origin, page)
            else:
                self._addresses[origin] = self.enter_context(_served(_unpacked(origin)))
        return self._addresses[origin]

    async def _application(self, origin: str, page: Page) -> str:
        name, entrance, field, account = _APPLICATIONS[origin]
        folder = Path(self.enter_context(tempfile.TemporaryDirectory()))
        app: App = self.enter_context(started_app(name, folder))
        address = app.url.rstrip("/")
        if field:
            await page.goto(address + entrance)
            await page.fill(f"[name={field}]", account)
            await page.fill("[type=password]", app.facts["password"])
            await page.press("[type=password]", "Enter")
            await page.wait_for_timeout(1500)
        return address


def _unpacked(package: str) -> Path:
    """The package's own files, as the registry gives them; nothing is run, nothing it needs is fetched."""
    wanted = json.loads((HERE / "packages.json").read_text(encoding="utf-8"))[package]
    folder = _KEPT / package.replace("/", "_")
    if not folder.exists():
        with tempfile.TemporaryDirectory() as work:
            command = [shutil.which("npm") or "npm", "pack", "--silent", package]
            subprocess.run(command, cwd=work, check=True, capture_output=True, timeout=_SECONDS)  # noqa: S603 - ours
            [archive] = Path(work).glob("*.tgz")
            found = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
            if f"sha512-{found}" != wanted:
                raise RuntimeError(f"{package} is not the package that was measured: {found}")
            with tarfile.open(archive) as packed:
                packed.extractall(folder, filter="data")
    return next(item for item in folder.iterdir() if item.is_dir())


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own word
        del format, args


@contextmanager
def _served(folder: Path) -> Generator[str]:
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()
