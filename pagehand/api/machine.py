"""The report on this machine that `pagehand doctor` prints and the console shows."""

import platform
import sqlite3
from importlib.util import find_spec

from pagehand import bubblewrap, confinement
from pagehand.browser.installation import describe
from pagehand.settings import Settings


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
        _describe_model(settings),
    ]


def _describe_model(settings: Settings) -> str:
    if not settings.model:
        return "No language model (set PAGEHAND_MODEL to use one)"
    if find_spec("pydantic_ai") is None:
        return f"Language model {settings.model} cannot be used: run `pip install 'pagehand[models]'`"
    return f"Language model {settings.model}"
