"""The report on this machine that `pagehand doctor` prints and the console shows."""

import platform
import shutil
import sqlite3

from pagehand.browser.installation import describe
from pagehand.settings import Settings


async def machine_report(settings: Settings) -> list[str]:
    """Lines about what is installed, what is missing, and the command that fixes it."""
    return [
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()}",
        f"SQLite {sqlite3.sqlite_version}",
        *await describe(settings),
        "bubblewrap is here: user code runs inside it"
        if shutil.which("bwrap")
        else "bubblewrap is missing: user code runs in the sandbox alone (apt-get install bubblewrap)",
        f"Data folder {settings.data_dir}",
        f"Language model {settings.model}"
        if settings.model
        else "No language model (set PAGEHAND_MODEL to use one)",
    ]
