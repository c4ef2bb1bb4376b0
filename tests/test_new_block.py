"""What `scripts/new_block.py` writes passes the checks and its own tests, untouched."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NEW_TESTS = ["tests/unit/blocks/test_count_words.py", "tests/browser/blocks/test_mark_page.py"]
NEW_MODULES = ["pagehand/blocks/data/count_words.py", "pagehand/blocks/page/mark_page.py"]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The files of the repository, to change at will."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],  # noqa: S607 - whichever git there is
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(lambda name: (ROOT / name).is_file(), listed.stdout.splitlines()):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.slow
def test_new_blocks_pass_every_check(copy: Path) -> None:
    tools = Path(sys.executable).parent
    for command in (
        [sys.executable, "scripts/new_block.py", "CountWords", "--group", "data"],
        [sys.executable, "scripts/new_block.py", "MarkPage", "--group", "page"],
        [tools / "ruff", "check", "."],
        [tools / "ruff", "format", "--check", "."],
        [tools / "pyright", "--pythonpath", sys.executable, *NEW_MODULES, *NEW_TESTS],
        [tools / "lint-imports", "--no-cache"],
        [sys.executable, "scripts/write_docs.py", "--check"],
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *NEW_TESTS],
    ):
        run = subprocess.run(  # noqa: S603 - our own commands
            [str(part) for part in command],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy)},  # the copy, not the checkout that is installed
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, f"{command}\n{run.stdout[-3000:]}{run.stderr[-3000:]}"
    assert all((copy / module).is_file() for module in NEW_MODULES)
