"""From `pagehand serve` to its first answer, the memory it holds when idle, and what has to be installed.

python benchmarks/start_up.py [--starts 3]
"""

import argparse
import re
import statistics
import tempfile
import time
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from measuring import flows, processes, running, site
from measuring.report import Figure, publish

_AGENTS = "mcp"
LOCK = Path(__file__).parent.parent / "requirements" / "base.txt"


class Starts:
    """CPU and wall time until the first answer, start by start."""

    def __init__(self, **env: str) -> None:
        self._env = env
        self.cpu: list[float] = []
        self.wall: list[float] = []

    def measure(self, folder: Path) -> None:
        """Start on a data folder, wait for the answer, stop."""
        before, began = processes.cpu_seconds(), time.perf_counter()
        service = running.Service(folder, **self._env)
        try:
            service.wait_until_it_answers()
            self.cpu.append(processes.cpu_seconds() - before)
            self.wall.append(time.perf_counter() - began)
        finally:
            service.stop()

    def figures(self, name: str, wanted: float | None = None) -> list[Figure]:
        """The medians."""
        return [
            Figure(f"{name}, CPU", statistics.median(self.cpu), "s", at_most=wanted),
            Figure(f"{name}, wall", statistics.median(self.wall), "s"),
        ]


def start_up(starts: int) -> list[Figure]:
    """Fresh data folders, then used ones; without browsers, then with the default pool."""
    fresh, used = Starts(PAGEHAND_BROWSER_POOL="0"), Starts(PAGEHAND_BROWSER_POOL="0")
    with_pool = Starts()
    for _ in range(starts):
        with tempfile.TemporaryDirectory() as folder:
            for measured in (fresh, used, with_pool):
                measured.measure(Path(folder) / "data")
    return [
        *fresh.figures("first start to first answer", 2),
        *used.figures("later start to first answer", 2),
        *with_pool.figures("… while two browsers are launched"),
    ]


def memory() -> list[Figure]:
    """Before the first browser, and after one has come and gone, when Playwright's driver has stayed."""
    with site.serving() as address, running.running(PAGEHAND_BROWSER_POOL="0") as service:
        before = processes.memory_mb(service.process.pid)
        client = service.client()
        client.execute(client.create("One page", flows.visit(address)))
        processes.wait_until_quiet()
        after = processes.memory_mb(service.process.pid)
    return [
        Figure("memory before the first browser (PSS)", before["pss"], "MB"),
        Figure("memory with Playwright's driver (PSS)", after["pss"], "MB", at_most=200),
        Figure("memory with Playwright's driver (RSS, shared pages twice)", after["rss"], "MB"),
    ]


def installation() -> list[Figure]:
    """Packages of the base lock that this machine needs, and their size."""
    names = re.findall(r"^([A-Za-z0-9._-]+)==", LOCK.read_text(), re.MULTILINE)
    sizes = {name: _size_mb(found) for name in names if (found := _installed(name)) is not None}
    largest = sorted(sizes, key=lambda name: sizes[name], reverse=True)[:3]
    core = _core(set(sizes))
    return [
        Figure("packages installed", len(sizes), at_most=85),
        Figure("packages without those that agents' tools alone need", len(core), at_most=70),
        Figure("their size", sum(sizes.values()), "MB", at_most=380),
        *(Figure(f"of it {name}", sizes[name], "MB") for name in largest),
    ]


def _core(names: set[str]) -> set[str]:
    """What is installed without that which agents' tools alone need."""
    project = tomllib.loads((LOCK.parent.parent / "pyproject.toml").read_text())["project"]
    todo: list[str] = []
    for requirement in project["dependencies"]:
        extras = re.findall(r"\[(.+)\]", requirement)
        todo += (
            [_name(requirement), *_needs(_name(requirement), *extras)]
            if _name(requirement) != _AGENTS
            else []
        )
    kept = set[str]()
    while todo:
        if (name := todo.pop()) in names - kept:
            kept.add(name)
            todo += _needs(name)
    return kept


def _needs(name: str, *extras: str) -> Iterator[str]:
    found = _installed(name)
    for requirement in (found.requires or []) if found is not None else ():
        extra = re.search(r"extra == ['\"](.+)['\"]", requirement)
        if extra is None or extra[1] in extras:
            yield _name(requirement)


def _name(requirement: str) -> str:
    return (
        re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0].lower().replace("_", "-").replace(".", "-")
    )


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:  # the lock is for every system
        return None


def _size_mb(installed: Distribution) -> float:
    paths = (Path(str(installed.locate_file(file))) for file in installed.files or [])
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=3)
    given = parser.parse_args()
    processes.adopt_orphans()
    figures = [*start_up(given.starts), *memory(), *installation()]
    publish("start_up", "Starting, idling, installing", figures)


if __name__ == "__main__":
    main()
