"""`/executions/…` over rows in every state: filters, pages, large params, events, links, and evidence."""

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from pagehand.api.live_view.links import LIVE_VIEW, LiveViewLinks
from pagehand.clock import now_ms, to_iso
from pagehand.files import UrlSigner
from pagehand.ids import new_id
from pagehand.records import (
    Authentication,
    AuthenticationStatus,
    Cancellation,
    Event,
    Execution,
    ExecutionFailure,
    FileInfo,
    Json,
    Status,
    Waiting,
)

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio


async def list_ids(api: "Api", **wanted: Any) -> list[str]:
    answer = await api.post("/executions/list", wanted)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["total"] == len(body["executions"])
    return [item["id"] for item in body["executions"]]


async def refusal_of(api: "Api", **wanted: Any) -> str:
    answer = await api.post("/executions/list", wanted)
    assert answer.status_code == 400, answer.text
    return answer.json()["error"]


async def test_each_filter_leaves_what_fits_and_filters_are_combined(api: "Api") -> None:
    tagged = await api.create_workflow("Tagged", tags=["red", "blue"])
    ended = await api.add_ended(workflow_id=tagged["id"], login_id="login_1", name="Row ÄPFEL")
    two = await api.add_running(batch_id="batch_1", is_test=True, params={"Ключ": {"deep": ["Straße"]}})
    three = await api.add_execution(workflow_id=tagged["id"], login_id="login_1")
    assert await list_ids(api) == [three.id, two.id, ended.id]
    assert await list_ids(api, status="Completed") == [ended.id]
    assert await list_ids(api, loginId="login_1") == [three.id, ended.id]
    assert await list_ids(api, loginId="login_1", status="Enqueued") == [three.id]
    assert await list_ids(api, batch="batch_1") == [two.id]
    assert await list_ids(api, isTest=True) == [two.id]
    assert await list_ids(api, isTest=False) == [three.id, ended.id]
    assert await list_ids(api, workflowId=tagged["id"], isTest=True) == []
    assert await list_ids(api, workflowName="Tagged") == [three.id, ended.id]
    assert await list_ids(api, tagFilters=["red", tagged["tags"][0]["id"], "red"]) == [three.id, ended.id]
    assert await list_ids(api, search=["äpfel"]) == [ended.id]
    assert await list_ids(api, search=["STRASSE", "nothing"]) == [two.id]
    assert await list_ids(api, search=["ключ"]) == [two.id]
    assert await list_ids(api, search=[two.id[5:12], "äpfel"], status="Completed") == [ended.id]


@pytest.mark.parametrize(
    "wanted",
    [
        {"loginId": "login_none"},
        {"batch": "batch_none"},
        {"workflowId": "wf_none2"},
        {"workflowName": "nobody"},
        {"tagFilters": ["tag_none"]},
        {"search": ["%"]},
        {"search": ["_____"]},
    ],
)
async def test_filter_by_what_does_not_exist_matches_nothing(api: "Api", wanted: dict[str, Any]) -> None:
    await api.add_execution()
    assert await list_ids(api, **wanted) == []


@pytest.mark.parametrize(
    ("wanted", "word"),
    [
        ({"tagFilters": ["nobody has it"]}, "nobody has it"),
        ({"status": "completed"}, "`Completed`"),
        ({"statuses": ["Failed"]}, "`status`"),
        ({"fromTs": "yesterday"}, "fromTs"),
        ({"toTs": "2026-13-01T00:00:00Z"}, "toTs"),
        ({"cursor": "@@"}, "cursor"),
        ({"cursor": "ZXhlY19ub25l"}, "cursor"),
        ({"search": ["x"] * 51}, "search"),
        ({"search": ["x" * 201]}, "search"),
        ({"search": "x"}, "search"),
        ({"limit": 0}, "limit"),
        ({"limit": 1001}, "limit"),
        ({"offset": -1}, "offset"),
        ({"page": 2}, "`offset`"),
        ({"since": "2026-01-01"}, "`fromTs`"),
    ],
)
async def test_filter_that_does_not_fit_is_refused(api: "Api", wanted: dict[str, Any], word: str) -> None:
    assert word in await refusal_of(api, **wanted)


async def test_moments_are_inclusive_on_both_ends(api: "Api") -> None:
    at = 1_790_000_000_000
    made = await api.add_execution(start_time=at, accepted_at=at)
    assert await list_ids(api, fromTs=to_iso(at), toTs=to_iso(at)) == [made.id]
    assert await list_ids(api, fromTs=to_iso(at + 1)) == []
    assert await list_ids(api, toTs=to_iso(at - 1)) == []


async def test_pages_by_cursor_and_by_offset_are_the_same_and_end(api: "Api") -> None:
    now = now_ms()
    # accepted within one millisecond: nothing but the order of acceptance tells them apart
    made = [await api.add_execution(accepted_at=now, start_time=now) for _ in range(5)]
    newest_first = [execution.id for execution in reversed(made)]
    seen: list[str] = []
    cursor: str | None = None
    for offset in (0, 2, 4):
        by_cursor = (await api.post("/executions/list", {"limit": 2, "cursor": cursor})).json()
        by_offset = (await api.post("/executions/list", {"limit": 2, "offset": offset})).json()
        assert by_cursor["executions"] == by_offset["executions"]
        assert (by_cursor["total"], by_offset["total"]) == (5, 5)
        seen += [item["id"] for item in by_cursor["executions"]]
        cursor = by_cursor["nextCursor"]
    assert (seen, cursor) == (newest_first, None)


async def test_cursor_of_another_organization_is_refused(api: "Api") -> None:
    for _ in range(2):
        await api.add_execution()
    cursor = (await api.post("/executions/list", {"limit": 1})).json()["nextCursor"]
    answer = await api.post("/executions/list", {"cursor": cursor}, x_api_key=await api.create_key("other"))
    assert answer.status_code == 400


async def test_large_params_are_whole_in_a_list_and_cut_in_their_short_form(api: "Api") -> None:
    large = {"text": "x" * 40_000}
    small = await api.add_execution(params={"n": 1})
    big = await api.add_execution(params=large)
    body = (await api.post("/executions/list")).json()
    assert [item["id"] for item in body["executions"]] == [big.id, small.id]
    assert body["executions"][0]["params"] == large
    assert len(body["executions"][0]["truncatedParams"]) == 1001
    assert body["executions"][1]["params"] == {"n": 1}
    assert (body["total"], body["nextCursor"]) == (2, None)


async def test_finished_item_shows_its_end_and_why_it_failed(api: "Api") -> None:
    cancelled = Cancellation(by="API key `ops`", at=to_iso(5))
    failure = ExecutionFailure(code="Cancelled", message="Stopped", cancelled=cancelled)
    await api.add_ended({"status": Status.FAILED, "failure": failure})
    await api.add_ended()
    done, failed = (await api.post("/executions/list")).json()["executions"]
    assert (done["failure"], done["durationMs"]) == (None, 1000)
    assert failed["endTime"] > failed["startTime"]
    assert failed["failure"]["code"] == "Cancelled"
    assert failed["failure"]["cancelled"] == {"by": "API key `ops`", "at": to_iso(5)}


async def test_waiting_is_shown_only_while_it_waits(api: "Api") -> None:
    waiting = Waiting(kind="code", reason="A code is needed", since=to_iso(7))
    held = await api.add_running({"status": Status.PAUSED, "waiting": waiting})
    await api.add_execution()
    fresh, shown = (await api.post("/executions/list")).json()["executions"]
    assert "waiting" not in fresh
    assert shown["waiting"] == {"kind": "code", "reason": "A code is needed", "since": to_iso(7)}
    got = (await api.post("/executions/get", {"id": held.id})).json()["execution"]
    assert got["waiting"] == shown["waiting"]


FIELD_HINTS = UrlSigner(b"0" * 32, "http://10.1.2.3:8710", 900)
"""The signer of a worker on another machine: the same secret, another address."""


async def add_with_browser(api: "Api", signer: UrlSigner, **fields: Any) -> Execution:
    """An execution with a browser, whose links were made by `signer`."""
    made = await api.add_execution(**fields)
    link = LiveViewLinks(signer)(made)
    claimed = await api.services.stores.executions.claim(made.id, at=made.start_time)
    assert claimed is not None
    sign_in = Authentication(
        browser_session_id="bs", status=AuthenticationStatus.WAITING_FOR_CODE, live_view_url=link
    )
    values: Json = {"live_view_url": link, "session_id": "s", "authentications": [sign_in]}
    assert await api.services.stores.executions.update(made.id, claimed.fence, **values)
    return claimed


def mode_of_link(api: "Api", url: str) -> str:
    """What the holder of a link may do."""
    assert url.startswith("http://127.0.0.1:8700/live?t=")
    signed = api.services.signer.open(url.partition("?t=")[2])
    assert signed.kind == LIVE_VIEW
    return signed.mode


@pytest.mark.parametrize(
    ("scopes", "mode"), [(["read"], "view"), (["read", "run"], "control"), (["*"], "control")]
)
async def test_live_view_link_lets_drive_only_keys_that_may_run(
    api: "Api", scopes: list[str], mode: str
) -> None:
    key = await api.create_key("default", scopes)
    made = await add_with_browser(api, api.services.signer)
    got = (await api.post("/executions/get", {"id": made.id}, x_api_key=key)).json()["execution"]
    assert mode_of_link(api, got["liveViewUrl"]) == mode
    assert mode_of_link(api, got["authentications"][0]["liveViewUrl"]) == mode
    [item] = (await api.post("/executions/list", x_api_key=key)).json()["executions"]
    assert mode_of_link(api, item["authentications"][0]["liveViewUrl"]) == mode
    [session] = (await api.post("/browserSessions/list", x_api_key=key)).json()["browserSessions"]
    assert mode_of_link(api, session["liveViewUrl"]) == mode


async def test_links_lead_through_the_process_that_answers(api: "Api") -> None:
    made = await add_with_browser(api, FIELD_HINTS)
    for path in ("get", "pause", "resume"):
        answer = await api.post(f"/executions/{path}", {"id": made.id})
        if answer.status_code == 200:
            shown = answer.json()["execution"]
            assert mode_of_link(api, shown["liveViewUrl"]) == "control", path
            assert mode_of_link(api, shown["authentications"][0]["liveViewUrl"]) == "control", path
    kept = await api.services.stores.executions.find_in_any_organization(made.id)
    assert kept is not None
    # what the run has written down stays: its own process is where the browser is
    assert (kept.live_view_url or "").startswith("http://10.1.2.3:8710/live")


async def test_repeated_call_shows_links_of_the_process_that_answers(api: "Api") -> None:
    workflow = await api.create_workflow()
    body = {"workflowId": workflow["id"]}
    first = await api.post("/workflows/execute", body, idempotency_key="k")
    execution_id = first.json()["execution"]["id"]
    stored = await api.services.stores.executions.find_in_any_organization(execution_id)
    assert stored is not None
    await api.engine.wait(stored)
    repeated = await api.post("/workflows/execute", body, idempotency_key="k")
    assert repeated.json()["execution"]["id"] == execution_id
    assert repeated.json()["execution"]["liveViewUrl"] is None


async def test_ended_execution_has_no_live_view_any_more(api: "Api") -> None:
    made = await add_with_browser(api, api.services.signer)
    await api.finish(made, {"status": Status.FAILED})
    got = (await api.post("/executions/get", {"id": made.id})).json()["execution"]
    assert (got["liveViewUrl"], got["authentications"][0]["liveViewUrl"]) == (None, "")
    assert (await api.post("/browserSessions/list")).json() == {"browserSessions": [], "total": 0}


@pytest.mark.parametrize("path", ["get", "retry", "cancel", "pause", "resume", "events", "evidence"])
async def test_unknown_execution_is_not_found_and_another_organizations_is_the_same(
    api: "Api", path: str
) -> None:
    made = await api.add_ended()
    theirs = await api.post(f"/executions/{path}", {"id": made.id}, x_api_key=await api.create_key("other"))
    nobody = await api.post(
        f"/executions/{path}", {"id": "exec_none"}, x_api_key=await api.create_key("other")
    )
    assert theirs.status_code == 404
    assert theirs.json()["error"].replace(made.id, "exec_none") == nobody.json()["error"]


@pytest.mark.parametrize("path", ["retry"])
@pytest.mark.parametrize("status", ["Enqueued", "InProgress", "Paused"])
async def test_only_an_ended_execution_is_retried(api: "Api", path: str, status: str) -> None:
    made = await (
        api.add_execution() if status == "Enqueued" else api.add_running({"status": Status(status)})
    )
    answer = await api.post(f"/executions/{path}", {"id": made.id})
    assert (answer.status_code, status in answer.json()["error"]) == (409, True)


@pytest.mark.parametrize("path", ["pause", "resume", "cancel"])
async def test_ended_execution_is_neither_held_nor_ended_again(api: "Api", path: str) -> None:
    made = await api.add_ended()
    answer = await api.post(f"/executions/{path}", {"id": made.id})
    assert answer.status_code == 409
    assert "Completed" in answer.json()["error"]


async def test_events_are_oldest_first_in_pages_with_pictures(api: "Api") -> None:
    made = await api.add_running()
    events = [
        Event(
            execution_id=made.id,
            seq=seq,
            at=1000 + seq,
            type="block.finished",
            message=f"Step {seq}",
            data={"seq": seq},
            screenshot_key=f"{made.organization_id}/{made.id}/p{seq}" if seq == 2 else None,
        )
        for seq in (1, 2, 3)
    ]
    await api.services.stores.events.add(events)
    page = (await api.post("/executions/events", {"id": made.id, "limit": 2, "offset": 1})).json()
    assert ([event["seq"] for event in page["events"]], page["total"]) == ([2, 3], 3)
    assert page["events"][0]["screenshotUrl"].startswith("http://127.0.0.1:8700/files/download?t=")
    assert page["events"][1]["screenshotUrl"] is None
    assert page["events"][1]["data"] == {"seq": 3}
    beyond = (await api.post("/executions/events", {"id": made.id, "offset": 3})).json()
    assert beyond == {"events": [], "total": 3}


async def test_evidence_holds_everything_and_no_link_that_lets_its_holder_in(api: "Api") -> None:
    workflow = await api.create_workflow("Claims")
    made = await add_with_browser(api, api.services.signer, workflow_id=workflow["id"])
    key = f"{made.organization_id}/{made.id}/picture"
    await api.services.files.put(key, b"JPEG")
    event = Event(execution_id=made.id, seq=1, at=1, type="block.finished", message="m", screenshot_key=key)
    await api.services.stores.events.add([event])
    info = FileInfo(
        id=new_id("file"),
        organization_id=made.organization_id,
        execution_id=made.id,
        name="..\\..\\evil name?.pdf",
        mime_type="application/pdf",
        size_bytes=3,
        key=f"{made.organization_id}/{made.id}/{new_id('file')}",
        created_at=now_ms(),
    )
    await api.services.stores.files.add(info)
    await api.services.files.put(info.key, b"PDF")
    answer = await api.post("/executions/evidence", {"id": made.id})
    assert f"evidence-{made.id}.zip" in answer.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        content = {name: archive.read(name) for name in archive.namelist()}
    assert sorted(content) == sorted(
        [
            "execution.json",
            "workflow.json",
            "events.json",
            "pictures/00001.jpg",
            "files/001-evil name_.pdf",
        ]
    )
    assert content["pictures/00001.jpg"] == b"JPEG"
    assert json.loads(content["execution.json"])["id"] == made.id
    assert json.loads(content["workflow.json"])["name"] == "Claims"
    assert json.loads(content["events.json"])[0]["picture"] == "pictures/00001.jpg"
    assert b"?t=" not in b"".join(content.values())


async def test_evidence_of_a_workflow_that_was_never_stored_is_still_whole(api: "Api") -> None:
    made = await api.add_ended()
    answer = await api.post("/executions/evidence", {"id": made.id})
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert json.loads(archive.read("workflow.json")) is None
        assert json.loads(archive.read("events.json")) == []
