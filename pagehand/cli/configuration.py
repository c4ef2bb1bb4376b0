"""Settings from a configuration file and the environment; a name that nobody knows is refused."""

import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from pagehand.errors import InvalidRequest
from pagehand.settings import PREFIX, Settings
from pagehand.workflow.nearest import nearest

_OF_CLIENTS: Final = frozenset(("URL", "KEY", "CONFIG"))
"""What the commands that call a service read, and the name of the file itself."""
_OF_TESTS: Final = "TEST_"
"""`PAGEHAND_TEST_POSTGRES` and its like belong to the test suite."""


def read_settings(
    given: Mapping[str, Any], file: Path | None = None, environment: Mapping[str, str] = os.environ
) -> Settings:
    """What the command line gave before the environment, and that before the file; raises InvalidRequest."""
    # before anything is read: a misspelt name would silently leave a default in force
    _check_environment(environment)
    named = environment.get(f"{PREFIX}CONFIG")
    path = file or (Path(named) if named else None)
    written = {} if path is None else _read(path)
    # in any case, as pydantic-settings reads them
    set_names = {name.upper() for name, value in environment.items() if value}
    in_environment = {name for name in Settings.model_fields if PREFIX + name.upper() in set_names}
    below = {name: value for name, value in written.items() if name not in in_environment}
    try:
        return Settings(**{**below, **given})
    except ValidationError as wrong:
        lines = [f"{_called(str(error['loc'][0]), below, path)}: {error['msg']}" for error in wrong.errors()]
        raise InvalidRequest("A setting is not valid. " + "; ".join(lines)) from wrong


def _check_environment(environment: Mapping[str, str]) -> None:
    known = {name.upper() for name in Settings.model_fields} | _OF_CLIENTS
    # names of settings are read in any case, as pydantic-settings does
    ours = (name for name in environment if name.upper().startswith(PREFIX))
    for name in sorted(ours):
        short = name.upper().removeprefix(PREFIX)
        if short not in known and not short.startswith(_OF_TESTS):
            raise InvalidRequest(_unknown(f"`{name}`", short, known, PREFIX))


def _read(path: Path) -> dict[str, Any]:
    try:
        written = tomllib.loads(path.read_text("utf-8"))
    except OSError as trouble:
        raise InvalidRequest(
            f"The configuration file `{path}` cannot be read: {trouble.strerror}."
        ) from trouble
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as trouble:
        raise InvalidRequest(f"The configuration file `{path}` is not TOML: {trouble}.") from trouble
    for name in written:
        if name not in Settings.model_fields:
            raise InvalidRequest(_unknown(f"`{name}` in `{path}`", name, Settings.model_fields, ""))
    return written


def _unknown(what: str, name: str, known: Iterable[str], prefix: str) -> str:
    meant = nearest(name, known)
    hint = f"did you mean `{prefix}{meant}`?" if meant else "docs/settings.md lists every setting."
    return f"There is no setting {what}; {hint}"


def _called(name: str, below: Mapping[str, Any], path: Path | None) -> str:
    return f"`{name}` in `{path}`" if name in below else f"{PREFIX}{name.upper()}"
