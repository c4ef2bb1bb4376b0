"""Early warning: pages are visited and elements looked for, and nothing is ever done."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pagehand.cli import app
from pagehand.errors import UserMistake
from support.service import Api, Json, RunningService
from support.site import Site

pytestmark = pytest.mark.slow
START = "<nav><a id=claims href=/claims>Claims</a> <a href=/help>Help</a></nav><h1>Portal</h1>"
CLAIMS = """<h1>Claims</h1><form onsubmit="return false"><label for=note>Note</label><input id=note>
<button id=menu onclick="more.innerHTML = '<button id=inner>Mark all</button>'">More</button>
<button id=save onclick="fetch('/save', {method: 'POST'})">Keep the note</button></form><p id=more></p>"""
# the link has another id, the form another heading, and the button is gone
NEW_START = START.replace("id=claims", "id=nav-1")
NEW_CLAIMS = (
    CLAIMS.replace("<h1>Claims</h1>", "<h2>All open claims</h2>")
    .replace("id=save", "hidden id=x")
    .replace(">Keep the note<", "><")
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    running = RunningService(tmp_path_factory.mktemp("looking") / "data", PAGEHAND_HEAL_AFTER_SECONDS="0.5")
    yield running.start()
    running.stop()


@pytest.fixture(scope="module")
def api(service: RunningService) -> Api:
    return service.api()


def command(service: RunningService, *arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["look", *map(str, arguments), "--url", service.url])


def click(name: str, selector: str) -> Json:
    return {"type": "Mouse", "name": name, "locator": {"css": selector}, "data": {"timeoutMs": 8000}}


def workflow(api: Api, site: Site, name: str) -> str:
    site.page("/", START)
    site.page("/claims", CLAIMS)
    site.page("/save", "")
    site.page("/after", "<h1>Done</h1>")
    return api.create(
        name,
        {"type": "Navigate", "data": {"url": site.url}},
        click("Open the claims", "#claims"),
        {
            "type": "Input",
            "name": "Enter",
            "locator": {"css": "#note"},
            "data": {"inputType": "TextInput", "value": "{{params.note}}"},
        },
        click("Open the menu", "#menu"),
        click("Mark", "#inner"),
        click("Keep", "#save"),
        {"type": "Navigate", "data": {"url": f"{site.url}/after"}},
        parameters=[{"name": "note", "type": "string", "isRequired": True}],
    )["id"]


def statuses(look: Json) -> dict[str, str]:
    return {element["name"]: element["status"] for element in look["elements"]}


def test_a_look_says_what_moved_would_heal_and_would_break_and_does_nothing(
    api: Api, service: RunningService, site: Site, tmp_path: Path
) -> None:
    workflow_id = workflow(api, site, "Watched")
    scheduled = {"workflowId": workflow_id, "cron": "0 6 * * *", "look": True}
    never_ran = api.post("/schedules/create", scheduled)
    assert (never_ran.status_code, "run it first" in never_ran.text) == (409, True)
    assert isinstance(command(service, "Watched").exception, UserMistake)
    ran = api.call("/workflows/executeSync", {"workflowId": workflow_id, "params": {"note": "hello"}})
    assert ran["execution"]["status"] == "Completed", ran["execution"]["errorAnalysis"]
    site.hits.clear()

    schedule = api.call("/schedules/create", scheduled)["schedule"]
    assert (schedule["look"], schedule["params"]) == (True, {})
    started = api.call("/schedules/run", {"id": schedule["id"]})["execution"]
    execution = api.wait_for(started["id"], "Completed", "Failed")
    found = execution["response"]["look"]
    assert statuses(found) == {
        "Open the claims": "asBefore",
        "Enter": "asBefore",
        "Open the menu": "asBefore",
        "Mark": "notSeen",  # only the menu shows it
        "Keep": "asBefore",
    }
    assert found["stoppedAt"]["name"] == "Keep"
    assert [page["url"].removeprefix(site.url) for page in found["pages"]] == ["/", "/claims"]

    api.create("Never run", {"type": "Wait", "data": {"durationMs": 1}})
    site.page("/", NEW_START)
    site.page("/claims", NEW_CLAIMS)
    shown = command(service, "--all", "--json", "--report", tmp_path / "report")
    assert shown.exit_code == 1, shown.output
    by_name = {one["workflow"]: one for one in map(json.loads, shown.stdout.splitlines())}
    assert "run it first" in by_name["Never run"]["skipped"]
    result = by_name["Watched"]
    assert statuses(result["look"]) == {
        "Open the claims": "wouldHeal",
        "Enter": "moved",
        "Open the menu": "moved",
        "Mark": "notSeen",
        "Keep": "wouldBreak",
    }
    # one heading above both
    assert [(one["elements"], one["blocks"]) for one in result["look"]["changes"]] == [
        (2, ["Enter", "Open the menu"])
    ]
    assert result["look"]["elements"][0]["newLocator"] == {"role": "link", "text": "Claims"}
    pictures = sorted(path.name for path in (tmp_path / "report").glob("watched-*.jpg"))
    assert pictures == [f"watched-{number}-{when}.jpg" for number in (1, 2) for when in ("now", "then")]
    report = (tmp_path / "report" / "index.html").read_text()
    assert all(f'src="{name}"' in report for name in pictures)
    assert "Keep (css #save): Nothing on the page matches" in report

    execution = api.get(result["execution"])
    assert execution["failure"]["code"] == "ElementNotFound"
    assert execution["failure"]["blockReferenceId"] == "Mouse_4"
    [proposed] = execution["metadata"]["proposedOperations"]
    assert proposed["block"]["locator"] == {"role": "link", "text": "Claims"}
    assert {hit.split("?")[0] for hit in site.hits} <= {"/", "/claims", "/favicon.ico"}
