"""A fork server: it forks a copy of itself for each document.

The server never reads a document. For each request it imports the task's libraries and forks; the copy gives
up its rights, limits itself, reads the document from its own socket, answers there and ends. So a copy starts
within milliseconds, and damage done by a hostile document ends with it.

    python fork_server.py FOLDER…    imports from these folders; requests arrive on standard input, a socket
"""

import contextlib
import math
import os
import resource
import signal
import socket
import sys
from collections.abc import Sequence

REQUEST_BYTES = 64
"""A request: the task's name, seconds and bytes of memory, padded with spaces. A socket is sent with it."""
READY = b"r"


def _serve(control: socket.socket) -> None:
    from pagehand.documents.tasks import TASKS  # noqa: PLC0415 - the paths to our package are arguments

    signal.signal(signal.SIGCHLD, _reap)
    control.send(READY)
    while True:
        request, sockets, _, _ = socket.recv_fds(control, REQUEST_BYTES, 1)
        if not request:
            return
        if len(request) < REQUEST_BYTES:
            request += control.recv(REQUEST_BYTES - len(request), socket.MSG_WAITALL)
        name, seconds, memory = request.decode().split()
        # before the fork, so that this copy and later ones start with the libraries in memory
        TASKS[name].load()
        if os.fork() == 0:
            control.close()
            _run(sockets[0], name, float(seconds), int(memory))
        # the copy has it: while the server holds it too, the service would not see the copy end
        os.close(sockets[0])


def _reap(*_: object) -> None:
    """Collect the exit status of every copy that has ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _run(connection: int, name: str, seconds: float, memory: int) -> None:
    """Run one task and exit, whatever happens."""
    from pagehand.documents.tasks import run_task  # noqa: PLC0415 - as above

    try:
        # libraries that start a program wait for it themselves
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _give_up_rights()
        _limit(seconds, memory)
        run_task(name, socket.socket(fileno=connection))
    finally:
        os._exit(0)


def _give_up_rights() -> None:
    """Give up access to all files except the code, and stop being root if others can read that code."""
    from pagehand import confinement  # noqa: PLC0415 - as above

    package, *libraries = sys.argv[1:]
    code = [sys.base_prefix, os.path.join(package, "pagehand"), *libraries]  # noqa: PTH118 - as above
    confinement.drop_root(code)
    confinement.restrict([*code, *_SYSTEM])


def _limit(seconds: float, memory: int) -> None:
    """Set limits that cannot be raised again; they end the process even inside a library's loop."""
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
"""In addition to the memory: code of Python and the libraries, and what they map without using it."""

_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/dev/null", "/dev/urandom")
"""What libraries and tesseract need."""

if __name__ == "__main__":
    _main(sys.argv[1:])
