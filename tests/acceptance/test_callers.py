"""Who may call: without a key on loopback, with keys everywhere else."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from support.database import add_key
from support.service import QUEUE_LIMIT, Api, Json, RunningService, free_port


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Origin": "http://localhost:{port}"}, 200),
        ({"Host": "localhost:{port}"}, 200),
        ({"Host": "127.0.0.1:{port}"}, 200),
        ({"X-Forwarded-For": "203.0.113.9"}, 403),
        ({"X-Forwarded-Host": "pagehand.example"}, 403),
        ({"Forwarded": "for=203.0.113.9"}, 403),
        ({"X-Real-IP": "203.0.113.9"}, 403),
        ({"Via": "1.1 proxy"}, 403),
        ({"CF-Connecting-IP": "203.0.113.9"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "http://127.0.0.1:{port}.evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:{port}@evil.example"}, 403),
        ({"Origin": "http://localhost.evil.example:{port}"}, 403),
        ({"Origin": "file://"}, 403),
        ({"Origin": ""}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example:{port}"}, 403),
        ({"Host": "127.0.0.1.nip.example:{port}"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Host": "127.0.0.1:{port}@evil.example"}, 403),
    ],
)
def test_pages_of_other_sites_cannot_call_without_a_key(
    service: RunningService, headers: Json, status: int
) -> None:
    filled = {name: text.replace("{port}", str(service.port)) for name, text in headers.items()}
    answer = httpx2.post(f"{service.url}/tags/list", json={}, headers=filled)
    assert answer.status_code == status, answer.text
    assert "access-control-allow-origin" not in answer.headers
    assert status == 200 or list(answer.json()) == ["error"]


def test_a_key_serves_wherever_it_is_sent_from(other: Api) -> None:
    answer = other.post(
        "/tags/list", {}, headers={"Host": "pagehand.example", "Origin": "https://intranet.example"}
    )
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer ph_no_such"},
        {"Authorization": "Basic dXNlcjpwYXNz"},
        {"X-API-Key": "wrong"},
        {"X-API-Key": ""},
        {"Authorization": "Bearer " + "x" * 5000},
        {"Authorization": "Bearer ph_" + "0" * 26 + "_" + "A" * 43},
    ],
)
def test_a_wrong_key_is_refused_even_where_none_is_needed(service: RunningService, headers: Json) -> None:
    answer = httpx2.post(f"{service.url}/tags/list", json={}, headers=headers)
    assert (answer.status_code, list(answer.json())) == (401, ["error"])
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_key_may_come_in_either_header(service: RunningService, other: Api) -> None:
    key = str(other.http.headers["authorization"]).removeprefix("Bearer ")
    for headers in ({"X-API-Key": key}, {"Authorization": f"bearer {key}"}):
        assert httpx2.post(f"{service.url}/tags/list", json={}, headers=headers).status_code == 200


def test_where_keys_are_required_nothing_is_done_without_one(locked: RunningService, keyed: Api) -> None:
    document = keyed.http.get("/openapi.json").json()
    before = keyed.call("/tags/list")["total"]
    locked_out = locked.api().http
    paths = [path for path, value in document["paths"].items() if "post" in value]
    assert len(paths) > 40
    for path in paths:
        # the body is not even JSON: it must not have been looked at
        for headers in ({}, {"Authorization": "Bearer ph_no_such"}, {"X-API-Key": "wrong"}):
            answer = locked_out.post(path, content=b"{", headers={"Content-Type": "text/plain", **headers})
            assert (answer.status_code, list(answer.json())) == (401, ["error"]), f"{path} {headers}"
    assert locked_out.post("/tags/create", json={"name": "without a key"}).status_code == 401
    assert keyed.call("/tags/list")["total"] == before


def test_what_anyone_may_see_stays_visible_where_keys_are_required(locked: RunningService) -> None:
    assert httpx2.get(f"{locked.url}/healthz").json() == {"status": "ok"}
    assert httpx2.get(f"{locked.url}/openapi.json").status_code == 200


def test_a_known_route_takes_post_only(api: Api) -> None:
    for method in ("GET", "PUT", "PATCH", "DELETE", "OPTIONS"):
        answer = api.http.request(method, "/executions/list")
        assert (answer.status_code, list(answer.json())) == (405, ["error"]), method
        assert answer.headers["allow"] == "POST"


def test_a_full_queue_is_refused_with_when_to_come_back(locked: RunningService) -> None:
    crowded = locked.api(add_key(locked, "crowded"))
    flow = crowded.create("queued", {"type": "Wait", "data": {"durationMs": 1}})
    waiting = [crowded.start(flow["id"]) for _ in range(QUEUE_LIMIT)]
    assert {attempt["status"] for attempt in waiting} == {"Enqueued"}
    rows: Json = {"name": "b", "workflowId": flow["id"], "rows": [{}]}
    for path, fields in (("/workflows/execute", {"workflowId": flow["id"]}), ("/batches/create", rows)):
        answer = crowded.post(path, fields)
        assert (answer.status_code, list(answer.json())) == (429, ["error"]), path
        assert int(answer.headers["retry-after"]) > 0
    assert crowded.call("/executions/list")["total"] == QUEUE_LIMIT
    crowded.call("/executions/cancel", {"id": waiting[0]["id"]})
    assert crowded.post("/workflows/execute", {"workflowId": flow["id"]}).status_code == 200


@pytest.fixture
def running(tmp_path: Path) -> Iterator[RunningService]:
    """A service that may be stopped."""
    started = RunningService(tmp_path / "data", PAGEHAND_BROWSER_POOL="0").start()
    yield started
    started.stop()


@pytest.mark.slow
def test_while_it_shuts_down_new_work_is_sent_away_and_old_work_is_finished(running: RunningService) -> None:
    caller = running.api()
    flow = caller.create("last one", {"type": "Wait", "data": {"durationMs": 4000}})
    with ThreadPoolExecutor(1) as pool:
        last = pool.submit(running.api().call, "/workflows/executeSync", {"workflowId": flow["id"]})
        while not caller.call("/executions/list", {"status": "InProgress"})["total"]:
            assert not last.done()
        running.ask_to_stop()
        answer = caller.post("/workflows/execute", {"workflowId": flow["id"]})
        while answer.status_code == 200:  # the request to stop may still be on its way
            answer = caller.post("/workflows/execute", {"workflowId": flow["id"]})
        assert (answer.status_code, list(answer.json())) == (503, ["error"])
        assert int(answer.headers["retry-after"]) > 0
        assert last.result()["execution"]["status"] == "Completed"
    assert running.stop() == 0


def serve(data_dir: Path, *options: str, **env: str) -> "subprocess.CompletedProcess[str]":
    """Start a service that is expected to give up by itself."""
    command = [
        sys.executable,
        "-m",
        "pagehand",
        "serve",
        "--no-demo",
        "--no-worker",
        "--data-dir",
        str(data_dir),
    ]
    command += ["--port", str(free_port()), *options]
    return subprocess.run(  # noqa: S603 - our own command
        command, env={**os.environ, **env}, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.slow
def test_it_does_not_open_itself_to_other_machines_without_a_key(tmp_path: Path) -> None:
    ended = serve(tmp_path / "data", "--host", "0.0.0.0")  # noqa: S104 - that this is refused is the point
    assert ended.returncode != 0
    shown = " ".join((ended.stdout + ended.stderr).split())
    assert "pagehand keys create" in shown
    assert "PAGEHAND_ALLOW_KEYLESS" in shown
    assert "Traceback" not in shown


@pytest.mark.slow
def test_a_port_that_is_taken_is_reported_plainly(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = serve(tmp_path / "data", "--port", str(taken.getsockname()[1]))
    assert ended.returncode != 0
    assert "--port" in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
