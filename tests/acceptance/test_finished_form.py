"""What a finished execution says of itself: Completed, failed, cancelled, out of time."""

import json
from datetime import datetime
from typing import Any

import httpx2
import pytest

from support.blocks import branch, fail, loop, navigate, value, wait
from support.service import FINAL, Api, Json
from support.shapes import FINISHED, MOMENT, misfits
from support.site import Site

BUTTONS = """<!doctype html><title>Order 7</title><h1>Order 7</h1>
<button>Submit form</button> <button>Cancel</button> <a href="/">Home</a>"""


def milliseconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp() * 1000


def response_file(execution: Json) -> Any:
    return httpx2.get(execution["responseFile"]["downloadUrl"]).json()


def click(locator: Json, **more: Any) -> Json:
    data = {"timeoutMs": 400}
    return {
        "type": "Mouse",
        "name": "Send it off",
        "blockReferenceId": "send",
        "locator": locator,
        "data": data,
        **more,
    }


@pytest.fixture(scope="module")
def completed(api: Api) -> Json:
    return api.run(
        value("a", "{{params.who}}"), value("list", [1, 2, 3]), params={"who": "Ada"}, name="first"
    )


@pytest.fixture(scope="module")
def failed(api: Api) -> Json:
    return api.run(value("kept", 5), fail("The account is closed."), value("never"), params={"p": 1})


def test_a_completed_one_says_what_came_out_and_when(completed: Json) -> None:
    assert misfits(completed, FINISHED) == []
    assert completed["status"] == "Completed"
    assert completed["response"] == {"a": "Ada", "list": [1, 2, 3]}
    assert completed["errorAnalysis"] == ""
    start, end = milliseconds(completed["startTime"]), milliseconds(completed["endTime"])
    assert completed["durationMs"] == end - start >= 0
    accepted = completed["metadata"]["acceptedAt"]
    assert MOMENT.fullmatch(accepted)
    assert milliseconds(accepted) <= start


def test_the_summary_is_one_paragraph_for_people(completed: Json, failed: Json) -> None:
    for execution, outcome in ((completed, "completed"), (failed, "failed")):
        summary = execution["summary"]
        assert "\n" not in summary
        assert execution["workflow"]["name"] in summary
        assert outcome in summary
    assert all(word in completed["summary"] for word in ("2 blocks", "`a`", "`list` (3 items)"))
    assert "The account is closed" in failed["summary"]


def test_the_response_file_holds_the_whole_response(completed: Json, failed: Json) -> None:
    for execution in (completed, failed):
        file = execution["responseFile"]
        assert (file["name"], file["mimeType"]) == ("response.json", "application/json")
        assert response_file(execution) == execution["response"]
        assert file["sizeBytes"] == len(httpx2.get(file["downloadUrl"]).content)


def test_the_context_holds_the_variables_at_the_end(completed: Json, failed: Json) -> None:
    assert completed["context"]["params"] == {"who": "Ada"}
    assert completed["context"]["blocks"] == {"a": "Ada", "list": [1, 2, 3]}
    assert failed["context"]["blocks"]["kept"] == 5
    assert failed["context"]["blocks"].get("never") is None


def test_a_response_is_cut_at_a_thousand_characters(api: Api) -> None:
    # {"r":"…"} adds 8 characters
    fits = api.run(value("r", "{{params.t}}"), params={"t": "ü" * 992})
    assert fits["truncatedResponse"] == '{"r":"' + "ü" * 992 + '"}'
    over = api.run(value("r", "{{params.t}}"), params={"t": "ü" * 993})
    assert over["truncatedResponse"] == '{"r":"' + "ü" * 993 + '"' + "…"
    assert response_file(over) == over["response"] == {"r": "ü" * 993}


def test_a_failed_one_has_the_same_fields_and_keeps_what_it_had(completed: Json, failed: Json) -> None:
    assert set(failed) == set(completed)
    assert misfits(failed, FINISHED) == []
    assert failed["status"] == "Failed"
    assert failed["response"] == {"kept": 5}
    assert json.loads(failed["truncatedResponse"]) == {"kept": 5}
    assert "The account is closed." in failed["errorAnalysis"]
    assert "`stop`" in failed["errorAnalysis"]


def test_a_missing_button_is_explained_part_by_part(api: Api, site: Site) -> None:
    locator = {"role": "button", "text": "Submit the {{params.what}}"}
    done = api.run(navigate(site.page("/order", BUTTONS)), click(locator), params={"what": "order"})
    assert (done["status"], done["response"]) == ("Failed", {})
    analysis = done["errorAnalysis"]
    lines = analysis.splitlines()
    assert lines[0].startswith("Nothing on the page matches")
    assert "`Send it off`" in lines[1]
    assert "`send`" in lines[1]
    [given] = [line for line in lines if line.startswith("Locator:")]
    assert "role `button`" in given
    assert "text `Submit the {{params.what}}`" in given
    [expected] = [line for line in lines if line.startswith("Expected:")]
    assert "Submit the order" in expected
    [found] = [line for line in lines if line.startswith("Found:")]
    assert "Submit form" in found
    [page] = [line for line in lines if line.startswith("Page:")]
    assert site.url + "/order" in page
    assert "Order 7" in page
    assert [line for line in lines if line.startswith("Likely cause:") and len(line) > 30]
    assert [line for line in lines if line.startswith("Try:") and len(line) > 30]
    assert "Traceback" not in analysis
    [shown] = [event for event in api.events(done["id"]) if event["type"] == "block.failed"]
    assert httpx2.get(shown["screenshotUrl"]).status_code == 200


def test_a_hidden_button_is_distinguished_from_a_missing_one(api: Api, site: Site) -> None:
    url = site.page("/hidden", "<button id=b style='display:none'>Go</button>")
    done = api.run(navigate(url), click({"css": "#b"}))
    assert done["status"] == "Failed"
    assert "matched 1 element" in done["errorAnalysis"]
    assert "css `#b`" in done["errorAnalysis"]


def test_the_innermost_block_is_named(api: Api) -> None:
    inner = {**fail("deep down", "inner"), "name": "Check the balance"}
    done = api.run(loop([1, 2], [branch("1 == 1", [inner], [])]))
    assert "\nBlock: `Check the balance`" in done["errorAnalysis"]
    assert done["response"] == {"loop": [{}]}


def test_an_unknown_name_in_a_template_lists_what_there_is(api: Api) -> None:
    done = api.run(value("x", "{{params.citty}}"), params={"city": "Bern"})
    assert done["status"] == "Failed"
    assert "citty" in done["errorAnalysis"]
    assert "city" in done["errorAnalysis"].replace("citty", "")


def test_a_site_that_is_down_is_reported_as_such(api: Api, site: Site) -> None:
    done = api.run(navigate(site.page("/down", "sorry", status=503)))
    assert (done["status"], done["attempts"]) == ("Failed", 1)
    assert "503" in done["errorAnalysis"]
    assert "Likely cause:" in done["errorAnalysis"]


def test_a_closed_address_names_the_setting_that_opens_it(api: Api) -> None:
    done = api.run(navigate("http://169.254.169.254/latest/meta-data"))
    assert done["status"] == "Failed"
    assert "169.254.169.254" in done["errorAnalysis"]
    assert "PAGEHAND_EGRESS_ALLOW" in done["errorAnalysis"]


def test_a_cancelled_one_says_who_and_when_and_keeps_what_it_had(api: Api, other: Api) -> None:
    for caller, who in ((api, "a request without a key"), (other, "API key `")):
        started = caller.start(caller.create("ended", value("kept"), wait(60_000))["id"])
        caller.wait_for(started["id"], "InProgress")
        while not [event for event in caller.events(started["id"]) if event["blockReferenceId"] == "nap"]:
            assert caller.get(started["id"])["status"] == "InProgress"
        done = caller.call("/executions/cancel", {"id": started["id"]})["execution"]
        assert misfits(done, FINISHED) == []
        assert done["status"] == "Failed"
        assert done["errorAnalysis"].startswith(f"Cancelled by {who}")
        assert MOMENT.search(done["errorAnalysis"])
        assert done["response"] == {"kept": 1}


@pytest.mark.slow
def test_one_that_ran_out_of_time_names_its_timeout_and_its_block(api: Api) -> None:
    done = api.run(value("kept"), wait(60_000), timeout=1.5)
    assert misfits(done, FINISHED) == []
    assert done["status"] == "Failed"
    assert "1.5 s (`timeout`" in done["errorAnalysis"]
    assert "`nap`" in done["errorAnalysis"]
    assert done["response"] == {"kept": 1}
    assert milliseconds(done["endTime"]) - milliseconds(done["metadata"]["acceptedAt"]) < 12_000


@pytest.mark.slow
def test_time_spent_paused_counts(api: Api) -> None:
    started = api.start(api.create("held too long", wait(60_000))["id"], timeout=2)
    api.wait_for(started["id"], "InProgress")
    api.call("/executions/pause", {"id": started["id"]})
    done = api.wait_for(started["id"], *FINAL)
    assert (done["status"], "`timeout`" in done["errorAnalysis"]) == ("Failed", True)


def test_downloads_are_listed_with_their_files(api: Api, site: Site) -> None:
    url = site.file("/report.csv", b"a,b\n1,2\n", "text/csv")
    block = {"type": "DownloadFile", "blockReferenceId": "report", "data": {"url": url}}
    done = api.run(navigate(site.page("/", "hello")), block)
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert misfits(done, FINISHED) == []
    assert done["downloads"]["status"] == "success"
    [file] = done["downloads"]["files"]
    assert (file["name"], file["sizeBytes"], file["id"]) == (
        "report.csv",
        8,
        done["response"]["report"]["id"],
    )
    assert httpx2.get(file["downloadUrl"]).content == b"a,b\n1,2\n"
    listed = api.call("/files/list", {"executionId": done["id"]})["files"]
    assert {item["name"] for item in listed} == {"report.csv", "response.json"}
