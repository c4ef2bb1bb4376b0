"""Confines a process before it handles untrusted content: no files, no TCP, no new privileges, not root.

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
_GET_VERSION = 1
_NO_NEW_PRIVILEGES = 38
_PATH_BENEATH = 1
_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3

_RIGHTS = (
    (1, (1 << 13) - 1, 0, 0, "open, create or remove files"),
    (2, 1 << 13, 0, 0, "move files between folders"),
    (3, 1 << 14, 0, 0, "truncate files"),
    (4, 0, 0b11, 0, "use TCP"),
    (5, 1 << 15, 0, 0, "control devices"),
    (6, 0, 0, 0b11, "signal other processes, connect to abstract sockets"),
)
"""What each version of Landlock added: rights on files and network, scopes, and the same in words."""
_NEVER = "use UDP, connect to sockets in folders, change modes, times and attributes of the user's own files"
"""What no version so far can forbid; bubblewrap does."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def landlock_version() -> int:
    """The version of Landlock that this system's kernel has; 0 if it has none."""
    if sys.platform != "linux":
        return 0
    return max(ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, _GET_VERSION), 0)


def describe() -> str:
    """What a confined process cannot do on this system, and what it still can."""
    version = landlock_version()
    if not version:
        return "Landlock is missing: a confined process can do what the service can"
    cannot = ", ".join(words for since, *_, words in _RIGHTS if since <= version)
    can = ", ".join([*(words for since, *_, words in _RIGHTS if since > version), _NEVER])
    return f"Landlock {version}: a confined process cannot {cannot}; without bubblewrap it can {can}"


def restrict(readable: Sequence[str]) -> bool:
    """Let this process only read and execute what is below these folders; False if there is no Landlock.

    Everything else that the kernel can forbid is forbidden. A kernel that has Landlock and refuses the rules
    raises `OSError`, so that nobody continues unconfined.
    """
    version = landlock_version()
    if not version:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    handle = _create_ruleset(libc, version)
    try:
        for folder in readable:
            _allow(libc, handle, folder)
        # without it the kernel allows only privileged processes to restrict themselves
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        _check(libc.syscall(_RESTRICT_SELF, handle, 0))
    finally:
        os.close(handle)
    return True


def _create_ruleset(libc: ctypes.CDLL, version: int) -> int:
    ruleset = _Ruleset()
    for since, files, network, scopes, _ in _RIGHTS:
        if since <= version:
            ruleset.files |= files
            ruleset.network |= network
            ruleset.scopes |= scopes
    # older kernels know a shorter structure, and accept this one as long as the rest is zero
    return _check(libc.syscall(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.sizeof(ruleset), 0))


def _check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), "Landlock cannot restrict this process")
    return result


def _allow(libc: ctypes.CDLL, handle: int, folder: str) -> None:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        opened = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        try:
            rights = _EXECUTE | _READ_FILE | (_READ_FOLDER if os.path.isdir(folder) else 0)  # noqa: PTH112 - without pathlib it starts faster
            rule = _Rule(rights, opened)
            _check(libc.syscall(_ADD_RULE, handle, _PATH_BENEATH, ctypes.byref(rule), 0))
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
    restrict([*folders, command[0]])
    os.execv(command[0], command)  # noqa: S606 - the service itself has built the command


if __name__ == "__main__":
    _main(sys.argv[1:])
