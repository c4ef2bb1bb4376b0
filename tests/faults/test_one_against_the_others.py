"""Hostile requests, workflows and pages: while they are worked on, the service answers everybody else.

A thread requests `/healthz` all the time. The service's own log shows how long something blocked the event
loop, in processor time of the loop's thread: a busy machine makes no difference.
"""

import contextlib
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from support import health
from support.blocks import branch, extract, loop, navigate, rows_of, value
from support.service import Api, Json, RunningService
from support.site import serving

HELD_SECONDS = 1.5
"""The most processor time that anything may take from the event loop at once.

The freezes that are looked for here took 2 to 30 s. On a quiet machine nothing takes 0.5 s, which is what is
promised; on one whose caches are shared with five browsers the same work takes twice as long.
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    running = RunningService(tmp_path_factory.mktemp("faults") / "data").start()
    yield running
    running.stop()


@pytest.fixture
def api(service: RunningService) -> Api:
    return service.api()


class Health(health.Health):
    """Also checks how long the loop was held at once."""

    @contextlib.contextmanager
    def watched(self) -> Generator["Health"]:
        start = self._service.log.stat().st_size
        with super().watched():
            yield self
        held = health.held_loop(self._service.log.read_bytes()[start:])
        assert max((seconds for seconds, _ in held), default=0) <= HELD_SECONDS, held


def nested(depth: int) -> Json:
    """A schema whose alternatives double with every level."""
    schema: Json = {"type": "string"}
    for _ in range(depth):
        schema = {"anyOf": [schema, {**schema}]}
    return schema


def by_reference(depth: int) -> Json:
    defs: Json = {f"a{level}": {"anyOf": [{"$ref": f"#/$defs/a{level + 1}"}] * 2} for level in range(depth)}
    return {"$ref": "#/$defs/a0", "$defs": {**defs, f"a{depth}": {"type": "string"}}}


ITSELF: Json = {"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}}}


def read_as(schema: Json) -> Json:
    data = {"inputText": "name: Ann", "schema": schema}
    return {"type": "ExtractFromInput", "blockReferenceId": "read", "data": data}


def test_patterns_of_many_stars(service: RunningService, api: Api) -> None:
    with serving() as site, Health(service).watched():
        address = site.page(f"/{'a' * 1500}", "<p>hello</p>")
        flow = branch("1 == 1", [value("yes")], [])
        flow["data"] = {"condition": {"url": "*a" * 700 + "*b"}}
        done = api.run(navigate(address), flow)
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert "yes" not in done["response"]


@pytest.mark.parametrize(
    "schema", [nested(11), by_reference(20), ITSELF], ids=["nested", "references", "itself"]
)
def test_schemas_that_multiply(service: RunningService, api: Api, schema: Json) -> None:
    with Health(service).watched():
        done = api.run(read_as({"type": "object", "properties": {"name": schema}, **_defs(schema)}))
    assert "our side" not in done["errorAnalysis"]


def _defs(schema: Json) -> Json:
    return {"$defs": schema["$defs"]} if "$defs" in schema else {}


@pytest.mark.parametrize(
    ("path", "body", "statuses"),
    [
        ("/executions/list", b'{"search": [' + b"[]," * 2_500_000 + b"[]]}", (413,)),
        ("/workflows/create", b'{"name": "x", "blocks": [' + b'{"a":1},' * 1_000_000 + b"{}]}", (400,)),
        ("/executions/list", b'{"search": ["' + b"x" * 20_000 + b'"]}', (400,)),
        ("/executions/list", b'{"search": [' + b'"x",' * 2_000 + b'"x"]}', (400,)),
        ("/workflows/create", b'{"name": "x", "tags": [' + b'"t",' * 20_000 + b'"t"]}', (400,)),
        ("/workflows/create", b'{"name": "x", "blocks": [' + b'{"type":"Wait"},' * 20_000 + b"{}]}", (400,)),
    ],
    ids=["arrays", "objects", "long term", "many terms", "tags", "blocks"],
)
def test_requests_of_very_many_things(
    service: RunningService, api: Api, path: str, body: bytes, statuses: tuple[int, ...]
) -> None:
    with Health(service).watched():
        answer = api.http.post(path, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in statuses, answer.text[:300]


def test_a_form_of_very_many_parts(service: RunningService, api: Api) -> None:
    part = b'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n'
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    with Health(service).watched():
        answer = api.http.post("/files/upload", content=part * 150_000 + b"--b--\r\n", headers=headers)
    assert answer.status_code == 400
    assert "parts" in answer.json()["error"]


def test_a_batch_of_many_rows(tmp_path: Path) -> None:
    only_accepts = RunningService(tmp_path / "data", "--no-worker").start()
    api = only_accepts.api()
    flow = api.create("batch", value("x"))
    with Health(only_accepts).watched():
        fields = {"name": "b", "workflowId": flow["id"], "rows": [{"n": n} for n in range(10_000)]}
        batch = api.call("/batches/create", fields)["batch"]
    assert batch["total"] == 10_000
    assert api.post("/batches/create", {**fields, "rows": [{}] * 10_001}).status_code == 400
    only_accepts.stop()


def test_a_batch_of_a_sheet_of_tens_of_megabytes(tmp_path: Path) -> None:
    only_accepts = RunningService(tmp_path / "data", "--no-worker").start()
    api = only_accepts.api()
    flow = api.create("batch", value("x", "{{params.id}}"))
    content = b"id,remark\n" + b"".join(b"%d,%s\n" % (n, b"x" * 2000) for n in range(12_000))
    with Health(only_accepts).watched():
        sent = api.http.post("/batches/uploadSheet", files={"file": ("claims.csv", content)})
        asked = {"workflowId": flow["id"], "fileId": sent.json()["file"]["id"], "columns": {"id": "id"}}
        sheet = api.call("/batches/readSheet", {**asked, "limit": 5})["sheet"]
        batch = api.call("/batches/createFromSheet", {**asked, "name": "b"})["batch"]
    assert (sheet["total"], len(sheet["rows"]), batch["total"]) == (12_000, 5, 12_000)
    only_accepts.stop()


@pytest.mark.parametrize(
    "inner",
    [[], [branch("1 == 2", [], [])]],
    ids=["of nothing", "of a branch"],
)
def test_a_loop_that_never_waits_can_be_cancelled(
    service: RunningService, api: Api, inner: list[Json]
) -> None:
    endless = loop([], inner)
    endless["data"] = {"over": {"times": 100_000_000}, "maxIterations": 100_000_000}
    started = api.start(api.create("endless", endless)["id"])
    with Health(service).watched() as watched:
        api.wait_for(started["id"], "InProgress")
        time.sleep(3)
        api.call("/executions/cancel", {"id": started["id"]})
        assert api.wait_for(started["id"], "Failed")["failure"]["code"] == "Cancelled"
    assert watched.answers > 1


def test_a_table_of_many_rows_as_csv(service: RunningService, api: Api) -> None:
    rows = value("rows", 1, "[[i, 'x' * 9] for i in range(60000)]")
    table = {"type": "ParseToCsv", "blockReferenceId": "csv", "data": {"input": "{{blocks.rows}}"}}
    with Health(service).watched():
        done = api.run(rows, table)
    assert done["status"] == "Completed", done["errorAnalysis"]


def test_a_page_of_very_many_options(service: RunningService, api: Api) -> None:
    options = "".join(f"<option value={number}>Town number {number}</option>" for number in range(20_000))
    page = f"<label>Town <select>{options}</select></label>"
    with serving() as site, Health(service).watched():
        data = {"value": "Town numbr 19999x", "matchBy": "closest", "timeoutMs": 60_000}
        choose = {"type": "Dropdown", "locator": {"css": "select"}, "data": data}
        done = api.run(navigate(site.page("/", page)), choose)
    assert done["status"] in ("Completed", "Failed")
    assert "our side" not in done["errorAnalysis"]


def test_a_page_of_very_many_rows(service: RunningService, api: Api) -> None:
    cells = "".join(f"<tr><td>N{number}</td><td>{number}.50</td></tr>" for number in range(5_000))
    page = f"<table><thead><tr><th>Name</th><th>Price</th></tr></thead><tbody>{cells}</tbody></table>"
    with serving() as site, Health(service).watched():
        done = api.run(
            navigate(site.page("/", page)), extract("rows", rows_of(name="string", price="number"))
        )
    assert "our side" not in done["errorAnalysis"]
