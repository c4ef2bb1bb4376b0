"""`pagehand record` as a user meets it: what is done in the live view becomes a workflow file that runs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.live_viewer import LiveViewClient
from support.site import Site

pytestmark = pytest.mark.slow
PAGE = """<!doctype html><style>button{position:absolute;left:0;top:0;width:300px;height:200px}</style>
<button onclick="document.title = 'Pressed'">Press me</button>"""


def begin(*arguments: str | Path) -> "subprocess.Popen[str]":
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "pagehand", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**kept, "PAGEHAND_DEMO_PORT": "0"},
    )


def test_what_is_done_in_the_live_view_becomes_a_file_that_runs(site: Site, tmp_path: Path) -> None:
    address, file = site.page("/", PAGE), tmp_path / "press.workflow.yaml"
    allowed = ("--allow", site.url.removeprefix("http://"))
    recording = begin("record", address, "--to", file, *allowed)
    assert recording.stderr is not None
    lines = iter(recording.stderr.readline, "")
    link = next(line for line in lines if line.startswith("Live view: ")).split()[-1]
    person = LiveViewClient(link)
    person.send(type="take")
    for kind, buttons in (("down", 1), ("up", 0)):
        person.send(type="mouse", kind=kind, x=150, y=100, button="left", buttons=buttons, clicks=1)
    assert any("Press me" in line for line in lines)
    person.leave()
    recording.send_signal(signal.SIGINT)
    out, messages = recording.communicate(timeout=100)
    assert (recording.returncode, out) == (0, f"{file}: 2 blocks\n"), messages
    text = file.read_text()
    assert text.startswith("name: press\nblocks:\n")
    assert "Press me" in text
    run = begin("run", file, *allowed)
    _, messages = run.communicate(timeout=100)
    assert run.returncode == 0, messages


def test_a_file_that_cannot_be_written_is_said_first(tmp_path: Path) -> None:
    for target, why in (
        (tmp_path / "none" / "a.workflow.yaml", "no folder"),
        (tmp_path / "a.txt", "ends in"),
    ):
        refused = begin("record", "http://127.0.0.1:9/", "--to", target)
        _, messages = refused.communicate(timeout=100)
        assert (refused.returncode, why in messages) == (2, True), messages
