"""Help is answered without loading what a command works with."""

import os
import subprocess
import sys

import pytest

SLOW_TO_LOAD = ("mcp", "playwright", "pydantic", "sqlalchemy", "starlette", "uvicorn")
SHOW_ALL_HELP = f"""
import sys
from typer.main import get_command
from pagehand.cli import app

def show(command, path):
    print("shown:", *path)
    app([*path, "--help"], standalone_mode=False)
    for name, inner in getattr(command, "commands", {{}}).items():
        show(inner, [*path, name])

show(get_command(app), [])
print("loaded:", *sorted(set({SLOW_TO_LOAD!r}) & set(sys.modules)))
"""


@pytest.mark.slow
def test_no_help_loads_a_database_or_a_browser() -> None:
    command = [sys.executable, "-c", SHOW_ALL_HELP]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    shown = [line for line in lines if line.startswith("shown:")]
    assert {"shown: serve", "shown: keys rotate", "shown: logins test", "shown: run", "shown: mcp"} <= {
        *shown
    }
    assert sum("Usage:" in line for line in lines) == len(shown) > 40
    assert lines[-1] == "loaded:"


@pytest.mark.slow
def test_a_shell_completes_commands_and_options() -> None:
    def completed(words: str) -> list[str]:
        asked = {"_PAGEHAND_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": "2"}
        command = [sys.executable, "-c", "from pagehand.cli import app; app(prog_name='pagehand')"]
        done = subprocess.run(  # noqa: S603 - our own command
            command, capture_output=True, text=True, check=True, env={**os.environ, **asked}
        )
        return done.stdout.split()

    assert completed("pagehand keys ro") == ["rotate"]
    assert completed("pagehand run --wa") == ["--watch"]
