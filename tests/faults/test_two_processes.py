"""One process runs a database's executions; a second one says so, or leaves them alone."""

import subprocess
import sys
from pathlib import Path

from support.service import FINAL, RunningService, free_port


def test_a_second_process_neither_runs_nor_fails_what_the_first_runs(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'shared.db'}"
    owner = RunningService(tmp_path / "first", "--database", database).start()
    beside = RunningService(tmp_path / "second", "--database", database, "--no-worker")
    try:
        api = owner.api()
        workflow = api.create("long", {"type": "Wait", "data": {"durationMs": 8000}})
        running = api.start(workflow["id"])
        api.wait_for(running["id"], "InProgress")

        command = [sys.executable, "-m", "pagehand", "serve", "--no-demo", "--port", str(free_port())]
        command += ["--data-dir", str(tmp_path / "third"), "--database", database]
        refused = subprocess.run(  # noqa: S603 - our own command
            command,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert refused.returncode != 0
        assert "only one may" in refused.stderr + refused.stdout

        beside.start()
        accepted = beside.api().start(workflow["id"])
        assert api.wait_for(running["id"], *FINAL)["status"] == "Completed"
        assert api.wait_for(accepted["id"], *FINAL)["status"] == "Completed"
    finally:
        if beside.process is not None:
            beside.stop()
        owner.stop()
