"""What a process gives up before it touches what others made: files, new rights, and being root.

Linux's Landlock lets any process shut itself off from files for good, so this holds also where bubblewrap is
not installed. As a program it shuts itself off and then becomes another one:

    python confinement.py FOLDER… -- COMMAND…    reads and runs what is below the folders, and nothing else
"""

import contextlib
import ctypes
import os
import sys
from collections.abc import Sequence

NOBODY = 65534
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_NO_NEW_PRIVILEGES = 38
_PATH_BENEATH = 1
_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
_EVERYTHING = (1 << 13) - 1
"""All that the first version of Landlock knows of files: reading, running, writing, making, removing."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("handled", ctypes.c_uint64),)


class _Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def is_available() -> bool:
    """Whether this system can shut a process off from files."""
    if sys.platform != "linux":
        return False
    return ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, 1) > 0


def shut_off_files(readable: Sequence[str]) -> bool:
    """Leave this process only reading and running what is below these folders; False if it cannot be."""
    if not is_available():
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    ruleset = _Ruleset(_EVERYTHING)
    handle = libc.syscall(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.sizeof(ruleset), 0)
    if handle < 0:
        return False
    try:
        for folder in readable:
            _allow(libc, handle, folder)
        # without it the kernel lets only privileged processes restrict themselves
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        return libc.syscall(_RESTRICT_SELF, handle, 0) == 0
    finally:
        os.close(handle)


def _allow(libc: ctypes.CDLL, handle: int, folder: str) -> None:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        opened = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        try:
            rights = _EXECUTE | _READ_FILE | (_READ_FOLDER if os.path.isdir(folder) else 0)  # noqa: PTH112 - without pathlib it starts sooner
            rule = _Rule(rights, opened)
            libc.syscall(_ADD_RULE, handle, _PATH_BENEATH, ctypes.byref(rule), 0)
        finally:
            os.close(opened)


def stop_being_root(needed: Sequence[str]) -> bool:
    """Become nobody, if this is root and nobody can read what is needed."""
    if os.geteuid() != 0 or not all(map(_is_open_to_all, needed)):
        return False
    # first, while it is still allowed: who is not root cannot leave groups
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    return True


def _is_open_to_all(path: str) -> bool:
    while True:
        try:
            if not os.stat(path).st_mode & 0o005:  # noqa: PTH116 - as above
                return False
        except OSError:
            return True  # what is not there is not needed
        above = os.path.dirname(path)  # noqa: PTH120 - as above
        if above == path:
            return True
        path = above


def _main(arguments: list[str]) -> None:
    split = arguments.index("--")
    folders, command = arguments[:split], arguments[split + 1 :]
    stop_being_root([*folders, command[0]])
    shut_off_files([*folders, command[0]])
    os.execv(command[0], command)  # noqa: S606 - the command that the service itself has put together


if __name__ == "__main__":
    _main(sys.argv[1:])
