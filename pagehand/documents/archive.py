"""Unpacks a zip archive in memory, unless it is malicious."""

import io
import re
import stat
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pagehand.documents import archive_aes
from pagehand.documents.tasks import SendFile
from pagehand.errors import BlockFailed
from pagehand.workflow import wildcard

_MB: Final = 1024 * 1024
_LARGEST_MEMBER: Final = 100 * _MB
_LARGEST_TOTAL: Final = 500 * _MB
_MOST_MEMBERS: Final = 5_000
_HARMLESS_SIZE: Final = 10 * _MB
_LARGEST_RATIO: Final = 200
"""The largest ratio of unpacked to packed size."""
_ENCRYPTED: Final = 0x1
_DRIVE: Final = re.compile(r"[A-Za-z]:")


def unzip(content: bytes, options: Mapping[str, Any], send: SendFile) -> list[str]:
    """Send every file that matches the pattern; their paths in the archive."""
    archive = _open(content)
    # all members, not only those that match: one unsafe path makes the whole archive suspect
    members = _check(archive, "The archive")
    wanted = [member for member in members if _matches(member.filename, options.get("pattern"))]
    password = options.get("password")
    for member in wanted:
        unpacked = _read(archive, content, member, password)
        if zipfile.is_zipfile(io.BytesIO(unpacked)):
            _check_nested(unpacked, member.filename)
        send(member.filename, unpacked)
    return [member.filename for member in wanted]


def _open(content: bytes) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, UnicodeDecodeError) as error:
        raise BlockFailed(f"It is not a zip archive, or a damaged one: {error}.") from error


def _check(archive: zipfile.ZipFile, name: str) -> list[zipfile.ZipInfo]:
    """Its files; `BlockFailed` for unsafe names or sizes, before anything is unpacked."""
    every = archive.infolist()
    if len(every) > _MOST_MEMBERS:
        raise BlockFailed(f"{name} has {len(every)} files; at most {_MOST_MEMBERS} are unpacked.")
    for member in every:
        _check_name(member)
    members = [member for member in every if not member.is_dir()]
    total = sum(member.file_size for member in members)
    if total > _LARGEST_TOTAL:
        raise BlockFailed(
            f"{name} unpacks to {total // _MB} MB; at most {_LARGEST_TOTAL // _MB} MB are unpacked."
        )
    _check_sizes(members, name)
    return members


def _check_name(member: zipfile.ZipInfo) -> None:
    name = member.filename
    parts = name.replace("\\", "/").split("/")
    if not name or name.startswith(("/", "\\")) or ".." in parts or _DRIVE.match(name) or "\x00" in name:
        raise BlockFailed(
            f"The archive holds `{name[:200]}`, a path that leads out of it; it is not unpacked."
        )
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        described = "a symbolic link" if kind == stat.S_IFLNK else "no plain file"
        raise BlockFailed(f"The archive holds `{name[:200]}`, which is {described}; it is not unpacked.")


def _check_sizes(members: Sequence[zipfile.ZipInfo], name: str) -> None:
    for member in members:
        if member.file_size > _LARGEST_MEMBER:
            raise BlockFailed(
                f"`{member.filename[:200]}` unpacks to {member.file_size // _MB} MB; "
                f"at most {_LARGEST_MEMBER // _MB} MB are unpacked."
            )
    # many small members may be a zip bomb together
    size = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    dense = [
        member
        for member in members
        if member.file_size > _HARMLESS_SIZE and _exceeds_ratio(member.file_size, member.compress_size)
    ]
    if dense or (size > 5 * _HARMLESS_SIZE and _exceeds_ratio(size, packed)):
        raise BlockFailed(
            f"{name} unpacks to more than {_LARGEST_RATIO} times its size: it looks like a zip bomb."
        )


def _exceeds_ratio(size: int, packed: int) -> bool:
    return size > _LARGEST_RATIO * max(packed, 1)


def _check_nested(content: bytes, name: str) -> None:
    """Check an archive inside the archive, which is not unpacked."""
    inner = _check(_open(content), f"The archive `{name[:200]}` inside")
    if any(member.filename.lower().endswith(".zip") for member in inner):
        raise BlockFailed(
            f"The archive holds `{name[:200]}`, which holds archives again: it looks like a zip bomb."
        )


def _matches(path: str, pattern: str | None) -> bool:
    """Whether the path or its last part matches the pattern, case-insensitively."""
    if not pattern:
        return True
    low, wanted = path.lower(), pattern.lower()
    return wildcard.matches(wanted, low) or wildcard.matches(wanted, low.rpartition("/")[2])


def _read(archive: zipfile.ZipFile, content: bytes, member: zipfile.ZipInfo, password: str | None) -> bytes:
    name = member.filename[:200]
    if member.flag_bits & _ENCRYPTED and not password:
        raise BlockFailed(f"`{name}` is encrypted: give the archive's `password`.")
    key = (password or "").encode()
    try:
        if archive_aes.is_aes(member):
            return archive_aes.read(content, member, key)
        return archive.read(member, key or None)
    except archive_aes.WrongPassword as error:
        raise BlockFailed(f"`password` does not open `{name}`.") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError) as error:
        # the old encryption checks one byte only: a wrong password that passes looks like damage
        if member.flag_bits & _ENCRYPTED:
            raise BlockFailed(f"`password` does not open `{name}`, or it is damaged.") from error
        raise BlockFailed(f"`{name}` in the archive is damaged: {error}.") from error
    except RuntimeError as error:  # how the library reports a wrong password
        raise BlockFailed(f"`password` does not open `{name}`.") from error
