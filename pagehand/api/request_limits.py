"""What one caller may take of the process: requests in progress, and bytes of bodies and answers.

Without shares, one key could open all connections, or fill the memory, and nobody else would be served.
"""

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from pagehand.errors import TooMany, Unavailable
from pagehand.settings import Settings

_GROUPS: Final = Path("/proc/self/cgroup")


_MOUNT: Final = Path("/sys/fs/cgroup")


if TYPE_CHECKING:
    from pagehand.api.auth import Caller

PIECE_BYTES: Final = 64 * 1024
"""Large answers are sent in pieces of this size; the transport keeps no more of them."""
DOWNLOAD_BYTES: Final = 4 * PIECE_BYTES
"""What a download keeps in memory while its client does not read."""
VIEWER_BYTES: Final = 1024 * 1024
"""What a viewer of a live view keeps in memory: a message that arrives, and pictures to send."""
UNCOUNTED_BYTES: Final = 16 * 1024
"""A smaller body or answer is not counted: nearly all are, and counting has its price."""
BYTES_PER_BYTE: Final = 3
"""A body in memory: as it was sent, parsed, and encoded again for the database."""
BYTES_PER_VALUE: Final = 100
"""A parsed value beyond its text, and its piece of the text that searches read."""
BYTES_PER_OBJECT: Final = 300
"""What an object takes beyond its values; empty it is small, with one field it has 232 bytes."""
_STRANGERS: Final = ""
"""Counts callers who have shown no key; organizations have ids."""
_UPLOADS: Final = 10
"""How many uploads of the largest size may be received at once."""
_TURNS: Final = 8
"""How many long answers of one organization may start, or make their next piece, at the same time."""
_SHARE_OF_MEMORY: Final = 4
"""The rest is for the service itself, for browsers, and for what requests take beyond their estimates."""
_MOST_MEMORY: Final = 256 * 1024 * 1024
_WAIT_SECONDS: Final = 5.0
_RETRY_SECONDS: Final = 5


class RequestLimits:
    """The limits of this process; `of` counts one request."""

    def __init__(self, connections: int, memory_bytes: int, upload_bytes: int) -> None:
        # the rest of the connections is for health, metrics and what has not shown a key yet
        self.requests: Final = _Places(connections, total=0.95, organization=0.6, key=0.3)
        # the rest of these is for requests that are answered at once
        self.long_answers: Final = _Places(connections, total=0.85, organization=0.5, key=0.25)
        self.memory: Final = _Bytes(memory_bytes)
        self.uploads: Final = _Bytes(upload_bytes)
        self.turns: Final = WeakValueDictionary[tuple[str, str], asyncio.Semaphore]()

    @classmethod
    def of_settings(cls, settings: Settings) -> "RequestLimits":
        """The limits that the operator has set."""
        uploads = _UPLOADS * settings.max_upload_bytes
        memory = settings.max_bytes_in_flight or min(_MOST_MEMORY, memory_limit() // _SHARE_OF_MEMORY)
        return cls(settings.max_connections, memory, uploads)

    def of(self, caller: "Caller") -> "RequestUsage":
        """The usage of a new request, which has taken nothing yet."""
        return RequestUsage(self, caller.organization_id, caller.key.id if caller.key else "")


class RequestUsage:
    """What one request has taken; `end` gives all of it back."""

    __slots__ = (
        "_bytes",
        "_is_counted",
        "_is_long",
        "_key_id",
        "_limits",
        "_organization_id",
        "_stream_bytes",
        "_upload",
    )

    def __init__(self, limits: RequestLimits, organization_id: str, key_id: str = "") -> None:
        self._limits = limits
        self._organization_id = organization_id
        self._key_id = key_id
        self._is_counted = False
        self._is_long = False
        self._bytes = 0
        self._stream_bytes = 0
        self._upload = 0

    def charge(self, organization_id: str) -> None:
        """Count a request without a key, which has taken nothing yet, for the organization of its link."""
        self._organization_id = organization_id

    def begin(self) -> None:
        """Count the request; raises TooMany beyond the caller's share."""
        places = self._limits.requests
        if not places.take(self._organization_id, self._key_id):
            raise self._refusal(places, "requests in progress", "wait for the others to be answered")
        self._is_counted = True

    def begin_long(self) -> None:
        """Count an answer that may last; raises TooMany beyond the caller's share."""
        if self._is_long:
            return
        places = self._limits.long_answers
        if not places.take(self._organization_id, self._key_id):
            raise self._refusal(
                places,
                "long answers open (executeSync, events, live views, downloads)",
                "close some, or start runs with `/workflows/execute`, which answers at once",
            )
        self._is_long = True

    def begin_stream(self, size: int) -> None:
        """Count an answer that lasts and keeps `size` bytes in memory; raises TooMany or Unavailable."""
        if self._stream_bytes:
            return
        self.begin_long()
        if not self._limits.memory.take(self._organization_id, size, self._bytes):
            self.end()
            raise _no_memory()
        self._stream_bytes = size

    def turn(self, to: str) -> asyncio.Semaphore:
        """What an organization's long answers acquire to do something that costs, such as to start.

        A thousand that start at once would otherwise occupy the database's connections, the threads and the
        event loop for seconds, and short calls would wait behind them.
        """
        turns, name = self._limits.turns, (self._organization_id, to)
        turn = turns.get(name)
        if turn is None:
            turn = turns[name] = asyncio.Semaphore(_TURNS)
        return turn

    def _refusal(self, places: "_Places", noun: str, advice: str) -> TooMany | Unavailable:
        if places.are_all_taken or self._organization_id == _STRANGERS:
            return Unavailable(f"The service has too many {noun}; try again shortly.")
        return TooMany(
            f"Too many {noun} for one API key or organization: {advice}.", retry_after_seconds=_RETRY_SECONDS
        )

    async def wait_for_memory(self, size: int) -> None:
        """Reserve `size` more bytes once there is room; raises Unavailable when that takes too long."""
        try:
            async with asyncio.timeout(_WAIT_SECONDS):
                while not self._limits.memory.take(self._organization_id, size, self._bytes):
                    await self._limits.memory.given_back.wait()
        except TimeoutError:
            raise _no_memory() from None
        self._bytes += size

    def take_memory(self, size: int) -> None:
        """Reserve `size` more bytes; raises Unavailable when there is no room."""
        if not self._limits.memory.take(self._organization_id, size, self._bytes):
            raise _no_memory()
        self._bytes += size

    def take_upload(self, size: int) -> None:
        """Reserve `size` more bytes of a file that is being received; raises Unavailable."""
        if not self._limits.uploads.take(self._organization_id, size, self._upload):
            raise Unavailable("Too many uploads are in progress; try again shortly.")
        self._upload += size

    def release_memory(self) -> None:
        """Give back what was reserved so far, such as for a body that is no longer needed."""
        if self._bytes:
            self._limits.memory.give_back(self._organization_id, self._bytes)
            self._bytes = 0

    def end(self) -> None:
        """Give everything back."""
        if self._bytes:
            self.release_memory()
        if self._stream_bytes:
            self._limits.memory.give_back(self._organization_id, self._stream_bytes)
            self._stream_bytes = 0
        if self._upload:
            self._limits.uploads.give_back(self._organization_id, self._upload)
        if self._is_long:
            self._limits.long_answers.give_back(self._organization_id, self._key_id)
        if self._is_counted:
            self._limits.requests.give_back(self._organization_id, self._key_id)
        self._upload, self._is_long, self._is_counted = 0, False, False


class _Places:
    """A number of requests, with a share for each organization and each key."""

    def __init__(self, connections: int, *, total: float, organization: float, key: float) -> None:
        self._most = max(1, int(connections * total))
        self._most_of_organization = max(1, int(connections * organization))
        self._most_of_strangers = max(1, connections // 10)
        self._most_of_key = max(1, int(connections * key))
        self._taken = 0
        self._taken_by: dict[str, int] = {}

    def take(self, organization_id: str, key_id: str) -> bool:
        """Take one; False when there is none for this caller."""
        by = self._taken_by
        taken, taken_with_key = by.get(organization_id, 0), by.get(key_id, 0) if key_id else 0
        most = self._most_of_strangers if organization_id == _STRANGERS else self._most_of_organization
        if taken >= most or taken_with_key >= self._most_of_key or self._taken >= self._most:
            return False
        self._taken += 1
        by[organization_id] = taken + 1
        if key_id:
            by[key_id] = taken_with_key + 1
        return True

    @property
    def are_all_taken(self) -> bool:
        """Whether other callers have taken them all."""
        return self._taken >= self._most

    def give_back(self, organization_id: str, key_id: str) -> None:
        """Give one back."""
        self._taken -= 1
        for owner in (organization_id, key_id) if key_id else (organization_id,):
            _reduce(self._taken_by, owner, 1)


class _Bytes:
    """A number of bytes, of which one organization gets at most half."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._taken = 0
        self._taken_by: dict[str, int] = {}
        self.given_back = asyncio.Event()
        """Set for a moment whenever bytes are given back."""

    def take(self, organization_id: str, size: int, held: int = 0) -> bool:
        """Take so many more than the request holds already; False when there is no room for them."""
        own = self._taken_by.get(organization_id, 0)
        # a request that is larger than a share gets it alone, else it could never be served
        if own > held and own + size > self._total // 2:
            return False
        if self._taken > held and self._taken + size > self._total:
            return False
        self._taken += size
        self._taken_by[organization_id] = own + size
        return True

    def give_back(self, organization_id: str, size: int) -> None:
        """Give so many back, and wake those who wait for room."""
        self._taken -= size
        _reduce(self._taken_by, organization_id, size)
        self.given_back.set()
        self.given_back.clear()


def _reduce(counts: dict[str, int], owner: str, by: int) -> None:
    left = counts[owner] - by
    if left:
        counts[owner] = left
    else:
        del counts[owner]  # else it would grow with every organization there ever was


def _no_memory() -> Unavailable:
    return Unavailable(
        "Bodies and answers that are still being sent take all the memory reserved for them; try again "
        "shortly. A finished execution can be read with `/executions/get`."
    )


def memory_limit(groups: Path = _GROUPS, mount: Path = _MOUNT) -> int:
    """In bytes: the lowest limit of its control groups (version 1 or 2), or what the machine has."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    lines = groups.read_text().splitlines() if groups.exists() else []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):
            name = "memory.limit_in_bytes" if controllers else "memory.max"
            own = mount / controllers / path.lstrip("/")
            # a limit further up counts too; in a container, only the top is there
            limits += [
                _limit(folder / name) for folder in (own, *own.parents) if folder.is_relative_to(mount)
            ]
    return min(limit for limit in limits if limit > 0)


def _limit(file: Path) -> int:
    """The limit in a file; 0 if there is none."""
    try:
        text = file.read_text().strip()
    except OSError:
        return 0
    return int(text) if text.isdigit() else 0
