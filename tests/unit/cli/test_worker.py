"""`pagehand worker` before it takes work."""

import os
from pathlib import Path

import pytest

from pagehand.cli import worker
from pagehand.errors import InvalidRequest
from pagehand.settings import Settings


@pytest.mark.parametrize(("given", "niceness"), [({}, 5), ({"worker_nice": 0}, 0)])
def test_a_worker_stands_back_before_it_starts_anything(
    given: dict[str, int], niceness: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[object] = []
    monkeypatch.setattr(os, "nice", done.append)

    def run(settings: Settings, *_: object) -> None:
        done.append(settings.engine)

    monkeypatch.setattr(worker, "run", run)
    worker.work_until_stopped(Settings.model_validate({"data_dir": tmp_path, **given}))
    assert done == [niceness, "postgres"]


def test_an_address_without_a_port_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="expected HOST:PORT"):
        worker.work_until_stopped(Settings(data_dir=tmp_path, listen="127.0.0.1"))
