"""Runs whose size data decides: what pages, servers, scripts and callers give them keeps nobody waiting."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.health import answering
from support.service import Json, RunningService
from support.site import Site

_WAITING = 40


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    running = RunningService(
        tmp_path_factory.mktemp("large") / "data", PAGEHAND_CONCURRENCY="2", PAGEHAND_STOP_GRACE_SECONDS="0"
    ).start()
    yield running
    running.stop()


def _script(language: str, code: str) -> Json:
    return {"type": "CodeV2", "blockReferenceId": "out", "data": {"language": language, "code": code}}


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("javascript", "return Array.from({length: 1_000_000}, (_, i) => i)"),
        ("javascript", "return Array.from({length: 100_000}, (_, i) => ({id: i, name: 'Name ' + i}))"),
        ("python", "def main(inputs):\n    return list(range(500_000))"),
    ],
)
def test_large_results_of_scripts(service: RunningService, language: str, code: str) -> None:
    with answering(service):
        ended = service.api().run(_script(language, code))
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    assert len(ended["response"]["out"]) >= 100_000 or "url" in ended["response"]["out"]


def test_large_answers_of_apis(service: RunningService, site: Site) -> None:
    found = [{"id": number} for number in range(300_000)]
    site.file("/rows", json.dumps(found).encode(), "application/json")
    ask = {"type": "API", "blockReferenceId": "out", "data": {"route": f"{site.url}/rows"}}
    with answering(service):
        ended = service.api().run(ask)
    assert ended["status"] == "Completed", ended["errorAnalysis"]


def test_long_tables_of_pages(service: RunningService, site: Site) -> None:
    rows = "".join(f"<tr><td>{number}<td>Name {number}" for number in range(20_000))
    site.page("/table", f"<table><tr><th>Id<th>Name{rows}</table>")
    schema: Json = {
        "type": "array",
        "items": {"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}},
    }
    blocks: list[Json] = [
        {"type": "Navigate", "data": {"url": f"{site.url}/table"}},
        {"type": "Extract", "blockReferenceId": "out", "data": {"schema": schema, "timeoutMs": 120_000}},
    ]
    with answering(service):
        ended = service.api().run(*blocks)
    assert ended["status"] == "Completed", ended["errorAnalysis"]


def test_many_large_outputs(service: RunningService, site: Site) -> None:
    site.file("/text", b"x" * 4_500_000, "text/plain")
    read = {"type": "API", "data": {"route": f"{site.url}/text"}}
    # they are in memory as values, which become JSON one after the other, and once more as the answer;
    # how much of it at the same time depends on how fast the client reads
    with answering(service, grown_mb=3.5 * 20 * 4.5):
        ended = service.api().run(*({**read, "blockReferenceId": f"o{number}"} for number in range(20)))
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    assert [len(output["data"]) for output in ended["response"].values()] == [4_500_000] * 20
    with answering(service, grown_mb=3.5 * 105):
        refused = service.api().run(*({**read, "blockReferenceId": f"o{number}"} for number in range(40)))
    assert (refused["status"], len(refused["response"])) == ("Failed", 23)


def test_params_of_waiting_runs_are_not_in_memory(service: RunningService) -> None:
    api = service.api()
    workflow_id = api.create("Slow", {"type": "Wait", "data": {"durationMs": 600_000}})["id"]
    # encoded once: doing it for each would hold up the thread that asks for the service's health
    body = json.dumps({"workflowId": workflow_id, "params": {"rows": ["x" * 50_000] * 100}})

    def start(_: int) -> int:
        headers = {"Content-Type": "application/json"}
        return service.api().http.post("/workflows/execute", content=body, headers=headers).status_code

    with answering(service), ThreadPoolExecutor(4) as threads:
        assert set(threads.map(start, range(_WAITING))) == {200}
