"""What readers of documents and user code give up, tried in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from pagehand import confinement

CAT = "/usr/bin/cat"
FOLDERS = ("/usr", "/lib", "/lib64")

pytestmark = pytest.mark.skipif(not confinement.is_available(), reason="this system has no Landlock")


def confined(*command: str) -> "subprocess.CompletedProcess[str]":
    program = [sys.executable, "-I", "-S", confinement.__file__, *FOLDERS, "--", *command]
    return subprocess.run(program, capture_output=True, text=True, check=False)  # noqa: S603 - our own program


def test_what_is_named_can_be_read() -> None:
    done = confined(CAT, "/usr/share/doc/base-files/README")
    assert (done.returncode, bool(done.stdout)) == (0, True), done.stderr


@pytest.mark.parametrize("path", ["/etc/passwd", "/proc/self/environ"])
def test_everything_else_is_shut_off(path: str) -> None:
    done = confined(CAT, path)
    assert (done.returncode, done.stdout) == (1, "")


def test_nothing_can_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert confined("/usr/bin/touch", str(tmp_path / "made")).returncode == 1
    assert list(tmp_path.iterdir()) == []


def test_root_stays_root_where_nobody_could_not_read_what_is_needed(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert not confinement.drop_root([str(tmp_path)])
