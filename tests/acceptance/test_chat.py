"""Blocks from words, as a client meets them: made, kept, run; and the conversations about them."""

from collections.abc import Iterator

import pytest

from support.service import Api, Json
from support.shapes import BLOCK, MESSAGE, ListOf, misfits
from support.site import Site, serving

FORM = """<!doctype html><title>Order</title><h1>Order</h1>
<form action="/done"><label>First name <input name="first"></label>
<label>Colour <select name="colour"><option>Red<option>Blue</select></label>
<label><input type="checkbox" name="news"> Newsletter</label>
<button>Submit</button></form>"""
RESULTS = """<!doctype html><title>Results</title><h1>Results</h1><ul>
<li><a href="/one">Floor lamp</a></li><li><a href="/two">Desk lamp</a></li>
<li><a href="/three">Bulb</a></li></ul>
<table><tr><td>Ada</td><td><button onclick="location='/ada'">Edit</button></td></tr>
<tr><td>Bob</td><td><button onclick="location='/bob'">Edit</button></td></tr></table>"""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving() as running:
        running.page("/form", FORM)
        running.page("/results", RESULTS)
        for path in ("/done", "/one", "/two", "/three", "/ada", "/bob"):
            running.page(path, f"<!doctype html><title>{path}</title><p>Here is {path}")
        yield running


@pytest.fixture(scope="module")
def flow(api: Api, site: Site) -> Json:
    return api.create("chat", {"type": "Navigate", "data": {"url": f"{site.url}/results"}})


def chat(api: Api, flow: Json, message: str, **more: str) -> Json:
    return api.call("/workflows/blocks/chat", {"workflowId": flow["id"], "message": message, **more})


def run(api: Api, *blocks: Json) -> Json:
    done = api.run(*blocks)
    assert done["status"] == "Completed", done["errorAnalysis"]
    return done


def test_a_message_becomes_blocks_that_do_what_it_says(api: Api, flow: Json, site: Site) -> None:
    message = (
        f"Go to {site.url}/form. Type Ada into the First name field, choose Blue from the Colour list, "
        'tick Newsletter, then click the Submit button and wait until the page shows "Here is /done".'
    )
    made = chat(api, flow, message)["blocks"]
    assert misfits(made, ListOf(BLOCK)) == []
    assert [item["type"] for item in made] == [
        "Navigate",
        "Input",
        "Input",
        "Input",
        "Mouse",
        "WaitForCondition",
    ]
    assert all(item["transformerFn"] == "" for item in made)
    run(api, *made)
    assert site.hits[-1] == "/done?first=Ada&colour=Blue&news=on"


def test_chat_changes_nothing_and_keeps_the_messages(api: Api, flow: Json) -> None:
    answer = chat(api, flow, "Wait 1 second")
    assert api.call("/workflows/get", {"id": flow["id"]})["workflow"] == flow
    messages = api.call("/agents/session/messages/list", {"id": answer["threadId"]})["messages"]
    assert [item["role"] for item in messages] == ["user", "assistant"]
    assert messages[0]["parts"][0]["text"] == "Wait 1 second"
    assert "Wait 1 second" in messages[1]["parts"][0]["text"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "arrived"),
    [
        ("Click the second result", "/two"),
        ("Click the Edit button in the row of Bob", "/bob"),
        ("Click the Bulb link", "/three"),
    ],
)
def test_words_about_pages_a_test_execution_saw_lead_to_the_element(
    api: Api, flow: Json, site: Site, words: str, arrived: str
) -> None:
    seen = api.call("/workflows/executeSync", {"workflowId": flow["id"], "isTest": True})["execution"]
    [block] = chat(api, flow, words, instructorExecutionId=seen["id"])["blocks"]
    run(api, {"type": "Navigate", "data": {"url": f"{site.url}/results"}}, block)
    assert site.hits[-1] == arrived


def test_words_about_a_place_are_looked_up_when_they_run(api: Api, flow: Json, site: Site) -> None:
    [block] = chat(api, flow, "Click the Edit button in the row of Ada")["blocks"]
    assert block["locator"] == {"words": "the Edit button in the row of Ada"}
    run(api, {"type": "Navigate", "data": {"url": f"{site.url}/results"}}, block)
    assert site.hits[-1] == "/ada"


def test_a_place_that_no_page_shows_is_refused_where_pages_are_named(api: Api, flow: Json) -> None:
    unrecorded = api.call("/workflows/executeSync", {"workflowId": flow["id"]})["execution"]
    asked = {"workflowId": flow["id"], "message": "Click the second result"}
    answer = api.post("/workflows/blocks/chat", {**asked, "instructorExecutionId": unrecorded["id"]})
    assert answer.status_code == 400
    assert "`the second result`" in answer.json()["error"]
    assert "saw" in answer.json()["error"]


def records(*names: str) -> str:
    rows = "".join(
        f"<tr><td><a href='/open/{name}'>{name}</a></td>"
        f"<td><button onclick=\"location='/delete/{name}'\">Delete</button></td></tr>"
        for name in names
    )
    return f"<!doctype html><title>Records</title><table><tr><td>Name</td><td>Act</td></tr>{rows}</table>"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "arrived"),
    [
        ("Click the Delete button in the row of ACME-02", "/delete/ACME-02"),
        ("Click the link in the first row", "/open/ACME-02"),
        ("Click the second Delete button", "/delete/ACME-03"),
    ],
)
def test_words_about_a_row_mean_the_row_there_is_and_not_the_one_there_was(
    api: Api, site: Site, words: str, arrived: str
) -> None:
    site.page("/records", records("ACME-01", "ACME-02", "ACME-03"))
    for name in ("ACME-01", "ACME-02", "ACME-03"):
        site.page(f"/delete/{name}", "gone")
        site.page(f"/open/{name}", "open")
    visit: Json = {"type": "Navigate", "data": {"url": f"{site.url}/records"}}
    flow = api.create("records", visit)
    seen = api.call("/workflows/executeSync", {"workflowId": flow["id"], "isTest": True})["execution"]
    [block] = chat(api, flow, words, instructorExecutionId=seen["id"])["blocks"]
    site.page("/records", records("ACME-02", "ACME-03"))
    run(api, visit, block)
    assert site.hits[-1] == arrived


@pytest.mark.slow
def test_a_row_that_has_gone_fails_the_run_and_nothing_is_clicked(api: Api, site: Site) -> None:
    site.page("/records", records("ACME-01", "ACME-02", "ACME-03"))
    visit: Json = {"type": "Navigate", "data": {"url": f"{site.url}/records"}}
    flow = api.create("records gone", visit)
    seen = api.call("/workflows/executeSync", {"workflowId": flow["id"], "isTest": True})["execution"]
    words = "Click the Delete button in the row of ACME-02"
    [block] = chat(api, flow, words, instructorExecutionId=seen["id"])["blocks"]
    kept = api.create("delete one", visit, {**block, "data": {**block["data"], "timeoutMs": 3000}})
    api.call("/workflows/executeSync", {"workflowId": kept["id"]})  # so that there is a memory to heal from
    site.page("/records", records("ACME-01", "ACME-03"))
    hits = len(site.hits)
    done = api.call("/workflows/executeSync", {"workflowId": kept["id"]})["execution"]
    assert done["status"] == "Failed"
    assert site.hits[hits:] == ["/records"]


def test_only_test_executions_keep_pages(api: Api, flow: Json) -> None:
    for is_test in (True, False):
        fields = {"workflowId": flow["id"], "isTest": is_test}
        done = api.call("/workflows/executeSync", fields)["execution"]
        kept = [event for event in api.events(done["id"]) if event["data"].get("pageSnapshot")]
        assert bool(kept) == is_test


def test_a_conversation_answers_with_blocks_in_words_or_says_why_not(api: Api, flow: Json) -> None:
    made = api.call("/agents/session/create", {"name": "Orders", "workflowId": flow["id"]})["thread"]
    assert (made["name"], made["workflowId"]) == ("Orders", flow["id"])
    answers: list[str] = []
    for message in ("Click the Submit button", "Do something nice"):
        sent = {"id": made["id"], "message": message}
        new = api.call("/agents/session/messages/send", sent)["messages"]
        assert misfits(new, ListOf(MESSAGE)) == []
        assert [item["role"] for item in new] == ["user", "assistant"]
        assert new[0]["parts"][0]["text"] == message
        answers.append(new[1]["parts"][0]["text"])
    assert "role `button`, text `Submit`" in answers[0]
    assert "PAGEHAND_MODEL" in answers[1]
    assert api.call("/agents/session/messages/list", {"id": made["id"]})["total"] == 4


def test_a_conversation_needs_neither_name_nor_workflow(api: Api) -> None:
    made = api.call("/agents/session/create")["thread"]
    assert made["workflowId"] is None
    sent = api.call("/agents/session/messages/send", {"id": made["id"], "message": "Wait 2 seconds"})
    assert "durationMs `2000`" in sent["messages"][1]["parts"][0]["text"]


def test_other_organizations_threads_workflows_and_executions_are_not_found(
    api: Api, other: Api, flow: Json
) -> None:
    thread = api.call("/agents/session/create")["thread"]["id"]
    theirs = other.create("theirs")
    seen = api.call("/workflows/executeSync", {"workflowId": flow["id"], "isTest": True})["execution"]
    chat_about = {"workflowId": theirs["id"], "message": "Wait 1 second", "instructorExecutionId": seen["id"]}
    for path, fields in (
        ("/agents/session/messages/send", {"id": thread, "message": "Wait 1 second"}),
        ("/agents/session/create", {"workflowId": flow["id"]}),
        ("/workflows/blocks/chat", {"workflowId": flow["id"], "message": "Wait 1 second"}),
        ("/workflows/blocks/chat", chat_about),
    ):
        assert other.post(path, fields).status_code == 404
    assert api.call("/agents/session/messages/list", {"id": thread})["total"] == 0


def test_what_chat_proposes_is_applied_like_any_proposal(api: Api, other: Api) -> None:
    wait = {"type": "Wait", "data": {"durationMs": 5}}
    workflow = api.create(
        "Grown in words",
        {**wait, "name": "First", "blockReferenceId": "First"},
        {**wait, "name": "Last", "blockReferenceId": "Last"},
    )
    first = workflow["blocks"][0]["id"]
    asked = {
        "workflowId": workflow["id"],
        "message": "Open https://example.com/ and click the Submit button",
        "target": {"type": "after", "previousBlockId": first},
    }
    by = {"threadId": api.call("/workflows/blocks/chat", asked)["threadId"]}

    proposal = api.call("/executions/getProposal", by)["proposal"]
    assert (proposal["state"], proposal["version"], proposal["executionId"]) == ("open", 1, None)
    assert [block["type"] for block in proposal["after"]] == ["Wait", "Navigate", "Mouse", "Wait"]
    assert api.call("/workflows/get", {"id": workflow["id"]})["workflow"]["version"] == 1
    for caller in ("getProposal", "applyProposal", "declineProposal"):
        assert other.post(f"/executions/{caller}", by).status_code == 404

    applied = api.call("/executions/applyProposal", by)
    repeated = api.call("/executions/applyProposal", by)
    assert (applied["version"], repeated["version"]) == (2, 2)
    assert applied["blocks"] == repeated["blocks"]
    assert [block["type"] for block in applied["blocks"]] == ["Wait", "Navigate", "Mouse", "Wait"]
    assert api.call("/executions/getProposal", by)["proposal"]["state"] == "applied"
    assert api.post("/executions/declineProposal", by).status_code == 409


def test_a_proposal_of_chat_is_declined_outdated_or_refused_where_it_does_not_fit(api: Api) -> None:
    workflow = api.create("Changes meanwhile", {"type": "Wait", "data": {"durationMs": 5}})["id"]
    asked = {"workflowId": workflow, "message": "Click the Submit button"}
    first = {"threadId": api.call("/workflows/blocks/chat", asked)["threadId"]}
    assert api.call("/executions/declineProposal", first) == {"state": "declined"}
    second = {"threadId": api.call("/workflows/blocks/chat", asked)["threadId"]}
    api.call(
        "/workflows/blocks/update",
        {
            "workflowId": workflow,
            "operations": [
                {"type": "create", "block": {"type": "Wait", "data": {}}, "target": {"type": "end"}}
            ],
        },
    )
    assert api.call("/executions/getProposal", second)["proposal"]["state"] == "outdated"
    late = api.post("/executions/applyProposal", second)
    assert (late.status_code, "version 2" in late.json()["error"]) == (409, True)
    nowhere = {**asked, "target": {"type": "after", "previousBlockId": "nothing"}}
    refused = api.post("/workflows/blocks/chat", nowhere)
    assert (refused.status_code, "`target" in refused.json()["error"]) == (400, True)
    assert api.post("/executions/getProposal", {}).status_code == 400
    assert api.post("/executions/getProposal", {"id": "e", **first}).status_code == 400
