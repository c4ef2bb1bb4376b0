"""What a confined process tries: every way to write, to connect and to reach other processes.

Run as a program, with the standard library only, it prints the names of the attempts that succeeded:

    python escape_attempts.py FOLDER TCP-PORT UDP-PORT PROCESS-ID
"""

import ctypes
import fcntl
import json
import mmap
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

ALWAYS_POSSIBLE = 99
_LIBC = ctypes.CDLL(None, use_errno=True)
_AT_FDCWD, _EXCHANGE, _ATTACH, _DETACH = -100, 2, 16, 17
_ENTROPY = 0x80045200


def attempts(folder: Path, tcp: int, udp: int, victim: int) -> Mapping[str, tuple[int, Callable[[], object]]]:
    """Each attempt, with the version of Landlock that refuses it. `folder` holds what `prepare` makes."""
    path = {name: str(folder / name) for name in NAMES}
    return {
        "read": (1, lambda: Path(path["file"]).read_bytes()),
        "list": (1, lambda: next(folder.iterdir())),
        "write": (1, lambda: Path(path["write"]).write_bytes(b"x")),
        "append": (1, lambda: _opened(path["file"], os.O_WRONLY | os.O_APPEND)),
        "empty by opening to read": (1, lambda: _opened(path["empty"], os.O_RDONLY | os.O_TRUNC)),
        "map": (1, lambda: mmap.mmap(os.open(path["file"], os.O_RDWR), 4)),
        "copy": (1, lambda: _copy(path["file"], path["write"])),
        "create": (1, lambda: _opened(path["new"], os.O_CREAT | os.O_WRONLY)),
        "create without name": (1, lambda: _opened(str(folder), os.O_TMPFILE | os.O_RDWR)),
        "make a folder": (1, lambda: Path(path["new folder"]).mkdir()),
        "make a pipe": (1, lambda: os.mkfifo(path["new pipe"])),
        "make a socket": (1, lambda: socket.socket(socket.AF_UNIX).bind(path["new socket"])),
        "symlink": (1, lambda: Path(path["new link"]).symlink_to("/")),
        "rename": (1, lambda: Path(path["rename"]).rename(path["renamed"])),
        "exchange": (1, lambda: _exchange(path["exchange"], path["file"])),
        "hard link": (1, lambda: Path(path["hard link"]).hardlink_to(path["file"])),
        "remove": (1, lambda: Path(path["remove"]).unlink()),
        "remove a folder": (1, lambda: Path(path["remove folder"]).rmdir()),
        "ptrace": (1, lambda: _attach(victim)),
        "read memory": (1, lambda: Path(f"/proc/{victim}/mem").open("rb")),
        "read environment": (1, lambda: Path(f"/proc/{victim}/environ").read_bytes()),
        "move to another folder": (1, lambda: Path(path["move"]).rename(path["folder/moved"])),
        "truncate": (3, lambda: os.truncate(path["truncate"], 0)),
        "connect by TCP": (4, lambda: socket.create_connection(("127.0.0.1", tcp), 5)),
        "listen on TCP": (4, lambda: socket.create_server(("127.0.0.1", 0))),
        "control a device": (
            5,
            lambda: fcntl.ioctl(_opened("/dev/urandom", os.O_RDONLY), _ENTROPY, bytes(4)),
        ),
        "signal": (6, lambda: os.kill(victim, signal.SIGCONT)),
        "connect to an abstract socket": (6, lambda: _connect_unix(f"\0{folder}")),
        "connect to a socket in a folder": (ALWAYS_POSSIBLE, lambda: _connect_unix(path["socket"])),
        "use UDP": (ALWAYS_POSSIBLE, lambda: _ask_by_udp(udp)),
        "change a mode": (ALWAYS_POSSIBLE, lambda: Path(path["file"]).chmod(0o640)),
        "change a time": (ALWAYS_POSSIBLE, lambda: os.utime(path["file"], (1, 1))),
        "change an attribute": (ALWAYS_POSSIBLE, lambda: os.setxattr(path["file"], "user.x", b"x")),
    }


NAMES = (
    *("file", "write", "empty", "rename", "exchange", "remove", "truncate", "move"),
    *("new", "new folder", "new pipe", "new socket", "new link", "renamed", "hard link"),
    *("folder", "folder/moved", "remove folder", "socket"),
)


def prepare(folder: Path, user: int) -> None:
    """Make what the attempts are aimed at, owned by this user."""
    for name in NAMES[:8]:
        (folder / name).write_bytes(b"kept")
    for name in ("folder", "remove folder"):
        (folder / name).mkdir()
    for path in (folder, *folder.iterdir()):
        os.chown(path, user, -1)


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _copy(source: str, target: str) -> None:
    os.copy_file_range(_opened(source, os.O_RDONLY), _opened(target, os.O_WRONLY), 1)


def _exchange(first: str, second: str) -> None:
    _check(_LIBC.renameat2(_AT_FDCWD, first.encode(), _AT_FDCWD, second.encode(), _EXCHANGE))


def _attach(victim: int) -> None:
    _check(_LIBC.ptrace(_ATTACH, victim, 0, 0))
    os.waitpid(victim, 0)
    _LIBC.ptrace(_DETACH, victim, 0, 0)


def _check(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")


def _connect_unix(address: str) -> None:
    socket.socket(socket.AF_UNIX).connect(address)


def _ask_by_udp(port: int) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as asking:
        asking.settimeout(2)
        asking.sendto(b"?", ("127.0.0.1", port))
        asking.recv(1)


def _main(folder: str, *numbers: str) -> None:
    succeeded: list[str] = []
    for name, (_, attempt) in attempts(Path(folder), *map(int, numbers)).items():
        with suppress(OSError):
            attempt()
            succeeded.append(name)
    print(json.dumps(succeeded))  # noqa: T201 - the answer


if __name__ == "__main__":
    _main(*sys.argv[1:])
