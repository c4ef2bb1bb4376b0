"""Pagehand beside what one would use instead: the same pages by each, in turns, as a table and a picture.

    python benchmarks/side_by_side.py [--rounds 5] [--again]

Peers are installed once into environments of their own in `benchmarks/.peers`, with uv and npm as they are
set up on this machine; `--again` installs them anew. A peer that cannot be installed or does not run is left
out of the report with the reason. It writes `docs/benchmarks/side-by-side.md` and `.svg`.

A run is one order to its result. Playwright and Robot Framework start a process, a driver and a browser for
it, as a script does; Pagehand is a service that runs already. `kept open` is the best case of the first two:
the same work in a process whose browser stays open, a context for each.
"""

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measuring import processes, running, site
from measuring.drawing import Bar, draw_bars
from measuring.flows import Block
from measuring.report import Figure, publish

_HERE = Path(__file__).parent
_PEERS = _HERE / ".peers"
_REPORT = _HERE.parent / "docs" / "benchmarks" / "side-by-side.md"
_FLOWS = {"visit": "one page", "form": "a form of 12 fields", "table": "a table of 50 rows"}
_INSTALL_SECONDS, _RUN_SECONDS = 900, 120
_KEPT_OPEN = 4
"""Runs in one process, of which the first is not counted: it warms up what later ones share."""


_SKYVERN = [
    "- Skyvern 1.0.56 is not in the table: its service started with SQLite and without a model, but its",
    "  browser did not. On Python 3.11 it requires Playwright 1.46, which launches the Chromium that it",
    "  downloads; with this Chromium in its place a workflow of `goto_url` and `code` ended after 180 s with",
    "  `Failed to create browser context (TargetClosedError)`. No other way was tried.",
]
"""Tried by hand on 19 November 2026."""


class PeerFailed(Exception):
    """A peer could not be installed or did not run; the message is the reason."""


Run = Callable[[str], list[float]]
"""Does a flow; the milliseconds of each time."""


@dataclass(slots=True)
class Side:
    """One way of running the flows."""

    name: str
    run: Run
    version: str
    is_kept_open: bool = False
    wall: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    cpu: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def measure(self, flow: str) -> None:
        """Do a flow once."""
        before = processes.cpu_seconds()
        took = self.run(flow)
        processes.wait_until_quiet()
        self.wall.setdefault(flow, []).extend(took)
        if not self.is_kept_open:
            self.cpu.setdefault(flow, []).append((processes.cpu_seconds() - before) * 1000)


class Environment:
    """A peer's own Python environment."""

    def __init__(self, name: str, packages: list[str], *, anew: bool) -> None:
        self._folder = _PEERS / name
        self._python = self._folder / "bin" / "python"
        finished = self._folder / "installed"
        if anew:
            shutil.rmtree(self._folder, ignore_errors=True)
        if not finished.exists():
            print(f"installing {', '.join(packages)} into {self._folder}", flush=True)
            _call("uv", "venv", "--quiet", "--clear", str(self._folder), seconds=_INSTALL_SECONDS)
            install = ["uv", "pip", "install", "--quiet", "--compile-bytecode", "--python", str(self._python)]
            _call(*install, *packages, seconds=_INSTALL_SECONDS)
            finished.touch()

    def command(self, name: str) -> str:
        """A command that the environment has."""
        return str(self._folder / "bin" / name)

    def version(self, package: str) -> str:
        """The installed version of a package."""
        code = f"from importlib.metadata import version; print(version({package!r}))"
        return _call(str(self._python), "-c", code).strip()


def _call(*command: str, seconds: float = _RUN_SECONDS) -> str:
    """What a command prints; raises PeerFailed with the end of what it said."""
    # the commands of this program's own environment, too: uv is among them
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    try:
        done = subprocess.run(  # noqa: S603 - our own commands
            command,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PeerFailed(f"{Path(command[0]).name}: {error}") from error
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()[-3:]
        raise PeerFailed(f"{Path(command[0]).name} ended with {done.returncode}: {' '.join(said)}")
    return done.stdout


def _took(printed: str) -> list[float]:
    """The milliseconds that a peer's program prints."""
    found = re.search(r"^TOOK (\[.*\])", printed, re.MULTILINE)
    if found is None:
        raise PeerFailed(f"it printed no times: {printed[-300:]}")
    return json.loads(found[1])


def _sides_of(name: str, version: str, start: Callable[[str, int], str]) -> list[Side]:
    """A process for each run, and one process for several."""

    def alone(flow: str) -> list[float]:
        began = time.perf_counter()
        start(flow, 1)
        return [(time.perf_counter() - began) * 1000]

    def kept_open(flow: str) -> list[float]:
        return _took(start(flow, _KEPT_OPEN))[1:]

    return [Side(name, alone, version), Side(f"{name}, kept open", kept_open, version, is_kept_open=True)]


def playwright(address: str, _folder: Path, *, anew: bool) -> list[Side]:
    """A script."""
    environment = Environment("playwright", ["playwright"], anew=anew)

    def start(flow: str, times: int) -> str:
        order = {"site": address, "browser": running.browser_path(), "flow": flow, "times": times}
        order |= {"fields": site.FIELDS, "rows": site.TABLE_ROWS}
        script = str(_HERE / "peers" / "playwright_script.py")
        return _call(environment.command("python"), script, json.dumps(order))

    return _sides_of("Playwright", environment.version("playwright"), start)


def robot(address: str, folder: Path, *, anew: bool) -> list[Side]:
    """A suite of Robot Framework."""
    environment = Environment("robot", ["robotframework-browser"], anew=anew)
    # without the browsers it would download: it uses the same as the others
    wrapper = (
        Path(environment.command("python"))
        .parents[1]
        .glob("lib/*/site-packages/Browser/wrapper/node_modules")
    )
    if not any(wrapper):
        _call(environment.command("rfbrowser"), "init", "--skip-browsers", seconds=_INSTALL_SECONDS)
    quiet = ["--output", "NONE", "--log", "NONE", "--report", "NONE", "--outputdir", str(folder)]

    def start(flow: str, times: int) -> str:
        given = folder / "robot.json"
        variables = {"SITE": address, "BROWSER": running.browser_path(), "FLOW": flow, "TIMES": times}
        given.write_text(json.dumps({**variables, "FIELDS": site.FIELDS, "ROWS": site.TABLE_ROWS}))
        suite = str(_HERE / "peers" / "flows.robot")
        return _call(environment.command("robot"), *quiet, "--variablefile", str(given), suite)

    version = environment.version("robotframework-browser")
    return _sides_of("Robot Framework Browser", version, start)


def pagehand_blocks(address: str, flow: str) -> list[Block]:
    """A flow as a workflow."""
    if flow == "visit":
        return [{"type": "Navigate", "data": {"url": f"{address}/"}}]
    if flow == "form":
        inputs: list[Block] = [
            {
                "type": "Input",
                "locator": {"label": label},
                "data": {"key": label, "inputType": "TextInput", "value": value},
            }
            for label, value in site.FIELDS.items()
        ]
        press: Block = {"type": "Mouse", "locator": {"role": "button", "text": "Send"}, "data": {}}
        read: Block = {"type": "Extract", "data": {"fields": {"sent": {"locator": {"css": "#sent"}}}}}
        return [{"type": "Navigate", "data": {"url": f"{address}/fields"}}, *inputs, press, read]
    columns = {
        name: {"locator": {"css": f"td:nth-child({n})"}} for n, name in enumerate(site.TABLE_ROWS[0], 1)
    }
    rows: Block = {
        "type": "Extract",
        "locator": {"css": "tbody tr"},
        "data": {"many": True, "fields": columns},
    }
    return [{"type": "Navigate", "data": {"url": f"{address}/table"}}, rows]


_EXPECTED: dict[str, Any] = {"form": {"sent": " ".join(site.FIELDS.values())}, "table": site.TABLE_ROWS}


def pagehand(address: str, service: running.Service, pictures: str) -> Side:
    """The service, with pictures of every block as it comes, or without."""
    client = service.client()
    ids = {
        flow: client.post(
            "/workflows/create",
            {"name": f"{flow} {pictures}", "blocks": pagehand_blocks(address, flow), "pictures": pictures},
        )["workflow"]["id"]
        for flow in _FLOWS
    }

    def run(flow: str) -> list[float]:
        client.reconnect()
        began = time.perf_counter()
        outputs = client.execute(ids[flow])["response"]
        took = (time.perf_counter() - began) * 1000
        if flow in _EXPECTED and _EXPECTED[flow] not in outputs.values():
            raise RuntimeError(f"the workflow put out {outputs}")
        return [took]

    version = _call(sys.executable, "-m", "pagehand", "--version").strip().split()[-1]
    name = "Pagehand" if pictures == "all" else "Pagehand, no pictures"
    return Side(name, run, version)


_INSTALLERS = {"Playwright": playwright, "Robot Framework Browser": robot}


@contextmanager
def all_sides(*, anew: bool) -> Generator[tuple[list[Side], dict[str, str]]]:
    """Every side that runs, and why the others do not."""
    left_out: dict[str, str] = {}
    with site.serving() as address, running.running() as service, tempfile.TemporaryDirectory() as folder:
        sides = [pagehand(address, service, "all"), pagehand(address, service, "none")]
        for name, installer in _INSTALLERS.items():
            try:
                found = installer(address, Path(folder), anew=anew)
                for flow in _FLOWS:  # what does not run is found out before anything is measured
                    found[0].run(flow)
            except PeerFailed as reason:
                print(f"{name} is left out: {reason}", flush=True)
                left_out[name] = str(reason)
            else:
                sides += found
        for flow in _FLOWS:
            for side in sides[:2]:
                side.run(flow)
        processes.wait_until_quiet()
        yield sides, left_out


def _cell(times: list[float]) -> str:
    if not times:
        return "-"
    return f"{statistics.median(times):,.0f} ({min(times):,.0f}–{max(times):,.0f})"  # noqa: RUF001 - a range


def write_report(sides: list[Side], left_out: dict[str, str], command: str) -> None:
    """The page of the guide and its picture."""
    bars = {
        title: [
            Bar(side.name, statistics.median(took), min(took), max(took))
            for side in sides
            for took in [side.wall[flow]]
        ]
        for flow, title in _FLOWS.items()
    }
    draw_bars(_REPORT.with_suffix(".svg"), "Wall time of one run: median and range", "ms", bars)
    lines = [
        "# Side by side",
        "",
        f"Written by `{command}`, which installs the others and runs the same pages by each.",
        "`make bench` runs it too.",
        "",
        "![Bars of the wall time of one run](side-by-side.svg)",
        "",
        "Milliseconds of one run, median and range. CPU time is that of all processes, also of the browser",
        "that a service prepares for the next run.",
        "",
        "| | " + " | ".join(f"{title}, wall | CPU" for title in _FLOWS.values()) + " |",
        "|---" * (1 + 2 * len(_FLOWS)) + "|",
    ]
    for side in sides:
        cells = [_cell(kept.get(flow, [])) for flow in _FLOWS for kept in (side.wall, side.cpu)]
        lines.append(f"| {side.name} {side.version} | " + " | ".join(cells) + " |")
    browser = _call(running.browser_path(), "--version").strip()
    lines += [
        "",
        f"{time.strftime('%-d %B %Y', time.gmtime())}, {os.cpu_count()} cores ({platform.machine()}),",
        f"load average {os.getloadavg()[0]:.0f} at the end, {len(sides[0].wall['visit'])} rounds,",
        f"Python {platform.python_version()}, {browser}; the sides take turns.",
        "",
        "- Playwright and Robot Framework start a process, a driver and a browser for each run. *Kept open*",
        "  is their best case: a process whose browser stays, a new context for each run, start not counted.",
        "- Pagehand is a service that runs already. It keeps every execution, its events and, unless told",
        "  otherwise, a picture of every block that changes the page; the other two keep nothing.",
        "- All use the same Chromium, the same pages from this machine, and find fields by their labels.",
        *_SKYVERN,
        *(f"- {name} is not in the table: {reason}" for name, reason in left_out.items()),
    ]
    _REPORT.parent.mkdir(exist_ok=True)
    _REPORT.write_text("\n".join(lines) + "\n")


def main() -> None:
    """Install, measure and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--again", action="store_true", help="install the peers anew")
    given = parser.parse_args()
    processes.adopt_orphans()
    with all_sides(anew=given.again) as (sides, left_out):
        for _ in range(given.rounds):
            for flow in _FLOWS:
                for side in sides:
                    side.measure(flow)
    write_report(sides, left_out, f"python benchmarks/side_by_side.py --rounds {given.rounds}")
    publish(
        "side_by_side",
        "The same pages, by others",
        [
            Figure(f"{title}, {side.name}, {kind}", statistics.median(kept[flow]), "ms")
            for flow, title in _FLOWS.items()
            for side in sides
            for kind, kept in (("wall", side.wall), ("CPU", side.cpu))
            if flow in kept
        ],
        left_out=left_out,
    )


if __name__ == "__main__":
    main()
