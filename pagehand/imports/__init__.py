"""Recordings and workflows of other tools become workflow files.

Each format has a module, which reads its file into `Steps`; `finishing` makes a file of them that passes
`pagehand check`. Nothing in a recording is ever run.
"""

from collections.abc import Callable
from typing import Any

from pagehand.blocks import Registry
from pagehand.errors import InvalidRequest
from pagehand.imports import devtools, playwright, selenium, skyvern
from pagehand.imports.finishing import Imported, finish
from pagehand.imports.reading import MOST_CHARACTERS, MOST_OF_TEXT, read_json, refuse_depth
from pagehand.imports.steps import Steps
from pagehand.workflow_files.positions import read_document

__all__ = ["Imported", "Recording", "recordings_in"]

Recording = Callable[[], Imported]
"""Makes a workflow file of one recording."""


def recordings_in(text: str, file_name: str, kinds: Registry) -> dict[str, Recording]:
    """The recordings in a file, by name; raises InvalidRequest, with the place, for what is not one."""
    is_json = text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[") and not file_name.endswith(".py")
    most = MOST_CHARACTERS if is_json else MOST_OF_TEXT
    if len(text) > most:
        raise InvalidRequest(f"the file has {len(text):,} characters; {most:,} are read at most.")
    if file_name.endswith(".py"):
        return _programs(text, file_name, kinds)
    given: Any = read_json(text.lstrip("\ufeff")) if is_json else read_document(text).value
    refuse_depth(given)
    if selenium.is_selenium(given):
        return _tests(given, kinds)
    if skyvern.is_skyvern(given):
        return _one(*skyvern.import_skyvern(given, kinds), file_name, kinds)
    if devtools.is_devtools(given):
        return _one(*devtools.import_devtools(given), file_name, kinds)
    raise InvalidRequest(
        "1:1: this is none of the files that are read: a recording of Chrome's DevTools (JSON with "
        "`steps`), a project of Selenium IDE (JSON with `tests`), a workflow of Skyvern (YAML with "
        "`workflow_definition`), or Python that Playwright's codegen has written (a file `.py`)."
    )


def _one(name: str, steps: Steps, file_name: str, kinds: Registry) -> dict[str, Recording]:
    named = name or _stem(file_name)
    return {named: lambda: finish(named, steps, kinds)}


def _programs(text: str, file_name: str, kinds: Registry) -> dict[str, Recording]:
    found = playwright.tests_in(text)
    stem = _stem(file_name)

    def made(name: str) -> Imported:
        steps = playwright.import_playwright(found[name])
        return finish(stem if len(found) == 1 else f"{stem}: {name}", steps, kinds)

    return {name: lambda name=name: made(name) for name in found}


def _tests(given: Any, kinds: Registry) -> dict[str, Recording]:
    project = selenium.read_project(given)
    return {
        name: lambda name=name: finish(name, selenium.import_selenium(project, name), kinds)
        for name in project.tests
    }


def _stem(file_name: str) -> str:
    return file_name.partition(".")[0].replace("-", " ").replace("_", " ").strip() or "Imported workflow"
