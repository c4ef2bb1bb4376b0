import os
from pathlib import Path

import pytest

from pagehand.cli.private_data import keep_new_files_private, lock_data_dir, make_private
from pagehand.errors import UserMistake


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_new_folder_and_what_is_written_there_are_closed_to_others(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        keep_new_files_private()
        make_private(tmp_path / "data")
        (tmp_path / "data" / "pagehand.db").write_text("x")
    finally:
        os.umask(before)
    assert (mode(tmp_path / "data"), mode(tmp_path / "data" / "pagehand.db")) == (0o700, 0o600)


def test_what_was_open_is_mended(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "files").mkdir(parents=True)
    (data / "pagehand.db").write_text("x")
    (tmp_path / "elsewhere").write_text("x")
    (data / "link").symlink_to(tmp_path / "elsewhere")
    for path in (data, data / "files"):
        path.chmod(0o755)
    for path in (data / "pagehand.db", tmp_path / "elsewhere"):
        path.chmod(0o644)
    make_private(data)
    assert [mode(path) for path in (data, data / "files", data / "pagehand.db")] == [0o700, 0o700, 0o600]
    assert mode(tmp_path / "elsewhere") == 0o644


@pytest.mark.parametrize("folder", ["file", "file/below"])
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, folder: str) -> None:
    """A file where the folder should be: root may write into any folder."""
    before = os.umask(0o022)
    (tmp_path / "file").write_text("x")
    try:
        with (
            pytest.raises(UserMistake, match=r"cannot be written: .*--data-dir"),
            lock_data_dir(tmp_path / folder),
        ):
            pass
    finally:
        os.umask(before)
