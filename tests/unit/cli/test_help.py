"""Help is answered without loading what a command works with."""

import subprocess
import sys

import pytest

SLOW_TO_LOAD = ("alembic", "mcp", "playwright", "sqlalchemy", "starlette", "uvicorn")
SHOW_HELP = f"""
import sys
from pagehand.cli import app
try:
    app([*sys.argv[1:], "--help"])
finally:
    print("loaded:", *sorted(set({SLOW_TO_LOAD!r}) & set(sys.modules)))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        [],
        ["serve"],
        ["worker"],
        ["doctor"],
        ["backup"],
        ["restore"],
        ["migrate"],
        ["keys"],
        ["keys", "create"],
        ["keys", "rotate"],
        ["mcp"],
    ],
    ids=" ".join,
)
def test_help_loads_no_database_and_no_browser(command: list[str]) -> None:
    shown = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", SHOW_HELP, *command], capture_output=True, text=True, check=True
    )
    assert "Usage:" in shown.stdout
    assert shown.stdout.splitlines()[-1] == "loaded:"
