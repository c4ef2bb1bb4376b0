"""Third-party front ends in two releases: unpacked, served, and which of their controls are the same.

Two controls count as the same if they share something that no other control has: the name, where a link
leads, an id, a placeholder, a field's name; where these contradict each other the control is left out.
Between two such controls, two that share a part of one of these with each other alone are the same as well:
these are the changed ones. No weight, rule or threshold of the healer has a part in that.
"""

import functools
import http.server
import itertools
import shutil
import subprocess
import tarfile
import threading
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from healing_pages.front_ends import FrontEnd
from pagehand.browser.healing.stable_locator import program

HERE = Path(__file__).parent
CACHE = HERE.parent / "results" / "front_ends"
_SIGNS = ("name", "address", "id", "placeholder", "field")
# what many names, classes and addresses have in common says nothing
_EMPTY_WORDS = {
    *("and", "for", "the", "with", "your", "our", "here", "click", "read", "fas", "far", "svg", "icon"),
    *("icons", "btn", "button", "link", "index", "html", "input", "page"),
}
_MOST_BETWEEN = 12
_PROGRAM = (HERE / "versions.js").read_text(encoding="utf-8")


def same_controls(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> dict[int, int]:
    """Which control of the old page is which of the new: every sign that speaks must say the same."""
    votes: dict[int, set[int]] = {}
    for sign in _SIGNS:
        old, new = _unique(before, sign), _unique(after, sign)
        for value in old.keys() & new.keys():
            if before[old[value]]["kind"] == after[new[value]]["kind"]:
                votes.setdefault(old[value], set()).add(new[value])
    agreed = {at: next(iter(found)) for at, found in votes.items() if len(found) == 1}
    claimed = Counter(agreed.values())
    return {at: found for at, found in agreed.items() if claimed[found] == 1}


def _unique(controls: list[dict[str, Any]], sign: str) -> dict[str, int]:
    counts = Counter(control[sign] for control in controls)
    return {
        control[sign]: at
        for at, control in enumerate(controls)
        if control[sign] and counts[control[sign]] == 1
    }


def changed_controls(
    before: list[dict[str, Any]], after: list[dict[str, Any]], same: dict[int, int]
) -> dict[int, int]:
    """Those between two elements that are the same, which share a word with each other and no other there."""
    found: dict[int, int] = {}
    borders = [(-1, -1), *sorted(same.items()), (len(before), len(after))]
    taken = set(same.values())
    for (old, new), (next_old, next_new) in itertools.pairwise(borders):
        theirs = [at for at in range(new + 1, next_new) if at not in taken]
        mine = range(old + 1, next_old)
        if not 0 < len(mine) <= _MOST_BETWEEN or not 0 < len(theirs) <= _MOST_BETWEEN:
            continue
        pairs = [(old, other) for old in mine for other in theirs if _is_akin(before[old], after[other])]
        ones, others = (Counter(pair[side] for pair in pairs) for side in (0, 1))
        found |= {old: other for old, other in pairs if ones[old] == others[other] == 1}
    return found


def _is_akin(old: dict[str, Any], other: dict[str, Any]) -> bool:
    shared = {*old["parts"]} & {*other["parts"]} - _EMPTY_WORDS
    return old["kind"] == other["kind"] and bool(shared)


def gone_controls(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> set[int]:
    """Those that share no sign and no word with any control of the new page."""
    return {
        at
        for at, control in enumerate(before)
        if not any(
            _is_akin(control, other) or any(control[sign] and control[sign] == other[sign] for sign in _SIGNS)
            for other in after
        )
    }


def in_page(name: str) -> str:
    """A task of `versions.js` as a function for the page."""
    task = program(name).replace(f"return {name};", f"{_PROGRAM}\nreturn {name};")
    return f"(options) => {task}(options)"


def folders_of(site: FrontEnd) -> Iterator[Path]:
    """The folder that is served, of each of the versions."""
    packages = (site.package, site.newer_package or site.package)
    for at, (package, version) in enumerate(zip(packages, site.versions, strict=True)):
        folder = _folder(package, version) / (site.old, site.new)[at]
        if site.editors:
            (folder / "editor.html").write_text(f"<!doctype html>{site.editors[at]}", encoding="utf-8")
        yield folder


def _folder(package: str, version: str) -> Path:
    """The package, unpacked once."""
    folder = CACHE / f"{package}@{version}"
    if not folder.is_dir():
        npm = shutil.which("npm")
        if npm is None:
            raise SystemExit("This benchmark installs third-party pages with npm, which is not there.")
        CACHE.mkdir(parents=True, exist_ok=True)
        command = [npm, "pack", f"{package}@{version}", "--silent", "--pack-destination", str(CACHE)]
        packed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1]  # noqa: S603 - names from the list above
        with tarfile.open(CACHE / packed) as archive:
            archive.extractall(folder, filter="data")
        (CACHE / packed).unlink()
    return folder / "package"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files with headers of its own and keeps no log."""

    def __init__(self, *arguments: Any, folder: Path, headers: Mapping[str, str]) -> None:
        self._headers = headers
        super().__init__(*arguments, directory=str(folder))

    def end_headers(self) -> None:
        """Add ours to those of the file."""
        for name, value in self._headers.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
        """Say nothing."""


@contextmanager
def served(folder: Path, port: int = 0, headers: Mapping[str, str] | None = None) -> Generator[str]:
    """A server with the folder at its root."""
    handler = functools.partial(_Quiet, folder=folder, headers=headers or {})
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
