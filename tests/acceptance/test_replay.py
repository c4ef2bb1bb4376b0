"""Recordings as a user meets them: made by a run, replayed without any network, tested as a folder."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pagehand.recordings import recording as recordings
from pagehand.recordings.recording import Bodies, Exchange, Recording, Step
from support.service import free_port

pytestmark = pytest.mark.slow
EXAMPLE = Path("examples/open-claims.workflow.yaml")
PORTAL = "https://portal.example"
FILE = """\
name: Read the portal
blocks:
  - kind: Navigate
    name: Open the list
    url: https://portal.example/
  - kind: DownloadFile
    name: Get the sheet
    ref: sheet
    at: {text: Sheet}
  - kind: Mouse
    name: Show the total
    at: {role: button, text: Show}
  - kind: Extract
    name: Read the total
    ref: total
    fields:
      total: {locator: {css: output}}
  - kind: API
    name: Ask for the rate
    ref: rate
    route: https://rates.example/today
  - kind: SendEmail
    name: Tell the office
    toAddresses: [office@portal.example]
    subject: The total
    body: "{{blocks.total.total}}"
"""
LIVE = """\
name: Live
blocks:
  - kind: Navigate
    ref: open
    url: https://portal.example/
  - kind: WaitForCondition
    ref: news
    condition: {element: {text: in}, state: visible}
    timeoutMs: 2000
"""
LIST = b"""<a href=/sheet>Sheet</a> <button onclick="fetch('/total', {method: 'POST'}).then(async answer =>
document.body.append(Object.assign(document.createElement('output'), {value: (await answer.json()).total})))
">Show</button>"""


def command(*arguments: str | Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    env = {**os.environ, "PAGEHAND_DEMO_PORT": "0", **environment}
    line = [sys.executable, "-m", "pagehand", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, env=env, timeout=250, check=False)  # noqa: S603 - our own command


def recorded_portal(folder: Path, total: int) -> None:
    """A recording of a portal that does not exist: only its answers do."""
    bodies = Bodies(folder.parent)
    html, sheet, form = [("content-type", kind) for kind in ("text/html", "text/csv", "application/json")]
    attached = ("content-disposition", 'attachment; filename="sheet.csv"')
    exchanges = [
        Exchange("GET", f"{PORTAL}/", 302, [("location", "/list")]),
        Exchange("GET", f"{PORTAL}/list", 200, [html], bodies.add(LIST)),
        Exchange("GET", f"{PORTAL}/sheet", 200, [sheet, attached], bodies.add(b"a,b\n1,2\n")),
        Exchange("POST", f"{PORTAL}/total", 200, [form], bodies.add(b'{"total": 12}')),
        Exchange("GET", "https://rates.example/today", 200, [form], bodies.add(b'{"rate": 1.5}')),
    ]
    steps = [
        Step("Navigate_1", "Open the list"),
        Step("total", "Read the total"),
        Step("rate", "Ask for the rate"),
    ]
    made = Recording("Read the portal", "Completed", {}, {"total": {"total": str(total)}}, steps, exchanges)
    made.response["rate"] = {"status": 200, "headers": {"date": "…"}, "data": {"rate": 1.5}}
    recordings.write(folder, made, bodies)


def test_a_run_is_recorded_and_replayed_while_the_portal_is_away(tmp_path: Path) -> None:
    port, folder = str(free_port()), tmp_path / "claims.recording"
    recorded = command("run", EXAMPLE, "--record", folder, PAGEHAND_DEMO_PORT=port)
    assert recorded.returncode == 0, recorded.stderr
    kept = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"Amelia" in kept
    assert b'"northwind"' not in kept
    assert b"=recorded; " in kept

    # nothing listens at the portal's address now
    replayed = command("replay", EXAMPLE, "--recording", folder, "--json")
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    assert json.loads(replayed.stdout)["blocks"] == len(
        json.loads((folder / "recording.json").read_text())["steps"]
    )

    edited = tmp_path / "claims.workflow.yaml"
    changed = EXAMPLE.read_text().replace(
        '{css: "form[role=search] button"}', "the Flimflam button\n    timeoutMs: 1000"
    )
    assert changed != EXAMPLE.read_text()
    edited.write_text(changed)
    junit = tmp_path / "results.xml"
    tested = command("test", tmp_path, "--junit", junit)
    assert tested.returncode == 1
    assert "“Apply the filter” (`Mouse_1`) failed" in tested.stdout
    assert ET.parse(junit).getroot().attrib["failures"] == "1"  # noqa: S314 - written by our own command


def test_redirects_downloads_scripts_and_api_calls_are_answered_from_the_recording(tmp_path: Path) -> None:
    (tmp_path / "portal.workflow.yaml").write_text(FILE)
    recorded_portal(tmp_path / "portal.recording.zip", 12)
    recorded_portal(tmp_path / "portal.later.recording.zip", 13)
    tested = command("test", tmp_path, "--json")
    assert tested.returncode == 1, tested.stderr
    later, first = map(json.loads, tested.stdout.splitlines())
    assert first["difference"] == "", first
    assert first["missing"] == []
    assert (
        later["difference"]
        == '“Read the total” (`total`) differs: recorded {"total":"13"}, now {"total":"12"}'
    )


def test_a_websocket_that_a_page_needs_is_named(tmp_path: Path) -> None:
    bodies = Bodies(tmp_path)
    page = b"<script>new WebSocket('wss://portal.example/live').onopen = () => document.write('in')</script>"
    exchanges = [Exchange("GET", f"{PORTAL}/", 200, [("content-type", "text/html")], bodies.add(page))]
    made = Recording("Live", "Completed", {}, {}, [Step("open", "Open")], exchanges)
    recordings.write(tmp_path / "live.recording.zip", made, bodies)
    (tmp_path / "live.workflow.yaml").write_text(LIVE)
    tested = command("test", tmp_path)
    assert tested.returncode == 1
    assert "WebSocket https://portal.example/live (recordings have no WebSockets)" in tested.stdout


def test_a_folder_without_recordings_is_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "portal.workflow.yaml").write_text(FILE)
    tested = command("test", tmp_path)
    assert tested.returncode == 2
    assert "`NAME.recording`" in tested.stderr
