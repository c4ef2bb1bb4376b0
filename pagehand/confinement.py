"""Confines a process before it handles untrusted content: no files, no new privileges, not root.

With Linux's Landlock any process can restrict itself for good, so this also works where bubblewrap is not
installed. Run as a program, it confines itself and then executes a command:

    python confinement.py FOLDER… -- COMMAND…    can only read and execute what is below the folders
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
_ALL_RIGHTS = (1 << 13) - 1
"""Every right that the first version of Landlock knows: reading, executing, writing, creating, removing."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("handled", ctypes.c_uint64),)


class _Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def is_available() -> bool:
    """Whether this system has Landlock."""
    if sys.platform != "linux":
        return False
    return ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, 1) > 0


def restrict_files(readable: Sequence[str]) -> bool:
    """Let this process only read and execute what is below these folders; False where that is impossible."""
    if not is_available():
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    ruleset = _Ruleset(_ALL_RIGHTS)
    handle = libc.syscall(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.sizeof(ruleset), 0)
    if handle < 0:
        return False
    try:
        for folder in readable:
            _allow(libc, handle, folder)
        # without it the kernel allows only privileged processes to restrict themselves
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        return libc.syscall(_RESTRICT_SELF, handle, 0) == 0
    finally:
        os.close(handle)


def _allow(libc: ctypes.CDLL, handle: int, folder: str) -> None:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        opened = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        try:
            rights = _EXECUTE | _READ_FILE | (_READ_FOLDER if os.path.isdir(folder) else 0)  # noqa: PTH112 - without pathlib it starts faster
            rule = _Rule(rights, opened)
            libc.syscall(_ADD_RULE, handle, _PATH_BENEATH, ctypes.byref(rule), 0)
        finally:
            os.close(opened)


def drop_root(needed: Sequence[str]) -> bool:
    """Become the user `nobody`, if this is root and `nobody` can read what is needed."""
    if os.geteuid() != 0 or not all(map(_is_open_to_all, needed)):
        return False
    # first: only root can leave its groups
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
            return True  # a missing file is not needed
        parent = os.path.dirname(path)  # noqa: PTH120 - as above
        if parent == path:
            return True
        path = parent


def _main(arguments: list[str]) -> None:
    split = arguments.index("--")
    folders, command = arguments[:split], arguments[split + 1 :]
    drop_root([*folders, command[0]])
    restrict_files([*folders, command[0]])
    os.execv(command[0], command)  # noqa: S606 - the service itself has built the command


if __name__ == "__main__":
    _main(sys.argv[1:])
