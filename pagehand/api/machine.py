"""The report on this machine that `pagehand doctor` prints and the console shows."""

import asyncio
import platform
import sqlite3
import time

from pagehand import bubblewrap, confinement
from pagehand.ai.libraries import describe_models
from pagehand.browser.installation import describe
from pagehand.settings import Settings

_KEEP_SECONDS = 60


async def machine_report(settings: Settings) -> list[str]:
    """Lines about what is installed, what is missing, and the command that fixes it."""
    return [
        f"Python {platform.python_version()} on {platform.platform(terse=True)} {platform.machine()}",
        f"SQLite {sqlite3.sqlite_version}",
        *await describe(settings),
        f"bubblewrap cannot be used: {problem}"
        if (problem := await bubblewrap.problem())
        else "bubblewrap: user code and readers of documents run without network, files and other processes",
        confinement.describe(),
        f"Data folder {settings.data_dir}",
        *await describe_models(settings),
    ]


class MachineReport:
    """The report of a running service; made at most once a minute, because it starts several programs."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._making: asyncio.Future[list[str]] | None = None
        self._made_at = 0.0

    async def lines(self) -> list[str]:
        """The report, at most a minute old."""
        is_old = time.monotonic() - self._made_at > _KEEP_SECONDS
        if self._making is None or (self._making.done() and (is_old or self._making.exception())):
            self._making = asyncio.ensure_future(machine_report(self._settings))
            self._made_at = time.monotonic()
        # shared: a caller that hangs up must not end it for the others
        return await asyncio.shield(self._making)
