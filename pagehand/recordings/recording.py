"""A recording on disk: `recording.json` and the bodies of the answers, in a folder or a ZIP file."""

import hashlib
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct, field

from pagehand.errors import InvalidRequest
from pagehand.records import Json

FILE_NAME: Final = "recording.zip"
"""The name of a recording among an execution's files."""
_INDEX: Final = "recording.json"
_FORMAT: Final = 1
_MAX_BYTES: Final = 500_000_000


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
    """The bodies of a recording that is being made, each content once."""

    def __init__(self) -> None:
        self.by_name: dict[str, bytes] = {}

    def add(self, content: bytes) -> str:
        """Keep a body; its name."""
        if not content:
            return ""
        name = f"bodies/{hashlib.sha256(content).hexdigest()[:40]}"
        self.by_name[name] = content
        return name


def write(path: Path, recording: Recording, bodies: Mapping[str, bytes]) -> None:
    """Write a recording as a ZIP file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_INDEX, msgspec.json.format(msgspec.json.encode(recording)))
        for name, content in bodies.items():
            archive.writestr(name, content)


def read(path: Path) -> tuple[Recording, dict[str, bytes]]:
    """A recording in a folder or a ZIP file, and the bodies in it; `InvalidRequest` says what is wrong."""
    try:
        files = dict(_files(path))
    except (OSError, zipfile.BadZipFile) as error:
        raise InvalidRequest(f"{path}: there is no recording that can be read: {error}.") from error
    try:
        recording = msgspec.json.decode(files.pop(_INDEX), type=Recording)
    except KeyError:
        raise InvalidRequest(f"{path}: this is no recording: it has no `{_INDEX}`.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{path}: `{_INDEX}` cannot be read: {error}.") from error
    if recording.format != _FORMAT:
        raise InvalidRequest(f"{path}: this recording is of format {recording.format}; known is {_FORMAT}.")
    return recording, files


def unpack(path: Path, folder: Path) -> None:
    """Write a recording as files in a folder, where a version control system shows what changes."""
    recording, bodies = read(path)
    (folder / "bodies").mkdir(parents=True, exist_ok=True)
    (folder / _INDEX).write_bytes(msgspec.json.format(msgspec.json.encode(recording)) + b"\n")
    for name, content in bodies.items():
        # nothing outside the folder: the names are another machine's
        (folder / "bodies" / Path(name).name).write_bytes(content)


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        for file in (path / _INDEX, *path.glob("bodies/*")):
            if file.is_file():
                yield file.relative_to(path).as_posix(), file.read_bytes()
        if not (path / _INDEX).exists() and (path / FILE_NAME).exists():
            yield from _files(path / FILE_NAME)
        return
    with zipfile.ZipFile(path) as archive:
        # a file from elsewhere may unpack to any size
        if sum(entry.file_size for entry in archive.infolist()) > _MAX_BYTES:
            raise InvalidRequest(f"{path}: a recording may have {_MAX_BYTES // 1_000_000} MB.")
        for entry in archive.infolist():
            yield entry.filename, archive.read(entry)
