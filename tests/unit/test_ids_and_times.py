"""Ids, times and errors."""

import subprocess
import sys

import pytest

from pagehand import errors
from pagehand.clock import from_iso, now_ms, to_iso
from pagehand.ids import new_id


def test_ids_carry_their_prefix_and_grow() -> None:
    made = [new_id("exec") for _ in range(1_000)]
    assert all(item.startswith("exec_") for item in made)
    assert made == sorted(set(made))


def test_copy_of_a_process_makes_other_ids() -> None:
    # in a process of its own: this one has threads, which a copy does not survive
    program = (
        "import os; from pagehand.ids import new_id; new_id('a'); child = os.fork();"
        "os.write(1, new_id('a')[-16:].encode() + b'\\n'); child and os.waitpid(child, 0)"
    )
    printed = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert len(set(printed.stdout.split())) == 2


def test_times_are_utc_with_milliseconds() -> None:
    assert to_iso(1_577_836_800_007) == "2020-01-01T00:00:00.007Z"
    assert from_iso("2020-01-01T00:00:00.007Z") == 1_577_836_800_007
    assert from_iso("2020-01-01T02:00:00.007+02:00") == 1_577_836_800_007
    assert from_iso("2020-01-01T00:00:00") == 1_577_836_800_000


def test_a_time_comes_back_as_it_went() -> None:
    moment = now_ms()
    assert from_iso(to_iso(moment)) == moment


def test_what_is_not_a_time_is_refused() -> None:
    with pytest.raises(ValueError, match="Invalid isoformat"):
        from_iso("yesterday")


def test_an_error_without_a_message_speaks_by_its_class() -> None:
    assert errors.NotFound().message == "There is no such thing in this organization."
    assert errors.NotFound("`id`: none").message == "`id`: none"


def test_trunks_tell_who_must_act() -> None:
    assert issubclass(errors.NotPresent, errors.UserMistake)
    assert issubclass(errors.BrowserLost, errors.TemporaryTrouble)
    assert not issubclass(errors.OurFault, errors.UserMistake | errors.TemporaryTrouble)
