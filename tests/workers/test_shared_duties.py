"""What every process looks after, and exactly one does: webhooks, schedules, retention, mail."""

from collections import Counter
from pathlib import Path
from typing import Any, LiteralString

import psycopg

from pagehand.clock import now_ms
from pagehand.storage.advisory_locks import RETENTION
from support.apps import App, started_app
from support.blocks import value
from support.receiver import Receiver, webhook_receiver
from support.service import FINAL, Api, Json, RunningService, free_port
from support.waiting import wait_until
from support.workers import Fleet

SCHEDULES = 12


def on(database: str, statement: LiteralString, **values: Any) -> list[tuple[Any, ...]]:
    """What PostgreSQL answers to a statement."""
    address = database.replace("postgresql+psycopg://", "postgresql://", 1)
    with psycopg.connect(address, autocommit=True) as connection:
        cursor = connection.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def listen(api: Api, receiver: Receiver, path: str) -> None:
    fields = {"url": f"{receiver.url}{path}", "events": ["execution.completed"]}
    api.call("/webhooks/create", fields)


def finish_some(api: Api, count: int) -> set[str]:
    """The ids of executions that have completed."""
    workflow = api.create("reported", value("v"))
    ids = {api.start(workflow["id"])["id"] for _ in range(count)}
    for execution_id in ids:
        assert api.wait_for(execution_id, *FINAL)["status"] == "Completed"
    return ids


def test_each_webhook_is_delivered_once_by_whichever_process(fleet: Fleet) -> None:
    first, second = fleet.node(), fleet.node()
    fleet.worker()
    fleet.worker()
    with webhook_receiver() as receiver:
        listen(first.api(), receiver, "/each")
        ended = finish_some(second.api(), 30)
        wait_until(lambda: len(receiver.on("/each")) >= len(ended))
        wait_until(lambda: not on(fleet.database, "SELECT 1 FROM deliveries WHERE next_at IS NOT NULL"))
        reported = Counter(item.message["data"]["execution"]["id"] for item in receiver.on("/each"))
    assert reported == Counter(dict.fromkeys(ended, 1))


def test_a_webhook_whose_sender_died_is_delivered_by_another(fleet: Fleet) -> None:
    api = fleet.node().api()
    worker = fleet.worker()
    with webhook_receiver() as receiver:
        listen(api, receiver, "/slow")
        receiver.delays["/slow"] = 600  # the first sender waits for an answer until it is killed
        [ended] = finish_some(api, 1)
        receiver.wait("/slow", seconds=120)
        receiver.delays["/slow"] = 0
        worker.kill()  # what the worker wrote, it also sends
        wait_until(lambda: bool(on(fleet.database, "SELECT 1 FROM deliveries WHERE status = 'delivered'")))
        reported = [item.message["data"]["execution"]["id"] for item in receiver.on("/slow")]
    assert reported == [ended, ended]  # an attempt that came to nothing, and the one of the other process


def nightly(api: Api) -> Json:
    workflow = api.create("nightly", value("v"))
    given = {"workflowId": workflow["id"], "cron": "0 3 1 1 *", "catchUp": "latest"}
    return api.call("/schedules/create", given)["schedule"]


def make_all_due(fleet: Fleet) -> None:
    on(fleet.database, "UPDATE schedules SET next_at = %(now)s", now=now_ms() - 1)


def starts(fleet: Fleet) -> Counter[str]:
    """How many executions each schedule has started."""
    found = on(fleet.database, "SELECT schedule_id FROM schedule_runs WHERE outcome = 'started'")
    return Counter(schedule_id for (schedule_id,) in found)


def test_each_schedule_fires_once_and_continues_when_a_node_dies(fleet: Fleet) -> None:
    first, second = fleet.node(), fleet.node()
    api = second.api()
    fleet.worker()
    ids = {nightly(api)["id"] for _ in range(SCHEDULES)}
    make_all_due(fleet)
    wait_until(lambda: starts(fleet).total() >= SCHEDULES)
    wait_until(lambda: all_completed(api, SCHEDULES))
    assert starts(fleet) == Counter(dict.fromkeys(ids, 1))
    first.kill()
    make_all_due(fleet)
    wait_until(lambda: starts(fleet).total() >= 2 * SCHEDULES)
    wait_until(lambda: all_completed(api, 2 * SCHEDULES))
    assert starts(fleet) == Counter(dict.fromkeys(ids, 2))


def all_completed(api: Api, count: int) -> bool:
    listed = api.call("/executions/list")
    assert listed["total"] <= count, "an execution too many"
    return [execution["status"] for execution in listed["executions"]] == ["Completed"] * count


def deletes(node: RunningService) -> int:
    """How many things the node's log says that it has deleted for their age."""
    return sum(
        int(line.split('"items":')[1].split(",")[0].strip(" }"))
        for line in node.log.read_text().splitlines()
        if "deleted old executions, uploads and deliveries" in line
    )


def test_what_is_old_is_deleted_by_one_node_and_by_the_next_when_that_one_dies(fleet: Fleet) -> None:
    api = fleet.node().api()
    fleet.worker()
    ended = finish_some(api, 12)
    things = len(ended)
    fleet.env["PAGEHAND_KEEP_DAYS"] = "0.00001"  # less than a second
    wait_until(lambda: _latest_end(fleet) < now_ms() - 5000)
    address = fleet.database.replace("postgresql+psycopg://", "postgresql://", 1)
    with psycopg.connect(address) as other:
        # as a process that is just at it, and dies
        assert other.execute("SELECT pg_try_advisory_xact_lock(%s)", [RETENTION]).fetchone() == (True,)
        both = [fleet.node(), fleet.node()]
        assert api.call("/executions/list")["total"] == things
    wait_until(lambda: api.call("/executions/list")["total"] == 0)
    wait_until(lambda: sum(map(deletes, both)) >= things)
    assert sum(map(deletes, both)) == things  # none of them by both


def _latest_end(fleet: Fleet) -> int:
    [(latest,)] = on(fleet.database, "SELECT max(end_time) FROM executions")
    return latest


def by_mail(api: Api, folder: Path, port: int) -> Json:
    """An execution that signs in with a code that comes by mail to the login's own address."""
    made = {"name": "admin", "authenticationUrl": "http://127.0.0.1/", "homeUrl": "http://127.0.0.1/"}
    login = api.call("/logins/create", {**made, "loginConfiguration": {"username": "mail"}})["login"]
    address = api.call("/logins/get", {"id": login["id"]})["login"]["health"]["codeAddress"]
    with started_app("admin", folder, smtp=["127.0.0.1", port], mail=address) as app:
        api.call("/logins/update", {"id": login["id"], **_sign_in(app)})
        return api.run(value("in"), loginId=login["id"])


def _sign_in(app: App) -> Json:
    factor = {"method": "Email", "alwaysRequired": True}
    configuration = {"password": app.facts["password"], "twoFactorAuthConfiguration": factor}
    pages = {"authenticationUrl": f"{app.url}/otp/login/", "homeUrl": f"{app.url}/otp/"}
    return {**pages, "loginConfiguration": configuration}


def takes_mail(log: Path) -> bool:
    return "receiving mail" in log.read_text()


def test_mail_reaches_the_worker_and_another_node_takes_it_when_one_dies(
    fleet: Fleet, tmp_path: Path
) -> None:
    port = free_port()
    mail = {"PAGEHAND_MAIL_DOMAIN": "codes.test", "PAGEHAND_MAIL_PORT": str(port)}
    fleet.env.update(mail, PAGEHAND_MAIL_CODE_SECONDS="90")
    first, second = fleet.node(), fleet.node()
    worker = fleet.worker()
    assert [takes_mail(item.log) for item in (first, second, worker)] == [True, False, False]
    done = by_mail(second.api(), tmp_path / "site1", port)
    assert done["status"] == "Completed", done["errorAnalysis"]
    first.kill()
    wait_until(lambda: takes_mail(second.log) or takes_mail(worker.log))
    second_login = by_mail(second.api(), tmp_path / "site2", port)
    assert second_login["status"] == "Completed", second_login["errorAnalysis"]
