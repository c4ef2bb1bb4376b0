"""What killed processes left in the temporary folder is removed; what living ones use stays."""

import os
import tempfile
from pathlib import Path

import pytest

from pagehand import temporary_files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left(folder: Path, name: str) -> Path:
    """A folder with something in it."""
    made = folder / name
    made.mkdir()
    (made / "profile").write_text("x")
    return made


def test_what_dead_processes_left_is_removed_and_nothing_else(folder: Path) -> None:
    own = Path(tempfile.mkdtemp(prefix=temporary_files.prefix("browsers")))
    me, _, started = temporary_files.prefix("x").removeprefix("pagehand-x-").rstrip("-").partition(".")
    assert (me, started.isdigit()) == (str(os.getpid()), True)
    orphans = [
        left(folder, "pagehand-browsers-999999999.5-ab_c"),
        left(folder, f"pagehand-sandbox-{me}.{int(started) + 1}-ab"),  # its number was given again
    ]
    upload = folder / "pagehand-upload-999999999.5-a.b"
    upload.write_text("half")
    others = [
        left(folder, "pagehand-test-abc"),
        left(folder, "somebody-1.5-x"),
        left(folder, "pagehand-x-y.z-w"),
    ]
    temporary_files.remove_orphans()
    assert [path for path in (*orphans, upload) if path.exists()] == []
    assert all(path.exists() for path in (own, *others))
