"""`make test`: a test that fails runs once more alone; what fails again, or in CI at all, fails the run."""

import os
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pytest

from support.waiting import wait_until

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "scripts" / "run_tests.py"
KNOWN = """[[race]]
test = "test_it.py::test_fails_the_first_time"
since = 2026-11-19
cause = "it counts what others do"
"""
FAILS_ONCE = """
from pathlib import Path

def test_fails_the_first_time():
    was_here = Path("was-here")
    is_first = not was_here.exists()
    was_here.touch()
    assert not is_first

def test_passes():
    with Path("runs").open("a") as runs:
        runs.write("x")
"""
FAILS_TOO = FAILS_ONCE.replace("the_first_time", "once_as_well").replace("was-here", "was-here-too")
STARTS_SOMETHING = """
import time
from pathlib import Path
import pytest

@pytest.fixture
def service():
    Path("started").touch()
    yield
    Path("ended").touch()

def test_it(service):
    time.sleep(60)
"""


def run(folder: Path, tests: str, fail_on_races: str = "") -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(tests, encoding="utf-8")
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, str(SCRIPT), "test_it.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "FAIL_ON_RACES": fail_on_races},
    )


@pytest.mark.slow
@pytest.mark.parametrize(("fail_on_races", "code"), [("", 0), ("1", 1)], ids=["developer", "CI"])
def test_one_that_passes_alone_is_named_and_the_others_do_not_run_again(
    tmp_path: Path, fail_on_races: str, code: int
) -> None:
    done = run(tmp_path, FAILS_ONCE, fail_on_races)
    assert done.returncode == code, done.stdout
    assert "1 failed, 1 passed" in done.stdout
    assert done.stdout.rstrip().endswith("that should be fixed):\n  test_it.py::test_fails_the_first_time")
    assert (tmp_path / "runs").read_text("utf-8") == "x"


@pytest.mark.slow
@pytest.mark.parametrize(("others", "code"), [("", 0), (FAILS_TOO, 1)], ids=["alone", "beside a new one"])
def test_one_that_is_known_to_race_does_not_fail_ci(tmp_path: Path, others: str, code: int) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "known_races.toml").write_text(KNOWN, encoding="utf-8")
    done = run(tmp_path, FAILS_ONCE + others, "1")
    assert done.returncode == code, done.stdout
    known = "test_it.py::test_fails_the_first_time (known since 2026-11-19: it counts what others do)"
    assert known in done.stdout


def test_every_known_race_names_a_test_and_has_a_date_and_a_cause() -> None:
    listed = tomllib.loads((ROOT / "tests" / "known_races.toml").read_text("utf-8")).get("race", [])
    for race in listed:
        assert race.keys() == {"test", "since", "cause"}
        assert isinstance(race["since"], date)
        assert len(race["cause"].split()) > 3
        file, _, name = race["test"].partition("::")
        assert f"def {name.partition('[')[0]}(" in (ROOT / file).read_text("utf-8"), race["test"]


@pytest.mark.slow
def test_one_that_fails_again_fails_the_run(tmp_path: Path) -> None:
    done = run(tmp_path, "def test_wrong():\n    assert False\n")
    assert done.returncode == 1
    assert done.stdout.count("1 failed") == 2


@pytest.mark.slow
def test_many_failures_are_not_tried_again(tmp_path: Path) -> None:
    done = run(tmp_path, "\n".join(f"def test_{number}():\n    assert False" for number in range(16)))
    assert done.returncode == 1
    assert done.stdout.count("16 failed") == 1


@pytest.mark.slow
def test_a_file_that_cannot_be_read_is_not_tried_again(tmp_path: Path) -> None:
    done = run(tmp_path, "import nothing_of_this_name\n")
    assert done.returncode == 2
    assert "Once more" not in done.stdout


@pytest.mark.slow
def test_when_it_is_terminated_the_tests_end_what_they_started(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(STARTS_SOMETHING, encoding="utf-8")
    started, ended = tmp_path / "started", tmp_path / "ended"
    with subprocess.Popen([sys.executable, str(SCRIPT), "test_it.py"], cwd=tmp_path) as running:  # noqa: S603 - our own program
        wait_until(started.exists)
        running.terminate()
        assert running.wait(30) == pytest.ExitCode.INTERRUPTED
    assert ended.exists()
