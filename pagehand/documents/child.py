"""The process that stands ready, and the copies of itself in which documents are opened.

It never looks at a document: for each order it loads the libraries once and forks; the copy limits itself,
reads the document from its own socket, answers there and ends. So a copy costs milliseconds, and whatever a
hostile document does to it dies with it.

python child.py ADDRESS_SPACE_BYTES PATH…    orders come over the socket that is standard input
"""

import contextlib
import math
import os
import resource
import signal
import socket
import sys
from collections.abc import Sequence

RECORD_BYTES = 64
"""An order: the task's name, seconds and bytes of memory, padded with spaces. Its socket comes with it."""
READY = b"r"


def _serve(control: socket.socket) -> None:
    from pagehand.documents.tasks import TASKS  # noqa: PLC0415 - the paths to our package are arguments

    signal.signal(signal.SIGCHLD, _reap)
    control.send(READY)
    while True:
        record, sockets, _, _ = socket.recv_fds(control, RECORD_BYTES, 1)
        if not record:
            return
        if len(record) < RECORD_BYTES:
            record += control.recv(RECORD_BYTES - len(record), socket.MSG_WAITALL)
        name, seconds, memory = record.decode().split()
        # before the fork: the copy starts with the libraries in memory, and the next order finds them there
        TASKS[name].load()
        if os.fork() == 0:
            control.close()
            _work(sockets[0], name, float(seconds), int(memory))
        os.close(sockets[0])


def _reap(*_: object) -> None:
    """Take note of every copy that has ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _work(connection: int, name: str, seconds: float, memory: int) -> None:
    """Do one order and end, whatever happens."""
    from pagehand.documents.work import do  # noqa: PLC0415 - as above

    try:
        # libraries that start a program of their own wait for it themselves
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _give_up_rights()
        _limit(seconds, memory)
        do(name, socket.socket(fileno=connection))
    finally:
        os._exit(0)


def _give_up_rights() -> None:
    """Of all files only the code is left, and root becomes nobody where nobody can read that code."""
    from pagehand import confinement  # noqa: PLC0415 - as above

    package, *libraries = sys.argv[1:]
    code = [sys.base_prefix, os.path.join(package, "pagehand"), *libraries]  # noqa: PTH118 - as above
    confinement.drop_root(code)
    confinement.restrict_files([*code, *_SYSTEM])


def _limit(seconds: float, memory: int) -> None:
    """Nothing here can be undone; the alarm and the limits end the process even inside a library's loop."""
    processor = math.ceil(seconds) + 1
    limits = {
        resource.RLIMIT_AS: memory + _ADDRESS_SPACE,
        resource.RLIMIT_DATA: memory,
        resource.RLIMIT_CPU: processor,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: 64,
    }
    for kind, most in limits.items():
        resource.setrlimit(kind, (most, most))
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _main(arguments: Sequence[str]) -> None:
    sys.path[:0] = arguments
    _serve(socket.socket(fileno=0))


_ADDRESS_SPACE = 512 * 1024 * 1024
"""Beside the memory: the code of Python and of the libraries, and what they map without using it."""

_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/dev/null", "/dev/urandom")
"""What libraries and the program that reads scanned text need."""

if __name__ == "__main__":
    _main(sys.argv[1:])
