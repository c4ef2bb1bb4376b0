"""A recording on disk: `recording.json` and bodies, in a folder or a ZIP file; how a run differs from it."""

import hashlib
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, field

from pagehand.errors import InvalidRequest, TooLarge
from pagehand.records import Json

FILE_NAME: Final = "recording.zip"
"""The name of a recording among an execution's files."""
_INDEX: Final = "recording.json"
_FORMAT: Final = 1
_BODIES: Final = "bodies"
MAX_BYTES: Final = 200_000_000
"""Of the bodies of a recording that is made."""
_MAX_READ_BYTES: Final = 500_000_000
_PORTS: Final = {"http": 80, "https": 443}
_CREDENTIAL: Final = re.compile(
    r"token|secret|passw|jwt|api_?key|session_?id|credential|signature|saml", re.IGNORECASE
)
HIDDEN: Final = "recorded"
"""Stands for what would let somebody in."""


def is_credential(name: str) -> bool:
    """Whether a field, parameter or header of that name lets somebody in; no redactor knows a new token."""
    return _CREDENTIAL.search(name) is not None


def without_credentials(url: str) -> str:
    """An address, or a form as it is sent, without the values of what is named like a credential."""
    # the separators stay, at every second place
    pieces = re.split(r"([?&#;])", url)
    return "".join(_without_value(piece) if "=" in piece else piece for piece in pieces)


def _without_value(piece: str) -> str:
    name = piece.partition("=")[0]
    return f"{name}={HIDDEN}" if is_credential(name) else piece


def port_of(url: str) -> int:
    """The port of an address; KeyError or ValueError if it is none of the web."""
    parts = urlsplit(url)
    return parts.port or _PORTS[parts.scheme]


class Exchange(Struct, omit_defaults=True):
    """What a site answered to one request."""

    method: str
    url: str
    status: int
    headers: list[tuple[str, str]]
    body: str = ""
    """The name of the file with the body; empty when there was none."""


class Step(Struct, omit_defaults=True):
    """A block that ended."""

    block: str
    """Its `blockReferenceId`."""
    name: str
    failed: bool = False


class RecordedLogin(Struct):
    """A login that was used: where it signs in, and nothing that it signs in with."""

    name: str
    authentication_url: str
    home_url: str | None = None


class Recording(Struct, omit_defaults=True):
    """An execution and everything that it was answered."""

    workflow: str
    status: str = ""
    params: Json = field(default_factory=Json)
    response: Json = field(default_factory=Json)
    steps: list[Step] = field(default_factory=list[Step])
    exchanges: list[Exchange] = field(default_factory=list[Exchange])
    logins: list[RecordedLogin] = field(default_factory=list[RecordedLogin])
    format: int = _FORMAT


class Bodies:
    """The bodies of a recording that is being made, in a folder, each content once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._room = MAX_BYTES

    def add(self, content: bytes) -> str:
        """Keep a body; its name. `TooLarge` if there is no room for it."""
        if not content:
            return ""
        name = f"{_BODIES}/{hashlib.sha256(content).hexdigest()[:40]}"
        path = self._folder / name
        if not path.exists():
            if len(content) > self._room:
                raise TooLarge(f"A recording may have {MAX_BYTES // 1_000_000} MB.")
            self._room -= len(content)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        return name

    def paths(self) -> Iterator[Path]:
        """The files of the bodies."""
        yield from sorted(self._folder.glob(f"{_BODIES}/*"))


def write(path: Path, recording: Recording, bodies: Bodies) -> None:
    """Write a recording as a ZIP file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_INDEX, msgspec.json.format(msgspec.json.encode(recording)))
        for body in bodies.paths():
            archive.write(body, f"{_BODIES}/{body.name}")


def read(path: Path) -> tuple[Recording, dict[str, bytes]]:
    """A recording in a folder or a ZIP file, and the bodies in it; `InvalidRequest` says what is wrong."""
    try:
        files = dict(_files(path))
    except (OSError, zipfile.BadZipFile) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise InvalidRequest(f"{path}: there is no recording that can be read: {reason}.") from error
    try:
        recording = msgspec.json.decode(files.pop(_INDEX), type=Recording)
    except KeyError:
        raise InvalidRequest(f"{path}: this is no recording: it has no `{_INDEX}`.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{path}: `{_INDEX}` cannot be read: {error}.") from error
    if recording.format != _FORMAT:
        raise InvalidRequest(f"{path}: this recording is of format {recording.format}; known is {_FORMAT}.")
    for exchange in recording.exchanges:
        try:
            port_of(exchange.url)
        except (KeyError, ValueError):
            raise InvalidRequest(f"{path}: `{exchange.url}` is not an address of the web.") from None
    return recording, files


def unpack(path: Path, folder: Path) -> None:
    """Write a recording as files in a folder, where a version control system shows what changes."""
    recording, bodies = read(path)
    (folder / _BODIES).mkdir(parents=True, exist_ok=True)
    (folder / _INDEX).write_bytes(msgspec.json.format(msgspec.json.encode(recording)) + b"\n")
    for name, content in bodies.items():
        # nothing outside the folder: the names are another machine's
        (folder / _BODIES / Path(name).name).write_bytes(content)


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        for file in (path / _INDEX, *path.glob(f"{_BODIES}/*")):
            # a link would bring in any file of this machine
            if file.is_file() and not file.is_symlink():
                yield file.relative_to(path).as_posix(), file.read_bytes()
        if not (path / _INDEX).exists() and (path / FILE_NAME).exists():
            yield from _files(path / FILE_NAME)
        return
    with zipfile.ZipFile(path) as archive:
        # a file from elsewhere may unpack to any size
        if sum(entry.file_size for entry in archive.infolist()) > _MAX_READ_BYTES:
            raise InvalidRequest(f"{path}: a recording may have {_MAX_READ_BYTES // 1_000_000} MB.")
        for entry in archive.infolist():
            yield entry.filename, archive.read(entry)


_OF_ONE_RUN: Final = frozenset(("id", "key", "downloadUrl", "url", "messageId", "createdAt", "executionId"))
"""Fields of files, mails and the like that are new in every run."""
_FILE_FIELDS: Final = frozenset(("downloadUrl", "messageId"))
_ANSWER_FIELDS: Final = frozenset(("status", "headers", "data"))
_SHOWN: Final = 300


def first_difference(recorded: Recording, now: Recording) -> str:
    """A sentence about the first block that differs; empty when none does."""
    known = {step.block for step in recorded.steps}
    failed_before = {step.block for step in recorded.steps if step.failed}
    for step in now.steps:
        if step.failed and step.block not in failed_before:
            return f"{_name(step)} failed"
        # a block that was added since has nothing to differ from
        is_known = step.block in known
        if is_known and not step.failed and _output(recorded, step) != _output(now, step):
            before, after = _text(_output(recorded, step)), _text(_output(now, step))
            return f"{_name(step)} differs: recorded {before}, now {after}"
    missing = [step for step in recorded.steps if step.block not in {done.block for done in now.steps}]
    if now.status != recorded.status:
        return f"The run is {now.status}, recorded was {recorded.status}"
    # a block that was taken out of the workflow is no difference, unless the run stopped before it
    return f"{_name(missing[0])} did not run" if missing and now.status == "Failed" else ""


def _name(step: Step) -> str:
    return f"“{step.name}” (`{step.block}`)"


def _output(run: Recording, step: Step) -> Any:
    return _stable(run.response.get(step.block))


def _stable(value: Any) -> Any:
    """The value without what is new in every run."""
    if isinstance(value, list):
        return [_stable(item) for item in cast("list[Any]", value)]
    if not isinstance(value, Mapping):
        return value
    given = cast("Mapping[str, Any]", value)
    left_out = _OF_ONE_RUN if _FILE_FIELDS & given.keys() else frozenset[str]()
    if given.keys() >= _ANSWER_FIELDS:  # the headers of an answer are its connection's, too
        left_out |= {"headers"}
    return {key: _stable(item) for key, item in given.items() if key not in left_out}


def _text(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
