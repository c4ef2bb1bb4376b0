"""A restore repeats nothing: what was due at the backup has happened since, and a person decides about it."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pagehand.clock import now_ms
from support.receiver import Receiver, webhook_receiver
from support.service import Api, Json, RunningService
from support.waiting import wait_until

ROWS = 3
ONCE_A_YEAR = "0 0 1 1 *"


def pagehand(*arguments: object) -> str:
    command = [sys.executable, "-m", "pagehand", *map(str, arguments)]
    done = subprocess.run(  # noqa: S603 - our own command
        command, env=dict(os.environ), capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def our_backup(service: RunningService, folder: Path) -> Callable[[], str]:
    """`pagehand backup` now; returns what restores it."""
    pagehand("backup", folder / "night.zip", "--with-key", "--data-dir", service.data_dir)

    def restore() -> str:
        shutil.rmtree(service.data_dir)
        return pagehand("restore", folder / "night.zip", "--data-dir", service.data_dir)

    return restore


def copied_folder(service: RunningService, folder: Path) -> Callable[[], str]:
    """A copy of the data folder now; returns what puts it back."""
    shutil.copytree(service.data_dir, folder / "copy")

    def restore() -> str:
        shutil.rmtree(service.data_dir)
        shutil.copytree(folder / "copy", service.data_dir)
        return pagehand("restored", "--data-dir", service.data_dir)

    return restore


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with webhook_receiver() as running:
        yield running


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Callable[..., RunningService]]:
    """Starts services on one folder, one after the other."""
    started: list[RunningService] = []

    def start(*options: str) -> RunningService:
        for earlier in started:
            earlier.stop()
        service = RunningService(tmp_path / "data", *options, PAGEHAND_BROWSER_POOL="0")
        started.append(service.start())
        return service

    yield start
    for service in started:
        service.stop()


@pytest.mark.slow
@pytest.mark.parametrize("take_snapshot", [our_backup, copied_folder])
def test_what_was_due_at_the_backup_does_not_happen_again(
    take_snapshot: Callable[[RunningService, Path], Callable[[], str]],
    services: Callable[..., RunningService],
    receiver: Receiver,
    tmp_path: Path,
) -> None:
    receiver.statuses["/hook"] = [500] * 20
    service = services()
    api = service.api()
    order = api.create("Order", post_token(receiver.url))["id"]
    webhook = api.call("/webhooks/create", {"url": f"{receiver.url}/hook", "events": ["execution.completed"]})
    webhook_id = webhook["webhook"]["id"]
    schedule = {"workflowId": order, "cron": ONCE_A_YEAR, "catchUp": "all", "params": {"token": "tick"}}
    schedule_id = api.call("/schedules/create", schedule)["schedule"]["id"]
    api.wait_for(api.start(order, {"token": "first"})["id"], "Completed")
    receiver.wait("/hook")  # refused, and to be sent again
    service = services("--no-worker")
    api = service.api()
    rows = [{"token": f"row {number}"} for number in range(ROWS)]
    api.call("/batches/create", {"name": "orders", "workflowId": order, "rows": rows})
    queued = api.start(order, {"token": "queued"})["id"]
    service.stop()
    make_due(service, webhook_id)
    restore = take_snapshot(service, tmp_path)

    # all of it happens
    receiver.statuses["/hook"].clear()
    api = services().api()
    done = {"first", "tick", "queued", *(f"row {number}" for number in range(ROWS))}
    wait_until(lambda: tokens(receiver).keys() == done)
    wait_until(lambda: api.call("/executions/list", {"status": "Completed"})["total"] == len(done))
    wait_until(lambda: log(api, webhook_id, "delivered") == len(done))
    receiver.received = [item for item in receiver.received if item.path == "/ledger"]

    services("--no-worker").stop()  # ends the one before it
    said = restore()
    assert "schedules go on with their next time" in said
    assert "webhook deliveries had not been sent" in said
    api = services().api()
    api.wait_for(api.start(order, {"token": "after"}, name="after")["id"], "Completed")
    wait_until(lambda: log(api, webhook_id, "delivered") >= 1)
    assert tokens(receiver) == Counter([*done, "after"])
    assert [item.message["data"]["execution"]["name"] for item in receiver.on("/hook")] == ["after"]

    # what is left is shown, and can be done by hand
    assert "when the backup was made" in api.get(queued)["errorAnalysis"]
    [missed] = api.call("/schedules/history", {"id": schedule_id})["runs"]
    assert (missed["outcome"], "by hand" in missed["message"]) == ("missed", True)
    assert log(api, webhook_id, "pending") == 0
    [unsent] = api.call("/webhooks/deliveries", {"id": webhook_id, "status": "unsent"})["deliveries"]
    api.call("/webhooks/redeliver", {"id": webhook_id, "deliveryId": unsent["id"]})
    api.wait_for(api.call("/schedules/run", {"id": schedule_id})["execution"]["id"], "Completed")
    wait_until(lambda: log(api, webhook_id, "delivered") == 3)


def post_token(url: str) -> Json:
    """A block that orders something."""
    request = {"route": f"{url}/ledger", "method": "POST", "data": {"token": "{{params.token}}"}}
    return {"type": "API", "blockReferenceId": "order", "data": request}


def tokens(receiver: Receiver) -> Counter[str]:
    """What was ordered, and how often."""
    return Counter(item.message["token"] for item in list(receiver.received) if item.path == "/ledger")


def log(api: Api, webhook_id: str, status: str) -> int:
    return api.call("/webhooks/deliveries", {"id": webhook_id, "status": status})["total"]


def make_due(service: RunningService, webhook_id: str) -> None:
    """Let a time of the schedule pass, and the pause before the delivery, while no service runs."""
    with sqlite3.connect(service.data_dir / "pagehand.db") as database:
        database.execute("UPDATE schedules SET next_at = ?", (now_ms() - 300_000,))
        pending = "UPDATE deliveries SET next_at = ? WHERE webhook_id = ? AND next_at IS NOT NULL"
        assert database.execute(pending, (now_ms(), webhook_id)).rowcount == 1
    database.close()
