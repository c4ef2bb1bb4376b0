"""Checks the zip archive of a DOCX or XLSX file before it is unpacked."""

import io
import zipfile
from typing import Final

from pagehand.errors import BlockFailed

_LARGEST_UNPACKED: Final = 300 * 1024 * 1024
_MOST_PARTS: Final = 20_000
_OLD_OR_ENCRYPTED: Final = b"\xd0\xcf\x11\xe0"


def check_package(content: bytes, wanted: str, part: str) -> set[str]:
    """The names of its parts; `BlockFailed` if it is not a `wanted` file with that `part`, or a zip bomb."""
    if content.startswith(_OLD_OR_ENCRYPTED):
        raise BlockFailed(f"It is encrypted, or of an old format; save it as {wanted} without a password.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise BlockFailed(f"It is not a {wanted} file, or it is damaged.") from error
    if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > _LARGEST_UNPACKED:
        raise BlockFailed(
            f"It unpacks to more than {_LARGEST_UNPACKED // 1024 // 1024} MB or {_MOST_PARTS} parts, "
            f"which no honest {wanted} file does."
        )
    names = {part.filename for part in parts}
    if part not in names:
        raise BlockFailed(f"It is not a {wanted} file: it has no `{part}`.")
    return names
