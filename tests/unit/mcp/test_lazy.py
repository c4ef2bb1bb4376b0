"""The library of MCP takes most of a second to load: only what uses it does."""

import subprocess
import sys

import pytest


@pytest.mark.slow
def test_a_service_starts_without_the_library() -> None:
    code = "import pagehand.cli.serve, pagehand.api.app, sys; print('mcp' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - our own code
    assert shown.stdout == "False\n"
