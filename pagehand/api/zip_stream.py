"""A ZIP that is sent while it is made, so that it never has to fit into memory."""

import re
import time
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from typing import IO, Final, cast

_UNSAFE: Final = re.compile(r"[^\w.()\[\] +-]+|\.{2,}")
_LONGEST_NAME: Final = 120


def entry_name(name: str) -> str:
    """A file's name as an entry: no folder, no leading dot, nothing that a file system would not take."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    # the end of a long name is kept: it has the extension
    return _UNSAFE.sub("_", last).strip(" .")[-_LONGEST_NAME:] or "file"


class _Written:
    """Takes what `zipfile` writes; it cannot go back in what was sent already."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        """Keep a piece until it is taken."""
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Nothing is held back."""

    def take(self) -> bytes:
        """All pieces since the last call."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


class ZipStream:
    """Every call answers with the bytes that are ready to be sent."""

    def __init__(self) -> None:
        self._written = _Written()
        self._zip = zipfile.ZipFile(cast("IO[bytes]", self._written), "w")

    def add(self, name: str, content: bytes) -> bytes:
        """A whole entry, compressed."""
        self._zip.writestr(name, content, zipfile.ZIP_DEFLATED)
        return self.taken()

    @contextmanager
    def entry(self, name: str, *, is_text: bool = False) -> Generator["ZipEntry"]:
        """An entry that is written piece by piece; only text is compressed: pictures are already."""
        info = zipfile.ZipInfo(name, time.localtime()[:6])
        info.compress_type = zipfile.ZIP_DEFLATED if is_text else zipfile.ZIP_STORED
        # unpacked, it belongs to whoever unpacked it: it may hold personal data
        info.external_attr = 0o600 << 16
        # the size is not known yet when the head of the entry is written
        with self._zip.open(info, "w", force_zip64=True) as opened:
            yield ZipEntry(opened, self._written)

    def taken(self) -> bytes:
        """What was written since the last call."""
        return self._written.take()

    def close(self) -> bytes:
        """The end of the ZIP."""
        self._zip.close()
        return self.taken()


class ZipEntry:
    """One entry under way."""

    def __init__(self, opened: IO[bytes], written: _Written) -> None:
        self._opened = opened
        self._written = written

    def write(self, piece: bytes) -> bytes:
        """Add a piece; the bytes to send."""
        self._opened.write(piece)
        return self._written.take()
