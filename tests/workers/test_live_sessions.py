"""The editor's live session: its browser is at a worker, what is asked of it comes through any node."""

import threading
import time

from support.blocks import navigate, value, wait
from support.live_viewer import LiveViewClient
from support.service import FINAL, Api, Json, RunningService
from support.site import Site
from support.waiting import wait_until
from support.workers import Fleet

SHOP = """<!doctype html><title>Shop</title><style>body{margin:0} button{position:absolute;
left:100px;width:200px;height:40px;margin:0}</style>
<button style="top:200px" onclick="note.textContent = 'paid'">Pay</button>
<p id=note style="margin-top:500px">open</p>"""
PAY = {"type": "Mouse", "blockReferenceId": "pay", "locator": {"words": "Pay"}, "data": {}}
NOTE = {
    "type": "Extract",
    "blockReferenceId": "note",
    "data": {"prompt": "it", "fields": {"text": {"locator": {"css": "#note"}}}},
}


def opened(api: Api, *blocks: Json) -> str:
    workflow = api.create("Built live", *blocks)
    execution = api.call("/liveSessions/open", {"workflowId": workflow["id"]})["execution"]
    assert execution["liveViewUrl"], execution
    return execution["id"]


def run(api: Api, session: str, **more: object) -> Json:
    return api.call("/liveSessions/run", {"id": session, **more})


def test_blocks_run_at_a_worker_and_are_asked_for_through_any_node(fleet: Fleet, site: Site) -> None:
    first, second = fleet.node(), fleet.node()
    fleet.worker()
    page = site.page("/shop", SHOP)
    session = opened(first.api(), navigate(page), PAY, NOTE)
    api = second.api()
    shown = api.get(session)
    assert (shown["isTest"], shown["metadata"]["liveSession"]) == (True, True)
    assert run(api, session, lastBlockId="page")["status"] == "Completed"
    assert run(first.api(), session, blockId="note")["outputs"]["note"] == {"text": "open"}
    first.kill()  # nothing of the session was in it
    assert run(api, session, blockId="pay")["status"] == "Completed"
    assert run(api, session, blockId="note")["outputs"]["note"] == {"text": "paid"}
    failed = run(api, session, blocks=[{**PAY, "locator": {"words": "Refund"}, "data": {"timeoutMs": 500}}])
    assert failed["failure"]["code"] == "ElementNotFound"
    picked = api.call("/liveSessions/pick", {"id": session, "x": 150, "y": 220})["element"]
    assert (picked["role"], picked["locators"][0]["locator"]) == ("button", {"words": "Pay button"})
    assert picked["box"] == {"x": 100, "y": 200, "width": 200, "height": 40}
    assert api.call("/liveSessions/pick", {"id": session, "x": 5000, "y": 5000})["element"] is None
    read = api.call("/liveSessions/read", {"id": session, "x": 10, "y": 505})["block"]
    assert read["type"] == "Extract"
    assert api.call("/liveSessions/close", {"id": session})["execution"]["status"] == "Completed"
    over = api.post("/liveSessions/run", {"id": session})
    assert (over.status_code, "has ended" in over.json()["error"]) == (409, True)


def test_what_a_person_does_is_recorded_through_nodes(fleet: Fleet, site: Site) -> None:
    watched, asked = fleet.node(), fleet.node()
    fleet.worker()
    api = asked.api()
    session = opened(api, navigate(site.page("/shop", SHOP)))
    run(api, session)
    person = LiveViewClient(watched.api().get(session)["liveViewUrl"])
    person.picture()
    assert api.call("/liveSessions/record", {"id": session, "isOn": True, "withAddress": True}) == {
        "isOn": True
    }
    person.send(type="take")
    while (message := person.next_message())["type"] != "state" or message["driver"] != "you":
        pass
    for kind in ("down", "up"):
        person.send(type="mouse", kind=kind, x=150, y=220, button="left", buttons=1, clicks=1)
    known: dict[int, Json] = {}
    revision = 0
    end = time.monotonic() + 60
    while len(known) < 2 and time.monotonic() < end:
        for block in api.call("/liveSessions/recorded", {"id": session, "after": revision})["blocks"]:
            known[block["number"]] = block["block"]
            revision = max(revision, block["revision"])
    assert [block["type"] for _, block in sorted(known.items())] == ["Navigate", "Mouse"]
    assert api.call("/liveSessions/record", {"id": session, "isOn": False}) == {"isOn": False}
    person.leave()


def test_stop_interrupts_the_blocks_of_another_process(fleet: Fleet, site: Site) -> None:
    first, second = fleet.node().api(), fleet.node().api()
    fleet.worker()
    session = opened(first, navigate(site.page("/shop", SHOP)))
    answers: list[Json] = []
    slow = threading.Thread(
        target=lambda: answers.append(run(first, session, blocks=[wait(600_000, "slow")]))
    )
    slow.start()
    wait_until(lambda: any(event["blockReferenceId"] == "slow" for event in second.events(session)))
    assert second.call("/liveSessions/stop", {"id": session}) == {"stopped": True}
    slow.join(60)
    assert "Stopped on request" in answers[0]["failure"]["message"]
    assert run(second, session, blocks=[value("v", 7)])["outputs"]["v"] == 7
    assert second.call("/liveSessions/stop", {"id": session}) == {"stopped": False}


def test_a_session_whose_worker_is_killed_ends_with_a_sentence(fleet: Fleet, site: Site) -> None:
    api = fleet.node().api()
    worker = fleet.worker()
    session = opened(api, navigate(site.page("/shop", SHOP)))
    fleet.worker()
    answers: list[Json] = []
    asked = {"id": session, "blocks": [wait(600_000, "slow")]}
    waiting = threading.Thread(target=lambda: answers.append(api.post("/liveSessions/run", asked).json()))
    waiting.start()
    wait_until(lambda: any(event["blockReferenceId"] == "slow" for event in api.events(session)))
    worker.kill()
    ended = api.wait_for(session, *FINAL)
    assert (ended["status"], ended["failure"]["code"]) == ("Failed", "WorkerLost")
    assert "open a new one" in ended["errorAnalysis"]
    waiting.join(60)
    assert "worker was lost" in answers[0]["error"]
    second = opened(api, navigate(site.page("/shop", SHOP)))
    assert run(api, second)["status"] == "Completed"


def test_one_that_waits_for_a_slot_says_so_and_begins_when_there_is_one(fleet: Fleet, site: Site) -> None:
    fleet.env["PAGEHAND_CONCURRENCY"] = "1"
    api = fleet.node().api()
    fleet.worker()
    page = site.page("/shop", SHOP)
    busy = api.start(api.create("Busy", navigate(page), wait(20_000))["id"])["id"]
    api.wait_for(busy, "InProgress")
    workflow = api.create("Second", navigate(page))
    second = api.call("/liveSessions/open", {"workflowId": workflow["id"]})["execution"]
    assert (second["status"], second["liveViewUrl"]) == ("Enqueued", None)
    answer = api.post("/liveSessions/run", {"id": second["id"]})
    while answer.status_code == 429:
        assert "free browser" in answer.json()["error"]
        answer = api.post("/liveSessions/run", {"id": second["id"]})
    assert answer.json()["status"] == "Completed", answer.text
    assert api.get(busy)["status"] == "Completed"


def test_a_serve_that_works_beside_others_has_sessions_too(fleet: Fleet, site: Site) -> None:
    node = fleet.node()
    works = RunningService(
        fleet.folder / "both", "--database", fleet.database, **fleet.env, PAGEHAND_ENGINE="postgres"
    )
    fleet.nodes.append(works)
    works.start()
    session = opened(works.api(), navigate(site.page("/shop", SHOP)), PAY)
    assert run(works.api(), session)["status"] == "Completed"
    assert run(node.api(), session, blockId="pay")["status"] == "Completed"
    assert node.api().call("/liveSessions/close", {"id": session})["execution"]["status"] == "Completed"
