"""Many rows and large rows: lists, exports, archives, searches and clean-up keep nobody waiting."""

import base64
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagehand.api.resources import operations
from support.health import answering
from support.large_data import BLOCKS, LARGE, MANY, write_large_data
from support.postgres import new_database
from support.service import Api, Json, RunningService

MB = 1_000_000


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('large') / 'pagehand.db'}"
    else:
        with new_database(request.getfixturevalue("postgres_url")) as url:
            yield url


@pytest.fixture(scope="module")
def stored(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service on a database that is as large as one gets."""
    write_large_data(database)
    service = _service(tmp_path_factory.mktemp("large") / "data", database).start()
    yield service
    service.stop()


def _service(folder: Path, database: str, **env: str) -> RunningService:
    # it runs what takes an hour when it is to stop
    quick = {"PAGEHAND_BROWSER_POOL": "0", "PAGEHAND_STOP_GRACE_SECONDS": "0"}
    return RunningService(folder, "--database", database, **quick, **env)


def received(api: Api, path: str, fields: Json) -> int:
    """How many bytes the answer has; they are not kept."""
    with api.http.stream("POST", path, json=fields) as answer:
        assert answer.status_code == 200, answer.read()
        return sum(len(piece) for piece in answer.iter_raw())


def _long_term(number: int) -> str:
    """A term of 200 characters with few trigrams twice."""
    return "".join(chr(97 + (number * 7 + place * place) % 26) for place in range(200))


PAGE: Json = {"limit": 1000}
READS: list[tuple[str, Json, int]] = [
    ("/executions/list", {"batch": "batch_many", **PAGE}, 300_000),
    ("/executions/list", {"batch": "batch_large", **PAGE}, 5_000),
    ("/executions/list", {"search": ["customer 1999", "zzz"]}, 3_000),
    ("/executions/list", {"search": [_long_term(number) for number in range(50)]}, 20),
    ("/executions/get", {"id": "exec_large_0"}, 18 * MB),
    ("/executions/get", {"id": "exec_nested_0"}, 10 * MB),
    ("/executions/events", {"id": "exec_many_0", **PAGE}, 100_000),
    ("/executions/events", {"id": "exec_many_1", **PAGE}, 200 * MB),
    ("/executions/events", {"id": "exec_large_0"}, 20),
    ("/executions/evidence", {"id": "exec_nested_0"}, 10_000),
    ("/executions/evidence", {"id": "exec_many_0"}, 100_000),
    ("/executions/evidence", {"id": "exec_many_1"}, 100_000),
    ("/executions/getProposal", {"id": "exec_large_0"}, 10),
    ("/attention/list", PAGE, 100_000),
    ("/batches/list", PAGE, 100_000),
    ("/batches/get", {"id": "batch_many"}, 100),
    ("/batches/results", {"id": "batch_many"}, 1 * MB),
    ("/batches/results", {"id": "batch_large"}, LARGE * 18 * MB),
    ("/batches/results", {"id": "batch_nested"}, 4 * 10 * MB),
    ("/batches/resultsZip", {"id": "batch_many"}, 100_000),
    ("/batches/resultsZip", {"id": "batch_large"}, 100_000),
    ("/statistics/get", {}, 100),
    ("/statistics/modelUsage", {}, 100),
    ("/workflows/list", PAGE, LARGE * 9 * MB),
    ("/workflows/list", {"search": "workflow 1", "offset": 2000, **PAGE}, 100_000),
    ("/workflows/list", {"tagFilters": ["tag_1"], "search": "flow 9", **PAGE}, 100_000),
    ("/workflows/tools", PAGE, 100_000),
    ("/workflows/get", {"id": "wf_large_1"}, 9 * MB),
    ("/workflows/get", {"id": "wf_large_1", "version": 3}, 9 * MB),
    ("/workflows/export", {"id": "wf_large_1"}, 9 * MB),
    ("/workflows/versions", {"id": "wf_2", **PAGE}, 50_000),
    ("/workflows/versions", {"id": "wf_large_1", **PAGE}, 1_000),
    ("/workflows/cache/list", {"workflowId": "wf_5", **PAGE}, 100_000),
    ("/schedules/list", PAGE, LARGE * 9 * MB),
    ("/schedules/get", {"id": "large_1"}, 9 * MB),
    ("/schedules/history", {"id": "s_1", **PAGE}, 50_000),
    ("/tags/list", PAGE, 30_000),
    ("/logins/list", PAGE, 200_000),
    ("/logins/list", {"search": "user 19", **PAGE}, 200_000),
    ("/files/list", PAGE, 200_000),
    ("/files/list", {"search": "file 19", **PAGE}, 200_000),
    ("/webhooks/list", PAGE, 100),
    ("/webhooks/deliveries", {"id": "webhook_1", **PAGE}, 200_000),
    ("/webhooks/deliveries", {"id": "webhook_2", **PAGE}, 150 * MB),
    ("/agents/session/messages/list", {"id": "thread_1", **PAGE}, 50_000),
    ("/agents/session/messages/list", {"id": "thread_2", **PAGE}, 40 * MB),
    ("/knowledge/list", {"tags": ["tag"], **PAGE}, 100_000),
    ("/knowledge/query", {"query": "zebra", "tags": ["tag"]}, 400),
    ("/keys/list", PAGE, 100_000),
    ("/browserSessions/list", PAGE, 20),
]


@pytest.mark.parametrize(("path", "fields", "least_bytes"), READS)
def test_large_answers_keep_nobody_waiting(
    stored: RunningService, path: str, fields: Json, least_bytes: int
) -> None:
    api = stored.api()
    with answering(stored):
        assert received(api, path, fields) >= least_bytes


def _blocks(count: int) -> list[Json]:
    return [
        {
            "type": "Transform",
            "name": f"Step {n}",
            "data": {"input": f"{{{{params.p{n % 9}}}}}", "code": "input"},
        }
        for n in range(count)
    ]


@pytest.fixture(scope="module")
def made(stored: RunningService) -> Json:
    """What the requests below need: a workflow as long as one may be, and one that takes an hour."""
    api = stored.api()
    wait = {"type": "Wait", "data": {"durationMs": 3_600_000}}
    with answering(stored):
        wide = api.create("Wide", *_blocks(BLOCKS - 1))["id"]
    exported = api.call("/workflows/export", {"id": wide})["workflow"]
    slow = api.create("Slow", wait)["id"]
    return {"wide": wide, "exported": exported, "slow": slow}


LONG_PARAMS: Json = {"rows": ["x" * 90_000] * 100}
CHANGES: list[tuple[str, Json]] = [
    ("/workflows/get", {"id": "wide"}),
    ("/workflows/update", {"id": "wide", "name": "Wide once more"}),
    (
        "/workflows/blocks/update",
        {
            "workflowId": "wide",
            "operations": [
                {"type": "create", "block": _blocks(1)[0], "target": {"type": "start"}},
            ],
        },
    ),
    ("/workflows/duplicate", {"id": "wide"}),
    ("/workflows/import", {"workflow": "exported"}),
    ("/workflows/restore", {"id": "wide", "version": 1}),
    ("/workflows/restore", {"id": "wf_large_1", "version": 1}),
    (
        "/workflows/blocks/chat",
        {"workflowId": "wide", "message": "Click the Save button", "instructorExecutionId": "exec_many_1"},
    ),
    ("/agents/session/messages/send", {"id": "thread_2", "message": "Click the Save button"}),
    ("/workflows/execute", {"workflowId": "slow", "params": LONG_PARAMS}),
    ("/executions/retry", {"id": "exec_large_1"}),
    (
        "/logins/upsert",
        {"name": "New", "authenticationUrl": "https://a.example", "loginConfiguration": {"username": "new"}},
    ),
    ("/schedules/create", {"workflowId": "slow", "cron": "0 0 1 1 *", "params": LONG_PARAMS}),
    ("/schedules/update", {"id": "large_1", "name": "Large"}),
    ("/schedules/delete", {"id": "s_1"}),
    ("/knowledge/create", {"name": "Long", "text": "a zebra in a field is a horse with stripes. " * 70_000}),
    ("/knowledge/delete", {"id": "doc_1"}),
    ("/workflows/cache/clear", {"workflowId": "wf_5"}),
    ("/workflows/delete", {"id": "wf_3"}),
    ("/webhooks/delete", {"id": "webhook_1"}),
    ("/tags/delete", {"id": "tag_1"}),
]


@pytest.mark.parametrize(("path", "fields"), CHANGES)
def test_large_changes_keep_nobody_waiting(
    stored: RunningService, made: Json, path: str, fields: Json
) -> None:
    given = {name: made.get(str(value)[:20], value) for name, value in fields.items()}
    api = stored.api()
    with answering(stored):
        received(api, path, given)


BATCH_CHANGES = (
    "/batches/uploadSheet",
    "/batches/create",
    "/batches/createFromSheet",
    "/batches/pause",
    "/batches/resume",
    "/batches/cancel",
)


def test_large_batches_keep_nobody_waiting(stored: RunningService, made: Json) -> None:
    api = stored.api()
    upload, create, create_from_sheet, *changes = BATCH_CHANGES
    rows = [{"p0": number} for number in range(10_000)]
    lines = "".join(f"value {number},{number}\n" for number in range(MANY))
    content = base64.b64encode(f"p0,p1\n{lines}".encode()).decode()
    fields = {"name": "b", "workflowId": made["slow"], "concurrency": 1}
    with answering(stored):
        sheet = api.call(upload, {"name": "sheet.csv", "contentBase64": content})["file"]["id"]
        received(api, "/batches/readSheet", {"workflowId": made["wide"], "fileId": sheet})
        api.call(create, {**fields, "rows": rows})
        batch = api.call(create_from_sheet, {**fields, "fileId": sheet})["batch"]
        for path in changes:
            api.call(path, {"id": batch["id"]})


def test_clean_up_keeps_nobody_waiting(database: str, stored: RunningService, tmp_path: Path) -> None:
    stored.stop()
    cleaning = _service(tmp_path / "data", database, PAGEHAND_KEEP_DAYS="1").start()
    api, end = cleaning.api(), time.monotonic() + 120
    try:
        with answering(cleaning):
            while api.call("/executions/list", {"batch": "batch_many", "limit": 1})["total"] > MANY - 300:
                assert time.monotonic() < end, "the clean-up is not done"
                time.sleep(0.2)
    finally:
        cleaning.stop()


_ONE_ROW = "reads or writes one row whose texts have a limit"
_OF_THE_SERVICE = "tells about the service, not about stored data"
_ONE_BROWSER = "acts on one browser; its output is a block's (test_large_runs.py)"
_NO_MORE_THAN_GET = "reads one execution, as `/executions/get` does"
BOUNDED: dict[str, str] = {
    "/agents/session/create": _ONE_ROW,
    "/authentication/submitTwoFactorAuthCode": "looks at the runs of this process",
    "/batches/skippedRows": "reads what is kept of one sheet, at most 1,000 rows and 1 MB",
    "/browserSessions/close": "looks at running executions, as `/browserSessions/list` does",
    "/demo/break": _OF_THE_SERVICE,
    "/demo/get": _OF_THE_SERVICE,
    "/docs": _OF_THE_SERVICE,
    "/executions/applyProposal": "edits a workflow, as `/workflows/blocks/update` does",
    "/executions/cancel": _NO_MORE_THAN_GET,
    "/executions/declineProposal": _NO_MORE_THAN_GET,
    "/executions/pause": _NO_MORE_THAN_GET,
    "/executions/resume": _NO_MORE_THAN_GET,
    "/files/delete": _ONE_ROW,
    "/files/download": "is streamed from the file store (test_one_takes_all.py)",
    "/files/get": _ONE_ROW,
    "/files/upload": "stores a body, as `/batches/uploadSheet` does",
    "/healthz": _OF_THE_SERVICE,
    "/installation/get": _OF_THE_SERVICE,
    "/keys/create": _ONE_ROW,
    "/keys/revoke": _ONE_ROW,
    "/knowledge/get": _ONE_ROW,
    "/liveSessions/close": _ONE_BROWSER,
    "/liveSessions/describe": _ONE_BROWSER,
    "/liveSessions/open": _ONE_BROWSER,
    "/liveSessions/pick": _ONE_BROWSER,
    "/liveSessions/read": _ONE_BROWSER,
    "/liveSessions/record": _ONE_BROWSER,
    "/liveSessions/recorded": _ONE_BROWSER,
    "/liveSessions/run": _ONE_BROWSER,
    "/liveSessions/stop": _ONE_BROWSER,
    "/logins/create": _ONE_ROW,
    "/logins/delete": _ONE_ROW,
    "/logins/get": _ONE_ROW,
    "/logins/release": _ONE_ROW,
    "/logins/test": "starts one execution",
    "/logins/twoFactorAuth/getCode": _ONE_ROW,
    "/logins/update": _ONE_ROW,
    "/metrics": "counts by status, in counters",
    "/organization/get": _ONE_ROW,
    "/organization/update": _ONE_ROW,
    "/schedules/preview": "the next few times of one rule",
    "/schedules/run": "starts one execution, as `/workflows/execute` does",
    "/tags/create": _ONE_ROW,
    "/tags/rename": _ONE_ROW,
    "/webhooks/create": _ONE_ROW,
    "/webhooks/get": _ONE_ROW,
    "/webhooks/redeliver": "copies one delivery, of at most some 100 KB",
    "/webhooks/rotateSecret": _ONE_ROW,
    "/webhooks/test": _ONE_ROW,
    "/webhooks/update": _ONE_ROW,
    "/workflows/apply": "checks and stores one workflow, as `/workflows/import` does",
    "/workflows/blocks/kinds": _OF_THE_SERVICE,
    "/workflows/executeSync": "accepts as `/workflows/execute` does and answers as `/executions/get` does",
}


def test_every_operation_is_tried_or_has_a_limit() -> None:
    tried = (
        {path for path, *_ in READS} | {path for path, _ in CHANGES} | {*BATCH_CHANGES, "/workflows/create"}
    )
    tried.add("/batches/readSheet")
    assert tried.isdisjoint(BOUNDED)
    assert tried | BOUNDED.keys() == {operation.path for operation in operations()}
