"""What readers of documents and user code give up, tried in a process of its own."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from pagehand import bubblewrap, confinement
from support import escape_attempts

USER = confinement.NOBODY if os.geteuid() == 0 else os.geteuid()
GROUP = confinement.NOBODY if os.geteuid() == 0 else os.getegid()
AS_USER = () if os.geteuid() else ("setpriv", f"--reuid={USER}", f"--regid={GROUP}", "--clear-groups")
SYSTEM = ("/usr", "/lib", "/lib64", "/bin")
CONFINE = (sys.executable, "-I", "-S", confinement.__file__, *SYSTEM, sys.base_prefix, "/dev/urandom", "--")
ATTEMPTS = (str(Path(sys.executable).resolve()), "-I", "-S", "-c", Path(escape_attempts.__file__).read_text())

needs_landlock = pytest.mark.skipif(not confinement.landlock_version(), reason="this system has no Landlock")


@pytest.fixture
def arguments() -> Iterator[list[str]]:
    """What the attempts are aimed at: a folder that everybody can reach, servers, and another process."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        escape_attempts.prepare(folder, USER)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = stack.enter_context(socket.socket(type=socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        threading.Thread(target=lambda: udp.sendto(b"!", udp.recvfrom(1)[1]), daemon=True).start()
        for address in (str(folder / "socket"), f"\0{folder}"):
            listening = stack.enter_context(socket.socket(socket.AF_UNIX))
            listening.bind(address)
            listening.listen()
        (folder / "socket").chmod(0o777)
        victim = stack.enter_context(subprocess.Popen(["/bin/sleep", "60"], user=USER, group=GROUP))
        stack.callback(victim.kill)
        yield [str(folder), str(tcp.getsockname()[1]), str(udp.getsockname()[1]), str(victim.pid)]


def succeeded(prefix: Sequence[str], arguments: list[str]) -> set[str]:
    command = [*prefix, *ATTEMPTS, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)  # noqa: S603 - our own program
    return set(json.loads(done.stdout))


def test_every_attempt_succeeds_without_confinement(arguments: list[str]) -> None:
    assert set(escape_attempts.attempts(Path(), 0, 0, 0)) == succeeded(AS_USER, arguments)


@needs_landlock
def test_everything_that_the_kernel_can_forbid_is_forbidden(arguments: list[str]) -> None:
    since = {name: since for name, (since, _) in escape_attempts.attempts(Path(), 0, 0, 0).items()}
    beyond = {name for name in since if since[name] > confinement.landlock_version()}

    assert succeeded(CONFINE, arguments) == beyond


@pytest.mark.anyio
async def test_in_bubblewrap_no_attempt_reaches_anything(arguments: list[str]) -> None:
    if problem := await bubblewrap.problem():
        pytest.skip(f"bubblewrap cannot be used: {problem}")
    wrapper = bubblewrap.wrap([], [*SYSTEM, sys.base_prefix])

    # in a network of its own it can listen; nobody else is there
    assert wrapper
    assert succeeded(wrapper, arguments) == {"listen on TCP"}


@needs_landlock
def test_what_is_named_can_be_read() -> None:
    done = subprocess.run([*CONFINE, "/usr/bin/cat", "/usr/bin/cat"], capture_output=True, check=False)  # noqa: S603 - as above
    assert done.stdout == Path("/usr/bin/cat").read_bytes(), done.stderr


@needs_landlock
def test_the_report_names_what_is_contained_and_what_is_not() -> None:
    contained, _, open_still = confinement.describe().partition("; ")
    assert "open, create or remove files" in contained
    assert "UDP" in open_still


@pytest.mark.anyio
async def test_where_bubblewrap_does_not_start_the_report_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho no user namespaces >&2; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "no user namespaces" in await bubblewrap.problem()
    monkeypatch.setenv("PATH", "/nowhere")
    assert "apt-get install bubblewrap" in await bubblewrap.problem()


def test_root_stays_root_where_nobody_could_not_read_what_is_needed(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert not confinement.drop_root([str(tmp_path)])
