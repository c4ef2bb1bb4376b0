"""The files of `deploy/` can be read, and name only settings, commands and options that exist."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from pagehand.cli import app
from pagehand.settings import PREFIX, Settings

DEPLOY = Path(__file__).parents[1] / "deploy"
FILES = sorted(path for path in DEPLOY.rglob("*") if path.is_file())
MANIFESTS = [path for path in FILES if path.suffix == ".yaml"]


def name_of(value: object) -> str:
    return value.name if isinstance(value, Path) else str(value)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_setting_exists(path: Path) -> None:
    named = set(re.findall(rf"\b{PREFIX}[A-Z_]+", path.read_text()))
    assert named <= {PREFIX + name.upper() for name in Settings.model_fields}


def calls() -> Iterator[tuple[str, str]]:
    """What `pagehand` is called with, by file."""
    for path in FILES:
        text = path.read_text()
        for line in re.findall(r"(?:^ExecStart=\S*/pagehand|api-1) ([a-z].*)$", text, re.MULTILINE):
            yield path.name, line
        for words in re.findall(r"""(?:args:|command:|^CMD) \[((?:"[^"]*"(?:, )?)+)\]""", text, re.MULTILINE):
            yield path.name, words.replace('"', "").replace(",", "")


CALLS = list(calls())


def test_calls_were_found() -> None:
    assert {line.split()[0] for _, line in CALLS} == {"serve", "worker", "migrate", "backup", "keys"}


@pytest.mark.parametrize(("name", "line"), CALLS, ids=name_of)
def test_every_command_and_option_exists(name: str, line: str) -> None:
    command: Any = get_command(app)
    words = line.split()
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    assert not hasattr(command, "commands"), f"{name}: `pagehand {line}` does not exist"
    known = [option for found in command.params for option in (*found.opts, *found.secondary_opts)]
    assert {word for word in words if word.startswith("--")} <= {*known}


@pytest.mark.parametrize("path", MANIFESTS, ids=name_of)
def test_manifests_can_be_read(path: Path) -> None:
    documents = list(yaml.safe_load_all(path.read_text()))
    assert all(isinstance(document, dict) for document in documents)
    if path.parent.name == "kubernetes":
        assert all({"apiVersion", "kind", "metadata"} <= document.keys() for document in documents)


def test_the_image_has_the_libraries_of_every_extra() -> None:
    """The manifests keep files in object storage, and operators add a model or traces by a setting alone."""
    root = DEPLOY.parent
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    locked = set(
        re.findall(
            r"^([a-z0-9-]+)(?:\[.*\])?==", (root / "requirements" / "image.txt").read_text(), re.MULTILINE
        )
    )
    needed = {re.split(r"[\[=<>]", line)[0] for lines in extras.values() for line in lines}
    assert {"cloud", "models", "otel"} == extras.keys()
    assert needed <= locked
    assert "-r requirements/image.txt" in (DEPLOY / "Dockerfile").read_text()
