"""Bodies of requests made to the egress proxy: where they end, and what of them the origin is sent.

A server that sees the end of a body elsewhere than the proxy does would take part of it for another request,
one that was not checked (request smuggling). So framing is read strictly, and chunks are written again from
what was read: extensions and trailers do not get through.
"""

import re
from enum import Enum, auto

HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*+([\t\x20-\x7e\x80-\xff]*)")
"""A header line. A carriage return or line feed alone ends a line for some servers: what follows would be a
header that was not checked. Folded lines begin with a blank, so they are not a name either."""
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})(?:;[\t\x20-\x7e\x80-\xff]*)?")
_LONGEST_LINE = 8 * 1024
_MOST_TRAILERS = 100


class BadRequest(Exception):
    """The request is not one a proxy can serve; the message says why."""


class CountedBody:
    """A body of as many bytes as `Content-Length` says."""

    def __init__(self, length: int) -> None:
        self._left = length

    @property
    def is_complete(self) -> bool:
        """Whether all of it has been taken."""
        return not self._left

    def take(self, unread: bytearray) -> bytes:
        """Remove what belongs to the body from `unread`; what to send the origin."""
        part = bytes(unread[: self._left])
        del unread[: self._left]
        self._left -= len(part)
        return part


class _Expected(Enum):
    SIZE = auto()
    DATA = auto()
    END_OF_DATA = auto()
    TRAILER = auto()
    NOTHING = auto()


class ChunkedBody:
    """A body in chunks (RFC 9112, section 7.1)."""

    def __init__(self) -> None:
        self._expected = _Expected.SIZE
        self._left = 0
        self._trailers = 0

    @property
    def is_complete(self) -> bool:
        """Whether the last chunk and its trailers have been taken."""
        return self._expected is _Expected.NOTHING

    def take(self, unread: bytearray) -> bytes:
        """Remove what belongs to the body from `unread`; what to send on. `BadRequest` if malformed."""
        sent = bytearray()
        while unread and not self.is_complete:
            if self._expected is _Expected.DATA:
                sent += self._take_data(unread)
                continue
            line = _take_line(unread)
            if line is None:
                break
            sent += self._read_line(line)
        return bytes(sent)

    def _take_data(self, unread: bytearray) -> bytes:
        part = bytes(unread[: self._left])
        del unread[: self._left]
        self._left -= len(part)
        if not self._left:
            self._expected = _Expected.END_OF_DATA
        return part

    def _read_line(self, line: bytes) -> bytes:
        if self._expected is _Expected.SIZE:
            return self._read_size(line)
        if self._expected is _Expected.END_OF_DATA:
            if line:
                raise BadRequest("a chunk is longer than its size")
            self._expected = _Expected.SIZE
            return b"\r\n"
        if not line:
            self._expected = _Expected.NOTHING
            return b"0\r\n\r\n"
        self._trailers += 1
        if self._trailers > _MOST_TRAILERS or not HEADER.fullmatch(line):
            raise BadRequest("there are too many trailers, or one is malformed")
        return b""

    def _read_size(self, line: bytes) -> bytes:
        match = _CHUNK_SIZE.fullmatch(line)
        if match is None:
            raise BadRequest("the size of a chunk is malformed")
        self._left = int(match[1], 16)
        self._expected = _Expected.DATA if self._left else _Expected.TRAILER
        return b"%x\r\n" % self._left if self._left else b""


def _take_line(unread: bytearray) -> bytes | None:
    """The next line without its end; None when it has not arrived whole."""
    end = unread.find(b"\n")
    if end < 0 and len(unread) <= _LONGEST_LINE:
        return None
    # a lone line feed ends a line for some servers and not for others
    if not 0 < end <= _LONGEST_LINE or not unread.startswith(b"\r", end - 1):
        raise BadRequest("a line of a chunk does not end properly")
    line = bytes(unread[: end - 1])
    del unread[: end + 1]
    if b"\r" in line:
        raise BadRequest("a line of a chunk does not end properly")
    return line
