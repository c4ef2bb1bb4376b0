"""The evidence of an execution: everything to look at it elsewhere, and nothing that lets anybody in."""

import io
import json
import zipfile

from support.blocks import navigate, value
from support.service import Api, Json
from support.site import Site

PAGE = "<h1>Claims</h1><a href=/report download='../../etc/report.txt'>Report</a>"


def entries(api: Api, execution_id: str) -> dict[str, bytes]:
    answer = api.post("/executions/evidence", {"id": execution_id})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/zip"
    assert f"evidence-{execution_id}.zip" in answer.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as opened:
        assert opened.testzip() is None
        return {name: opened.read(name) for name in opened.namelist()}


def test_evidence_holds_the_run_its_events_pictures_and_files(api: Api, site: Site) -> None:
    site.page("/report", "the report", headers={"Content-Type": "text/plain"})
    download: Json = {"type": "DownloadFile", "locator": {"text": "Report"}, "data": {}}
    done = api.run(navigate(site.page("/", PAGE)), download, value("n", 7))
    assert done["status"] == "Completed", done["errorAnalysis"]
    held = entries(api, done["id"])
    execution = json.loads(held["execution.json"])
    assert (execution["id"], execution["response"]["n"]) == (done["id"], 7)
    events = json.loads(held["events.json"])
    assert [event["type"] for event in events] == [event["type"] for event in api.events(done["id"])]
    pictures = [event["picture"] for event in events if event["picture"]]
    assert pictures
    assert all(held[name].startswith(b"\xff\xd8") for name in pictures)
    assert json.loads(held["workflow.json"])["blocks"][0]["type"] == "Navigate"
    assert b"the report" in held.values()
    assert all(".." not in name and not name.startswith("/") for name in held)


def test_evidence_lets_nobody_in(api: Api, site: Site) -> None:
    workflow = api.create(
        "secret",
        navigate(site.page("/", PAGE)),
        value("x", "{{params.pin}}"),
        parameters=[{"name": "pin", "isSecret": True}],
    )
    done = api.call(
        "/workflows/executeSync", {"workflowId": workflow["id"], "params": {"pin": "canary-4711-canary"}}
    )["execution"]
    everything = b"".join(entries(api, done["id"]).values())
    assert b"canary-4711-canary" not in everything
    assert b"?t=" not in everything


def test_there_is_no_evidence_of_what_never_was(api: Api) -> None:
    answer = api.post("/executions/evidence", {"id": "exec_none"})
    assert answer.status_code == 404
    assert "error" in answer.json()
