"""The pages on loopback: packages from the npm registry, our own pages, and running applications."""

import functools
import http.server
import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from extraction_pages.case import Case, Json

_HERE = Path(__file__).parent
_TESTS = _HERE.parents[1] / "tests"
_SIGN_IN = {
    "admin": ("/admin/", "username", "password", "plain"),
    "wagtail": ("/cms/", "username", "password", "ada"),
    "roundup": ("/", "__login_name", "__login_password", "ada"),
}


class Pages:
    """Where every page is, and what has to be done before it can be read."""

    def __init__(self, address: str, packages: set[str], applications: dict[str, Any]) -> None:
        self._address, self._packages, self._applications = address, packages, applications

    def has(self, case: Case) -> bool:
        """True when the page of a case could be brought here."""
        source = case.page.partition(":")[0]
        return source == "own" or source in self._packages or source in self._applications

    def blocks(self, case: Case) -> list[Json]:
        """The blocks that lead to the page of a case."""
        source, _, path = case.page.partition(":")
        application = self._applications.get(source)
        if application is None:
            folder = "own" if source == "own" else f"npm/{source}"
            return [_open(f"{self._address}/{folder}/{path}")]
        return [*_signed_in(source, application), _open(application.url + path)]


@contextmanager
def served(packages: dict[str, str], applications: set[str], folder: Path) -> Generator[Pages]:
    """All pages, for as long as they are needed."""
    (folder / "own").symlink_to(_HERE / "own")
    (folder / "npm").symlink_to(_HERE / "packages")
    there = {name for name, wanted in packages.items() if _fetch(name, wanted)}
    with ExitStack() as running:
        address = running.enter_context(_serving(folder))
        sys.path.insert(0, str(_TESTS))
        from support.apps import started_app  # noqa: PLC0415 - the tests' own helper, outside the package

        apps = {name: running.enter_context(started_app(name, folder)) for name in sorted(applications)}
        yield Pages(address, there, apps)


def _fetch(name: str, wanted: str) -> bool:
    """Unpack a package of the npm registry, without what it depends on."""
    target = _HERE / "packages" / name
    stamp = target / ".version"
    if stamp.exists() and stamp.read_text() == wanted:
        return True
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    npm = shutil.which("npm")
    if npm is None:
        return False
    packed = subprocess.run(  # noqa: S603 - our own arguments
        [npm, "pack", "--silent", wanted], cwd=target, capture_output=True, text=True, check=True, timeout=300
    ).stdout.split()[-1]
    with tarfile.open(target / packed) as archive:
        archive.extractall(target, filter="data")
    (target / packed).unlink()
    for item in (target / "package").iterdir():
        item.rename(target / item.name)
    stamp.write_text(wanted)
    return True


@contextmanager
def _serving(folder: Path) -> Generator[str]:
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {  # noqa: RUF012 - the library declares it so
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".html": "text/html; charset=utf-8",
    }

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own word
        del format, args


def _open(url: str) -> Json:
    return {"type": "Navigate", "data": {"url": url, "waitUntil": "domcontentloaded"}}


def _signed_in(source: str, application: Any) -> list[Json]:
    if source not in _SIGN_IN:
        return []
    path, name_field, password_field, name = _SIGN_IN[source]
    return [
        _open(application.url + path),
        _typed(name_field, name),
        {**_typed(password_field, application.facts["password"], pressEnter=True)},
        {
            "type": "WaitForCondition",
            "data": {"condition": {"element": {"css": f"[name={password_field}]"}, "state": "hidden"}},
        },
    ]


def _typed(name: str, text: str, **more: Any) -> Json:
    data = {"key": name, "inputType": "TextInput", "value": text, **more}
    return {"type": "Input", "locator": {"css": f"[name={name}]"}, "data": data}
