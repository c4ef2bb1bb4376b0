"""The tests' own look into the logs of services finds every kind of fault, once."""

from pathlib import Path

import pytest

from support import service_log

FAULTS = [
    '{"event":"block failed with a bug","level":"error","exception":"…"}',
    '{"event":"request","status":500,"level":"info"}',
    '{"event":"request","status":502,"level":"info"}',
    '{"event":"something held the event loop","seconds":0.6,"at":"…","timestamp":"2026-11-17T20:00:00Z"}',
    "Traceback (most recent call last):",
    "2026-11-17 20:00:00,000 ERROR asyncio Task exception was never retrieved",
]
FINE = [
    '{"event":"request","status":200,"level":"info"}',
    '{"event":"request","status":503,"level":"info"}',
    '{"event":"the vendor did not answer","level":"warning"}',
    '{"event":"something held the event loop","seconds":0.06,"at":"…","timestamp":"2026-11-17T20:00:00Z"}',
    "Listening on http://127.0.0.1:8700",
    '{"event":"requ',
]


def test_faults_are_found_once_and_only_they(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_log, "_read_until", {})
    log = tmp_path / "log"
    service_log.watch(log)
    assert service_log.new_faults() == []
    log.write_text("\n".join([*FINE, *FAULTS, ""]))
    assert service_log.new_faults() == FAULTS
    with log.open("a") as more:
        more.write(f"{FAULTS[0]}\n{FAULTS[1][:20]}")
    assert service_log.new_faults() == [FAULTS[0]]
    with log.open("a") as more:
        more.write(f"{FAULTS[1][20:]}\n")
    assert service_log.new_faults() == [FAULTS[1]]
    log.write_text(f"{FAULTS[4]}\n")
    assert service_log.new_faults() == [FAULTS[4]]
    with_frames = f'{FAULTS[4]}\n  File "x.py", line 1, in x\n    raise ValueError\nValueError'
    log.write_text(f"{FAULTS[4]}\n{with_frames}\n{FINE[0]}\n")
    assert service_log.new_faults() == [with_frames]
