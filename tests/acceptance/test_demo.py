"""The demo as a newcomer meets it: the service starts, and there is a finished execution to look at."""

import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagehand.client import Pagehand
from pagehand.demo.portal import CODE_SEED, OFFICE_PASSWORD
from support.examples import refused_examples
from support.service import FINAL, Api, Json, RunningService


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder: Path = tmp_path_factory.mktemp("demo") / "data"
    running = RunningService(folder, "--demo", PAGEHAND_DEMO_PORT="0", PAGEHAND_EGRESS_ALLOW="").start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def newcomer(demo: RunningService) -> Api:
    return demo.api()


@pytest.fixture(scope="module")
def first_run(newcomer: Api) -> Json:
    # the service answers a moment before it has introduced its demo
    end = time.monotonic() + 20
    while not (executions := newcomer.call("/executions/list")["executions"]) and time.monotonic() < end:
        time.sleep(0.05)
    assert [execution["name"] for execution in executions] == ["First run"]
    return newcomer.wait_for(executions[0]["id"], *FINAL)


def test_first_run_reads_every_page_and_fetches_the_letters_of_open_claims(first_run: Json) -> None:
    assert first_run["status"] == "Completed", first_run["errorAnalysis"]
    response = first_run["response"]
    assert [len(page["rows"]) for page in response["pages"]] == [8, 8, 8]
    assert [row["Claim"] for row in response["table"]] == [f"NW-2026-{n}" for n in (1024, 1018, 1013, 1006)]
    assert response["table"][3]["Amount"] == 4028.5
    assert [file["name"] for file in first_run["downloads"]["files"]] == [
        row["Letter"] for row in response["table"]
    ]


def test_first_run_leaves_a_spreadsheet_and_real_letters(newcomer: Api, first_run: Json) -> None:
    sheet = newcomer.http.get(first_run["response"]["csv"]["downloadUrl"]).text.splitlines()
    letter = newcomer.http.get(first_run["downloads"]["files"][0]["downloadUrl"]).content

    assert sheet[0] == "Claim,Policy holder,Policy,Type,Filed,Amount,Adjuster,Items,Letter"
    assert len(sheet) == 5
    assert letter.startswith(b"%PDF-")


def test_the_secrets_of_the_login_show_nowhere_in_the_events(newcomer: Api, first_run: Json) -> None:
    events = newcomer.events(first_run["id"])
    shown = str([(event["message"], event["data"]) for event in events])

    assert "sign_in" in [event["blockReferenceId"] for event in events]
    assert OFFICE_PASSWORD not in shown.replace("northwind_", "")
    assert CODE_SEED not in shown


@pytest.mark.slow
def test_workflow_heals_after_the_portal_was_broken(newcomer: Api, first_run: Json) -> None:
    demo = newcomer.call("/demo/break", {"isBroken": True})["demo"]
    started = newcomer.start(demo["workflowId"])
    healed = newcomer.wait_for(started["id"], *FINAL, seconds=240)

    assert demo["isBroken"]
    assert healed["status"] == "Completed", healed["errorAnalysis"]
    assert healed["response"]["table"] == first_run["response"]["table"]
    names = [
        event["blockReferenceId"]
        for event in newcomer.events(started["id"])
        if event["type"] == "locator.healed"
    ]
    assert {"open_claims", "letter"} <= set(names)
    assert newcomer.call("/statistics/get")["statistics"]["healed"] >= 2
    assert not newcomer.call("/demo/break", {"isBroken": False})["demo"]["isBroken"]


def test_workflow_of_the_demo_runs_every_night(newcomer: Api, first_run: Json) -> None:
    [schedule] = newcomer.call("/schedules/list")["schedules"]

    assert schedule["workflow"]["id"] == first_run["workflow"]["id"]
    assert schedule["cron"] == "30 2 * * *"
    assert schedule["enabled"]


@pytest.mark.slow
def test_organization_without_the_demo_cannot_break_it(demo: RunningService) -> None:
    other = demo.api(demo.new_key("other"))

    assert other.call("/demo/get") == {"demo": None}
    assert other.post("/demo/break", {"isBroken": True}).status_code == 404


@pytest.mark.slow
def test_every_example_of_the_api_works_on_a_new_service(
    demo: RunningService, first_run: Json, tmp_path: Path
) -> None:
    """But for those that speak of a thing by a made-up id."""
    assert first_run["status"] == "Completed"
    with Pagehand(demo.url) as client:
        document = demo.api().http.get("/openapi.json").json()
        refused = refused_examples(
            client, document, defaultdict(lambda: "nothing_01k3v8c2m4e6g8j0n2q4s6t8w0"), tmp_path
        )
        for running in client.executions_list(status="InProgress")["executions"]:
            client.executions_cancel(id=running["id"])
    for path, answer in refused.items():
        example = str(
            document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["example"]
        )
        assert answer.startswith("404") or "PAGEHAND_MODEL" in answer, f"{path}: {answer}"
        assert "_01k3v8c2m4e6g8j0n2q4s6t8w0" in example, f"{path}: {answer}"
