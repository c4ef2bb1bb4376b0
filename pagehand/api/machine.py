"""The report on this machine that `pagehand doctor` prints and the console shows."""

import asyncio
import platform
import sqlite3
import time
from collections.abc import Iterator
from typing import Final

from pagehand import bubblewrap, confinement
from pagehand.browser.installation import describe, driver_problem, find_browser
from pagehand.errors import Unavailable, UserMistake
from pagehand.files import file_store
from pagehand.settings import Settings

_INSTALL: Final = "pip install 'pagehand[models]'"
_NO_MODEL: Final = "none"


async def describe_models(settings: Settings) -> list[str]:
    """A line for each model that the settings name; what to run where its library is absent."""
    # in a thread: the libraries take a second to load
    problems = await asyncio.to_thread(_model_problems, settings)
    lines = [f"Language model {spec}{problem}" for spec, problem in problems.items()]
    return lines or ["No language model (set PAGEHAND_MODEL to use one)"]


def _model_problems(settings: Settings) -> dict[str, str]:
    """Each model that the settings name, and why it cannot be used."""
    return {spec: _model_problem(spec, settings) for spec in _named(settings)}


def _named(settings: Settings) -> Iterator[str]:
    entries = [entry.partition("=")[2] for entry in settings.model_organizations.split(",")]
    for spec in (settings.model or "", *settings.model_fallbacks.split(","), *entries):
        if spec.strip() not in ("", _NO_MODEL):
            yield spec.strip()


def _model_problem(spec: str, settings: Settings) -> str:
    provider = spec.partition(":")[0]
    # a service at an address of its own is spoken to as OpenAI's
    has_address = settings.model_base_url is not None and (settings.model or spec).startswith(f"{provider}:")
    is_compatible = has_address or provider == "ollama"
    try:
        from pydantic_ai.providers import infer_provider_class  # noqa: PLC0415 - an extra

        infer_provider_class("openai" if is_compatible else provider)
    except ImportError:
        return f" cannot be used: run `{_INSTALL}`"
    except ValueError as unknown:
        return f" cannot be used: {unknown}"
    return ""


def _files_problem(settings: Settings) -> str:
    try:
        file_store(settings)
    except UserMistake as error:
        return error.message
    return ""


async def is_ready(settings: Settings) -> bool:
    """Whether everything is there that a service with these settings needs."""
    try:
        has_browser = find_browser(settings) is not None
    except Unavailable:
        has_browser = False
    if not has_browser or await driver_problem() or _files_problem(settings):
        return False
    return not any((await asyncio.to_thread(_model_problems, settings)).values())


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
        _files_problem(settings) or f"Files in {settings.files or settings.data_dir / 'files'}",
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
