"""A live session as the editor uses it, over HTTP: blocks tried one by one in a browser that stays open."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.blocks import navigate
from support.database import add_key
from support.service import Api, Json, RunningService
from support.site import Site

SHOP = """<!doctype html><title>Shop</title><style>body{margin:0} button,input,h1{position:absolute;
left:100px;width:200px;height:40px;margin:0}</style>
<h1 style="top:20px">Claims</h1>
<input aria-label="Customer" style="top:100px">
<button style="top:200px" onclick="note.textContent = 'paid'">Pay</button>
<button style="top:300px" data-testid="second" class="grey">Show</button>
<button style="top:400px" class="grey">Show</button>
<p id=note style="margin-top:500px">open</p>
<table style="position:absolute;top:560px;left:100px"><tr><td>ACME<td><a href="#1">Open</a>
<tr><td>Beta<td><a href="#2">Open</a></table>"""


@pytest.fixture
def page(site: Site) -> str:
    return site.page("/shop", SHOP)


class Live:
    """A live session of a workflow."""

    def __init__(self, api: Api, *blocks: Json, **more: object) -> None:
        self.api = api
        self.workflow = api.create("Built live", *blocks)
        opened = api.call("/liveSessions/open", {"workflowId": self.workflow["id"], **more})
        self.id: str = opened["execution"]["id"]

    def run(self, **more: object) -> Json:
        return self.api.call("/liveSessions/run", {"id": self.id, **more})

    def pick(self, x: float, y: float) -> Json:
        return self.api.call("/liveSessions/pick", {"id": self.id, "x": x, "y": y})["element"]

    def close(self) -> Json:
        return self.api.call("/liveSessions/close", {"id": self.id})["execution"]


@pytest.fixture
def live(api: Api, page: str) -> Iterator[Live]:
    session = Live(
        api,
        navigate(page),
        {"type": "Mouse", "blockReferenceId": "pay", "locator": {"words": "Pay"}, "data": {}},
        extract("note", "#note"),
    )
    yield session
    if api.get(session.id)["status"] not in ("Completed", "Failed"):
        session.close()


def extract(reference: str, css: str) -> Json:
    fields = {"text": {"locator": {"css": css}}}
    return {"type": "Extract", "blockReferenceId": reference, "data": {"prompt": "it", "fields": fields}}


def test_blocks_run_in_the_browser_that_stays_open(live: Live) -> None:
    assert live.run(lastBlockId="page")["status"] == "Completed"
    before = live.run(blockId="note")
    assert before["outputs"]["note"] == {"text": "open"}
    assert live.run(blockId="pay")["status"] == "Completed"
    assert live.run(blockId="note")["outputs"]["note"] == {"text": "paid"}


def test_it_is_shown_as_a_test_with_a_live_view_and_ends_completed(live: Live) -> None:
    live.run(lastBlockId="page")
    running = live.api.get(live.id)
    assert running["isTest"] is True
    assert running["metadata"]["liveSession"] is True
    assert running["liveViewUrl"]
    assert live.close()["status"] == "Completed"


def test_running_to_a_block_begins_anew_and_stops_there(live: Live) -> None:
    live.run()
    done = live.run(lastBlockId="pay")
    assert done["status"] == "Completed"
    finished = [event for event in live.api.events(live.id) if event["type"] == "block.finished"]
    assert [item["blockReferenceId"] for item in finished] == ["page", "pay", "note", "page", "pay"]


def test_blocks_are_tried_before_they_are_saved(live: Live, page: str) -> None:
    edited = [navigate(page), extract("heading", "h1")]
    assert live.run(blocks=edited)["outputs"]["heading"] == {"text": "Claims"}
    kept = live.api.call("/workflows/get", {"id": live.workflow["id"]})["workflow"]
    assert "heading" not in [block["blockReferenceId"] for block in kept["blocks"]]


def test_a_block_in_a_loop_is_run_to_and_again_with_the_names_of_its_round(live: Live, page: str) -> None:
    inner = {
        "type": "Transform",
        "blockReferenceId": "inner",
        "data": {"input": "{{item}}", "code": "input"},
    }
    loop = {
        "type": "Loop",
        "blockReferenceId": "each",
        "data": {"over": {"items": ["a", "b"]}},
        "sequenceData": {"sequence": [inner]},
    }
    blocks = [navigate(page), loop, extract("after", "h1")]
    stopped = live.run(blocks=blocks, lastBlockId="inner")
    assert stopped["outputs"]["each"] == [{"inner": "a"}]
    assert "after" not in stopped["outputs"]
    # the same ids, as the editor sends them
    shown = live.api.create("same", *blocks)["blocks"]
    live.run(blocks=shown, lastBlockId="inner")
    assert live.run(blocks=shown, blockId="inner")["status"] == "Completed"


@pytest.mark.slow
def test_a_failed_block_says_why_and_leaves_the_session_open(live: Live) -> None:
    live.run(lastBlockId="page")
    wrong = {"type": "Mouse", "locator": {"words": "Refund"}, "data": {"timeoutMs": 500}}
    failed = live.run(blocks=[wrong])
    assert failed["status"] == "Failed"
    assert failed["failure"]["code"] == "ElementNotFound"
    assert "Refund" in failed["errorAnalysis"]
    assert live.run(blockId="pay")["status"] == "Completed"


def test_stop_interrupts_the_block_and_keeps_the_browser(live: Live) -> None:
    live.run(lastBlockId="page")
    slow = {"type": "Wait", "blockReferenceId": "slow", "data": {"durationMs": 60_000}}
    answers: list[Json] = []
    running = threading.Thread(target=lambda: answers.append(live.run(blocks=[slow])))
    running.start()
    while not any(event["blockReferenceId"] == "slow" for event in live.api.events(live.id)):
        pass
    assert live.api.call("/liveSessions/stop", {"id": live.id}) == {"stopped": True}
    running.join(30)
    assert answers[0]["status"] == "Failed"
    assert "Stopped on request" in answers[0]["failure"]["message"]
    assert live.run(blockId="pay")["status"] == "Completed"


def test_pick_offers_words_first_and_says_how_many_each_means(live: Live) -> None:
    live.run(lastBlockId="page")
    button = live.pick(150, 220)
    assert (button["role"], button["name"]) == ("button", "Pay")
    assert button["box"] == {"x": 100, "y": 200, "width": 200, "height": 40}
    assert button["locators"][0]["locator"] == {"words": "Pay button"}
    assert button["locators"][0]["matches"] == 1
    named = {"role": "button", "text": "Pay", "strict": True}
    assert named in [locator["locator"] for locator in button["locators"]]
    field = live.pick(150, 120)
    assert field["locators"][0]["locator"] == {"words": "Customer field"}


@pytest.mark.slow
def test_pick_puts_what_is_shared_behind_what_is_not_and_positions_last(live: Live) -> None:
    live.run(lastBlockId="page")
    offered = live.pick(150, 320)["locators"]
    alone: list[Json] = [item["locator"] for item in offered if item["matches"] == 1]
    assert alone[0] == {"css": 'button[data-testid="second"]', "strict": True}
    shared = [item["locator"] for item in offered if item["matches"] == 2]
    assert {"role": "button", "text": "Show", "strict": True} in shared
    assert "place on the page" in offered[-1]["reason"]
    # what it chose works in a block
    mouse = {"type": "Mouse", "locator": alone[0], "data": {}}
    assert live.run(blocks=[mouse])["status"] == "Completed"


@pytest.mark.slow
def test_pick_names_the_row_of_what_stands_in_every_row(live: Live) -> None:
    live.run(lastBlockId="page")
    at = live.api.call("/liveSessions/pick", {"id": live.id, "x": 100, "y": 600})["element"]
    assert at is not None
    for y in range(560, 620, 4):
        for x in range(100, 220, 6):
            found = live.pick(x, y)
            if found and found["role"] == "link":
                words = found["locators"][0]["locator"]["words"]
                assert words in ("Open link in the row of ACME", "Open link in the row of Beta")
                return
    raise AssertionError("no link was picked")


def test_the_browser_is_held_to_the_same_rules_as_in_any_run(live: Live) -> None:
    refused = live.run(blocks=[navigate("http://169.254.169.254/latest")])
    assert refused["failure"]["code"] == "AddressRefused"


def test_a_secret_parameter_is_in_no_answer(api: Api, page: str) -> None:
    declared = [{"name": "pin", "type": "string", "isSecret": True}]
    workflow = api.create("Secret", navigate(page), parameters=declared)
    opened = api.call(
        "/liveSessions/open", {"workflowId": workflow["id"], "params": {"pin": "squeamish-ossifrage"}}
    )
    session = opened["execution"]["id"]
    message = {"type": "Transform", "data": {"input": "{{params.pin}}", "code": "input"}}
    answer = api.post("/liveSessions/run", {"id": session, "blocks": [message]})
    assert answer.status_code == 200
    assert "squeamish" not in answer.text
    assert "squeamish" not in str(api.events(session))
    api.call("/liveSessions/close", {"id": session})


@pytest.mark.slow
def test_it_takes_over_the_params_and_the_login_of_a_failed_run(api: Api, other: Api, site: Site) -> None:
    home = site.page("/home", "<!doctype html><title>Home</title><h1>Welcome</h1><a href=/in>Sign out</a>")
    sign_in = site.page(
        "/in",
        "<!doctype html><form action=/home><input name=user aria-label='User name'>"
        "<input type=password name=pw aria-label=Password><button>Sign in</button></form>",
    )
    login = api.call(
        "/logins/create",
        {
            "name": "Claims portal",
            "authenticationUrl": sign_in,
            "homeUrl": home,
            "loginConfiguration": {"username": "ada", "password": "squeamish-ossifrage"},
        },
    )["login"]["id"]
    declared = [
        {"name": "pin", "type": "string", "isSecret": True, "isRequired": True},
        {"name": "claim", "type": "string", "isRequired": True},
    ]
    says = {"type": "Transform", "blockReferenceId": "says", "data": {"input": "{{params}}", "code": "input"}}
    checks = {"type": "FailOnCondition", "data": {"condition": "true", "message": "Not today"}}
    workflow = api.create("Claims", says, checks, parameters=declared)["id"]
    params = {"pin": "open-sesame", "claim": "C-17"}
    failed = api.call("/workflows/executeSync", {"workflowId": workflow, "params": params, "loginId": login})
    assert failed["execution"]["status"] == "Failed"

    asked = {"workflowId": workflow, "executionId": failed["execution"]["id"]}
    session = api.call("/liveSessions/open", asked)["execution"]
    ran = api.call("/liveSessions/run", {"id": session["id"], "blockId": "says"})

    assert [item["id"] for item in api.get(session["id"])["logins"]] == [login]
    assert ran["outputs"]["says"]["claim"] == "C-17"
    assert "open-sesame" not in str(ran)
    length = {
        "type": "Transform",
        "blockReferenceId": "n",
        "data": {"input": "{{params.pin}}", "code": "len(input)"},
    }
    assert api.call("/liveSessions/run", {"id": session["id"], "blocks": [length]})["outputs"]["n"] == 11
    api.call("/liveSessions/close", {"id": session["id"]})
    unrelated = api.create("Another", says)["id"]
    refused = api.post("/liveSessions/open", {**asked, "workflowId": unrelated})
    assert (refused.status_code, "`executionId`" in refused.json()["error"]) == (404, True)
    assert other.post("/liveSessions/open", asked).status_code == 404


@pytest.mark.slow
def test_what_cannot_be_done_is_refused_in_a_sentence(live: Live, other: Api, page: str) -> None:
    post = live.api.post
    both = post("/liveSessions/run", {"id": live.id, "blockId": "pay", "lastBlockId": "pay"})
    assert (both.status_code, "one of" in both.json()["error"]) == (400, True)
    unknown = post("/liveSessions/run", {"id": live.id, "blockId": "nothing"})
    assert (unknown.status_code, "`nothing`" in unknown.json()["error"]) == (404, True)
    broken = post("/liveSessions/run", {"id": live.id, "blocks": [{"type": "Click"}]})
    assert (broken.status_code, "`blocks[0].type`" in broken.json()["error"]) == (400, True)
    assert other.post("/liveSessions/run", {"id": live.id}).status_code == 404
    ordinary = live.api.run(navigate(page))
    refused = post("/liveSessions/run", {"id": ordinary["id"]})
    assert (refused.status_code, "not a live session" in refused.json()["error"]) == (409, True)
    live.close()
    ended = post("/liveSessions/run", {"id": live.id})
    assert (ended.status_code, "has ended" in ended.json()["error"]) == (409, True)


@pytest.mark.slow
def test_a_key_that_may_only_run_cannot_bring_blocks_of_its_own(
    service: RunningService, live: Live, page: str
) -> None:
    runner = service.api(add_key(service, "default", scopes=["read", "run"]))
    answer = runner.post("/liveSessions/run", {"id": live.id, "blocks": [navigate(page)]})
    assert (answer.status_code, "`edit`" in answer.json()["error"]) == (403, True)
    assert runner.post("/liveSessions/run", {"id": live.id}).status_code == 200


@pytest.mark.slow
def test_it_ends_by_itself_when_nobody_uses_it_and_with_the_service(tmp_path: Path, page: str) -> None:
    running = RunningService(tmp_path / "data", PAGEHAND_LIVE_SESSION_IDLE_SECONDS="1").start()
    try:
        session = Live(running.api(), navigate(page))
        ended = session.api.wait_for(session.id, "Completed", "Failed", seconds=60)
        assert ended["status"] == "Completed"
        assert "ended by itself" in ended["summary"]
    finally:
        running.stop()


@pytest.mark.slow
def test_a_crash_ends_it_and_it_does_not_begin_again(tmp_path: Path, page: str) -> None:
    running = RunningService(tmp_path / "data").start()
    try:
        session = Live(running.api(), navigate(page))
        session.run()
        running.kill()
        running.start()
        ended = running.api().wait_for(session.id, "Failed", "Completed", seconds=60)
        assert ended["status"] == "Failed"
        assert "open a new one" in ended["errorAnalysis"]
    finally:
        running.stop()
