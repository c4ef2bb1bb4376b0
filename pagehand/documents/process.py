"""Has documents opened apart from the service: no files, no network, bounded time and memory."""

import asyncio
import socket
import time
from collections.abc import Mapping
from typing import Any, Final

import orjson

from pagehand.documents.frames import BrokenFrame, packed, read_frame
from pagehand.documents.isolation import Isolation, commands
from pagehand.documents.tasks import TASKS
from pagehand.errors import BlockFailed, OurFault, TimedOut
from pagehand.ports import KeepFile

LARGEST_DOCUMENT: Final = 64 * 1024 * 1024
_LARGEST_FILE: Final = 256 * 1024 * 1024
_RECORD_BYTES: Final = 64
_START_SECONDS: Final = 20
_GRACE_SECONDS: Final = 2.0


class DocumentProcess:
    """A process that stands ready while there is work and forks a limited copy of itself for each."""

    def __init__(self, *, at_once: int = 4, seconds: float = 60, idle_seconds: float = 60) -> None:
        self._seconds = seconds
        self._idle_seconds = idle_seconds
        self._slots = asyncio.Semaphore(at_once)
        self._starting = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._control: socket.socket | None = None
        self._working = 0
        self._rest: asyncio.TimerHandle | None = None
        self.isolation: Isolation = "process"

    @property
    def process_id(self) -> int | None:
        """Of the process that stands ready; None while there is none."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    async def start(self) -> None:
        """Stand ready ahead of the first order, which would otherwise do it."""
        async with self._starting:
            await self._ready()

    async def close(self) -> None:
        """End it and all its copies."""
        async with self._starting:
            await self._end()

    async def perform(
        self,
        task: str,
        content: bytes,
        options: Mapping[str, Any],
        *,
        timeout_seconds: float,
        keep: KeepFile | None = None,
    ) -> Any:
        """Do one of `TASKS` with a document; its value. `BlockFailed` says what is wrong with it."""
        if len(content) > LARGEST_DOCUMENT:
            raise BlockFailed(
                f"It has {len(content) / 1024 / 1024:.0f} MB; documents of up to "
                f"{LARGEST_DOCUMENT // 1024 // 1024} MB are opened."
            )
        seconds = min(timeout_seconds, self._seconds)
        async with self._slots:
            self._working += 1
            try:
                return await self._order(task, content, options, seconds, keep)
            finally:
                self._working -= 1
                self._rest_later()

    async def _order(
        self, task: str, content: bytes, options: Mapping[str, Any], seconds: float, keep: KeepFile | None
    ) -> Any:
        # while it is read, a document is held more than once
        memory = TASKS[task].memory_bytes + 3 * len(content)
        connection = await self._connect(f"{task} {seconds:.2f} {memory}")
        began = time.monotonic()
        reader, writer = await asyncio.open_unix_connection(sock=connection)
        try:
            async with asyncio.timeout(seconds + _GRACE_SECONDS):
                writer.writelines(packed({"options": dict(options)}, content))
                await writer.drain()
                return await self._answer(reader, keep, memory)
        except TimeoutError:
            # its own alarm should have ended it: something in there has taken over
            await self.close()
            raise _too_slow(seconds) from None
        except (asyncio.IncompleteReadError, ConnectionError, BrokenFrame) as death:
            if time.monotonic() - began >= seconds:
                raise _too_slow(seconds) from death
            raise BlockFailed(
                f"Opening it took more than {memory // 1024 // 1024} MB of memory, or it is damaged in a way "
                "that brings down what reads it."
            ) from death
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, keep: KeepFile | None, memory: int) -> Any:
        while True:
            header, content = await read_frame(reader, _LARGEST_FILE)
            match header.get("kind"):
                case "file" if keep is not None:
                    await keep(str(header["name"]), content)
                case "value":
                    return orjson.loads(content)
                case "error" if header.get("name") == "memory":
                    raise BlockFailed(f"Opening it takes more than {memory // 1024 // 1024} MB of memory.")
                case "error":
                    raise BlockFailed(content.decode(errors="replace"))
                case other:
                    raise BrokenFrame(f"a frame of kind {other}")

    async def _connect(self, order: str) -> socket.socket:
        """A socket to a new copy; the process is started anew if it has died meanwhile."""
        async with self._starting:
            for _ in range(2):
                control = await self._ready()
                ours, theirs = socket.socketpair()
                with theirs:
                    try:
                        socket.send_fds(control, [order.ljust(_RECORD_BYTES).encode()], [theirs.fileno()])
                    except OSError:
                        ours.close()
                        # it died since it was last asked; the second round starts another
                        await self._end()
                    else:
                        ours.setblocking(False)
                        return ours
        raise OurFault("The process that opens documents cannot be reached.")

    async def _ready(self) -> socket.socket:
        if self._control is not None and self._process is not None and self._process.returncode is None:
            return self._control
        await self._end()
        for isolation, command in commands():
            if await self._answers(command):
                self.isolation = isolation
                break
        if self._control is None:
            raise OurFault("The process that opens documents does not start.")
        return self._control

    async def _answers(self, command: list[str]) -> bool:
        """Start it in this way; False when it does not get ready."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        with theirs:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                stdin=theirs.fileno(),
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                env={},
                start_new_session=True,
            )
        try:
            async with asyncio.timeout(_START_SECONDS):
                is_ready = bool(await asyncio.get_running_loop().sock_recv(ours, 1))
        except (TimeoutError, OSError):
            is_ready = False
        if is_ready:
            self._control = ours
            return True
        ours.close()
        await self._end()
        return False

    def _rest_later(self) -> None:
        """Memory is given back when nothing was asked for a while."""
        if self._rest is not None:
            self._rest.cancel()
        if not self._working and self._control is not None:
            self._rest = asyncio.get_running_loop().call_later(self._idle_seconds, self._let_go)

    def _let_go(self) -> None:
        """It ends by itself once nobody can send it orders."""
        if not self._working and self._control is not None:
            self._control.close()
            self._control = None

    async def _end(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            if self._process.returncode is None:
                self._process.kill()
            await self._process.wait()
            self._process = None


def _too_slow(seconds: float) -> TimedOut:
    return TimedOut(f"Opening it took longer than {seconds:g} s and was stopped.")
