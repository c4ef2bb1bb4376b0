"""Reads settings from a configuration file and the environment; unknown names are refused."""

import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from pagehand.errors import InvalidRequest
from pagehand.settings import PREFIX, Settings
from pagehand.workflow.refusals import nearest

_NOT_SETTINGS: Final = frozenset(("URL", "KEY", "CONFIG"))
"""Variables for clients of a service, and the one that names the configuration file."""
_TEST_PREFIX: Final = "TEST_"
"""`PAGEHAND_TEST_POSTGRES` and others belong to the test suite."""


def read_settings(
    given: Mapping[str, Any], file: Path | None = None, environment: Mapping[str, str] = os.environ
) -> Settings:
    """The command line wins over the environment, and that over the file; raises InvalidRequest."""
    # before anything is read: a misspelt name would silently leave the default
    _check_environment(environment)
    config = environment.get(f"{PREFIX}CONFIG")
    path = file or (Path(config) if config else None)
    in_file = {} if path is None else _read(path)
    # whatever their case, as pydantic-settings reads them
    set_names = {name.upper() for name, value in environment.items() if value}
    in_environment = {name for name in Settings.model_fields if PREFIX + name.upper() in set_names}
    from_file = {name: value for name, value in in_file.items() if name not in in_environment}
    try:
        return Settings(**{**from_file, **given})
    except ValidationError as invalid:
        options = {name: f"`--{name.replace('_', '-')}`" for name in given}
        sources = {name: f"`{name}` in `{path}`" for name in from_file} | options
        problems = [
            f"{sources.get(name, PREFIX + name.upper())}: {error['msg']}"
            for error in invalid.errors()
            if (name := str(error["loc"][0]))
        ]
        raise InvalidRequest("A setting is not valid. " + "; ".join(problems)) from invalid


def _check_environment(environment: Mapping[str, str]) -> None:
    known = {name.upper() for name in Settings.model_fields} | _NOT_SETTINGS
    # whatever their case, as pydantic-settings reads them
    ours = (name for name in environment if name.upper().startswith(PREFIX))
    for name in sorted(ours):
        short = name.upper().removeprefix(PREFIX)
        if short not in known and not short.startswith(_TEST_PREFIX):
            raise InvalidRequest(_unknown(f"`{name}`", short, known, PREFIX))


def _read(path: Path) -> dict[str, Any]:
    try:
        settings = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InvalidRequest(f"The configuration file `{path}` cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"The configuration file `{path}` is not TOML: {error}.") from error
    for name in settings:
        if name not in Settings.model_fields:
            raise InvalidRequest(_unknown(f"`{name}` in `{path}`", name, Settings.model_fields, ""))
    return settings


def _unknown(what: str, name: str, known: Iterable[str], prefix: str) -> str:
    meant = nearest(name, known)
    hint = f"did you mean `{prefix}{meant}`?" if meant else "docs/settings.md lists every setting."
    return f"There is no setting {what}; {hint}"
