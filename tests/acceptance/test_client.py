"""The Python client against a running service, waiting and awaited."""

import re
from pathlib import Path

import pytest

from pagehand.client import ApiError, AsyncPagehand, ExecutionFailed, Pagehand
from support.service import RunningService

ROWS = [
    {
        "type": "Transform",
        "blockReferenceId": "rows",
        "data": {"input": [{"n": "{{params.n}}"}], "code": "input"},
    },
    {"type": "ParseToCsv", "data": {"input": "{{blocks.rows}}", "fileName": "rows.csv"}},
]
FAILS = [
    {"type": "FailOnCondition", "blockReferenceId": "stop", "data": {"condition": "True", "message": "No."}}
]


@pytest.fixture(scope="module")
def key(service: RunningService) -> str:
    """Of an organization with two workflows."""
    made = service.new_key("clients")
    with Pagehand(service.url, made) as client:
        client.workflows_create(name="Rows", blocks=ROWS)
        client.workflows_create(name="Fails", blocks=FAILS)
    return made


def test_a_run_gives_response_files_and_events(service: RunningService, key: str, tmp_path: Path) -> None:
    with Pagehand(service.url, key) as client:
        done = client.run("Rows", n=17)
        assert done.status == "Completed"
        assert done.response["rows"] == [{"n": 17}]
        assert done.files[0].save(tmp_path).read_text() == "n\n17\n"
        assert {event["blockReferenceId"] for event in done.events() if "blockReferenceId" in event} >= {
            "rows"
        }
        second = client.run(client.workflows_list(search="Rows")["workflows"][0]["id"], {"n": 18})
        assert second.response["rows"] == [{"n": 18}]


def test_a_run_that_was_started_is_followed_and_waited_for(service: RunningService, key: str) -> None:
    with Pagehand(service.url, key) as client:
        started = client.start("Rows", n=1)
        followed = list(started.follow())
        assert started.wait().status == "Completed"
        assert [event["seq"] for event in followed] == [event["seq"] for event in started.events()]
        assert client.executions_get(id=started.id)["execution"]["status"] == "Completed"


def test_a_failure_carries_its_code_and_the_analysis(service: RunningService, key: str) -> None:
    with Pagehand(service.url, key) as client, pytest.raises(ExecutionFailed) as failed:
        client.run("Fails")
    assert failed.value.failure["blockReferenceId"] == "stop"
    assert failed.value.failure["code"]
    assert "No." in failed.value.analysis


def test_a_refusal_is_the_sentence_of_the_service(service: RunningService, key: str) -> None:
    with Pagehand(service.url, key) as client, pytest.raises(ApiError, match="not found") as refused:
        client.run("Fail")
    assert refused.value.status == 404


@pytest.mark.anyio
async def test_the_same_is_awaited(service: RunningService, key: str, tmp_path: Path) -> None:
    async with AsyncPagehand(service.url, key) as client:
        started = await client.start("Rows", n=2)
        followed = [event["seq"] async for event in started.follow()]
        done = await started.wait()
        assert followed == [event["seq"] for event in await done.events()]
        assert (await done.files[0].save(tmp_path / "two.csv")).read_text() == "n\n2\n"
        stored = await client.upload(tmp_path / "two.csv")
        assert (await client.files_get(id=stored["id"]))["file"]["name"] == "two.csv"
        assert (await client.executions_evidence(id=done.id, to=tmp_path / "all.zip")).read_bytes()[
            :2
        ] == b"PK"
        with pytest.raises(ExecutionFailed):
            await client.run("Fails")


def test_the_samples_in_the_documentation_run(
    service: RunningService,
    key: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "clients.md").read_text()
    with Pagehand(service.url, key) as client:
        block = {
            "type": "Transform",
            "blockReferenceId": "headline",
            "data": {"input": "{{params.url}}", "code": "input"},
        }
        client.workflows_create(name="Headline", blocks=[block])
    monkeypatch.setenv("PAGEHAND_KEY", key)
    monkeypatch.chdir(tmp_path)
    samples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(samples) == 2
    for sample in samples:
        exec(compile(sample.replace("http://127.0.0.1:8700", service.url), "clients.md", "exec"), {})  # noqa: S102 - ours
    assert capsys.readouterr().out.count("{'headline': 'https://example.com'}") == 2
