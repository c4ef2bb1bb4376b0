"""Runs tasks on documents in isolated processes: no files, no network, limited time and memory."""

import asyncio
import socket
import sys
import sysconfig
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import orjson

import pagehand
from pagehand import bubblewrap
from pagehand.bubblewrap import Isolation
from pagehand.documents.frames import FrameError, pack_frame, read_frame
from pagehand.documents.tasks import TASKS
from pagehand.errors import BlockFailed, OurFault, TimedOut
from pagehand.ports import KeepFile

LARGEST_DOCUMENT: Final = 64 * 1024 * 1024
_LARGEST_FILE: Final = 256 * 1024 * 1024
_REQUEST_BYTES: Final = 64  # as in `fork_server`, which imports on Unix only
_START_SECONDS: Final = 20
_GRACE_SECONDS: Final = 2.0
_PACKAGE = Path(pagehand.__file__).resolve().parent
_FORK_SERVER = Path(__file__).with_name("fork_server.py").resolve()


class DocumentProcess:
    """Controls a fork server that runs each task in a copy of itself; it is stopped when idle."""

    def __init__(self, *, at_once: int = 4, seconds: float = 60, idle_seconds: float = 60) -> None:
        self._seconds = seconds
        self._idle_seconds = idle_seconds
        self._slots = asyncio.Semaphore(at_once)
        self._starting = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._control: socket.socket | None = None
        self._working = 0
        self._idle_timer: asyncio.TimerHandle | None = None
        self.isolation: Isolation = "process"

    @property
    def process_id(self) -> int | None:
        """The id of the fork server; None while it does not run."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    async def start(self) -> None:
        """Start the fork server before the first task, which would otherwise do it."""
        async with self._starting:
            await self._ensure_started()

    async def close(self) -> None:
        """Stop the fork server."""
        async with self._starting:
            await self._kill()

    async def perform(
        self,
        task: str,
        content: bytes,
        options: Mapping[str, Any],
        *,
        timeout_seconds: float,
        keep: KeepFile | None = None,
    ) -> Any:
        """Run one of `TASKS` on a document; its value. `BlockFailed` says what is wrong with the document."""
        if len(content) > LARGEST_DOCUMENT:
            raise BlockFailed(
                f"It has {len(content) / 1024 / 1024:.0f} MB; documents of up to "
                f"{LARGEST_DOCUMENT // 1024 // 1024} MB are opened."
            )
        seconds = min(timeout_seconds, self._seconds)
        async with self._slots:
            self._working += 1
            try:
                return await self._run(task, content, options, seconds, keep)
            finally:
                self._working -= 1
                self._stop_when_idle()

    async def _run(
        self, task: str, content: bytes, options: Mapping[str, Any], seconds: float, keep: KeepFile | None
    ) -> Any:
        # while it is read, a document is in memory more than once
        memory = TASKS[task].memory_bytes + 3 * len(content)
        connection = await self._connect(f"{task} {seconds:.2f} {memory}")
        started_at = time.monotonic()
        reader, writer = await asyncio.open_unix_connection(sock=connection)
        try:
            async with asyncio.timeout(seconds + _GRACE_SECONDS):
                writer.writelines(pack_frame({"options": dict(options)}, content))
                await writer.drain()
                return await self._read_answer(reader, keep, memory)
        except TimeoutError:
            # its own timer should have ended it: the document may have taken the process over
            await self.close()
            raise _timeout_error(seconds) from None
        except (asyncio.IncompleteReadError, ConnectionError, FrameError) as crash:
            if time.monotonic() - started_at >= seconds:
                raise _timeout_error(seconds) from crash
            raise BlockFailed(
                f"Opening it took more than {memory // 1024 // 1024} MB of memory, or it is damaged in a way "
                "that brings down what reads it."
            ) from crash
        finally:
            writer.close()

    async def _read_answer(self, reader: asyncio.StreamReader, keep: KeepFile | None, memory: int) -> Any:
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
                    raise FrameError(f"a frame of kind {other}")

    async def _connect(self, request: str) -> socket.socket:
        """A socket to a new copy; the fork server is restarted if it has died."""
        async with self._starting:
            for _ in range(2):
                control = await self._ensure_started()
                ours, theirs = socket.socketpair()
                with theirs:
                    try:
                        socket.send_fds(control, [request.ljust(_REQUEST_BYTES).encode()], [theirs.fileno()])
                    except OSError:
                        ours.close()
                        # it has died; the second round starts it again
                        await self._kill()
                    else:
                        ours.setblocking(False)
                        return ours
        raise OurFault("The process that opens documents cannot be reached.")

    async def _ensure_started(self) -> socket.socket:
        if self._control is not None and self._process is not None and self._process.returncode is None:
            return self._control
        await self._kill()
        for isolation, command in commands():
            if await self._start_with(command):
                self.isolation = isolation
                break
        if self._control is None:
            raise OurFault("The process that opens documents does not start.")
        return self._control

    async def _start_with(self, command: list[str]) -> bool:
        """Start the fork server with this command; False if it does not become ready."""
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
        await self._kill()
        return False

    def _stop_when_idle(self) -> None:
        """Stop the fork server after a while without tasks, to release its memory."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        if not self._working and self._control is not None:
            self._idle_timer = asyncio.get_running_loop().call_later(self._idle_seconds, self._disconnect)

    def _disconnect(self) -> None:
        """Close the control socket: the fork server then ends by itself."""
        if not self._working and self._control is not None:
            self._control.close()
            self._control = None

    async def _kill(self) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            if self._process.returncode is None:
                self._process.kill()
            await self._process.wait()
            self._process = None


def _timeout_error(seconds: float) -> TimedOut:
    return TimedOut(f"Opening it took longer than {seconds:g} s and was stopped.")


def commands() -> list[tuple[Isolation, list[str]]]:
    """Commands that start it, the most isolated first; none reads the environment or the user's packages."""
    python = str(Path(sys.executable).resolve())
    libraries = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    inside = [python, "-I", "-S", str(_FORK_SERVER), str(_PACKAGE.parent), *libraries]
    plain: tuple[Isolation, list[str]] = ("process", inside)
    readable = ["/usr", "/lib", "/lib64", "/bin", sys.base_prefix, *libraries, str(_PACKAGE)]
    wrapped = bubblewrap.wrap(inside, readable)
    return [("bubblewrap", wrapped), plain] if wrapped else [plain]
