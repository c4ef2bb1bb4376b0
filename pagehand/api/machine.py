"""What was found on this machine, in lines: `pagehand doctor` prints them, the console shows them."""

import platform
import shutil
import sqlite3

from pagehand.browser.installation import describe
from pagehand.settings import Settings


async def machine_report(settings: Settings) -> list[str]:
    """What is here, what is missing, and the command that mends it."""
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
