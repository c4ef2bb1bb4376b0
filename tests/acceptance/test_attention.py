"""What waits for a person is listed until somebody answers, whoever asks."""

from collections.abc import Iterator

import pytest

from support.blocks import navigate, wait
from support.database import add_key
from support.portal import PASSWORD, RIGHT_CODE, Portal, PortalWithCode
from support.service import FINAL, Api, Json, RunningService
from support.site import Site
from support.waiting import wait_until
from support.webservice import Reply, WebService


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("attention")
    running = RunningService(folder / "data", PAGEHAND_HEAL_AFTER_SECONDS="0.5").start()
    yield running
    running.stop()


@pytest.fixture
def api(service: RunningService, request: pytest.FixtureRequest) -> Api:
    """A caller of an organization that nothing waits in."""
    return service.api(add_key(service, request.node.name[:60]))


def make_login(api: Api, portal: Portal, password: str = PASSWORD) -> str:
    configuration = {
        "username": "ada",
        "password": password,
        "twoFactorAuthConfiguration": {"method": "SMS"},
    }
    pages = {"authenticationUrl": f"{portal.url}/in", "homeUrl": f"{portal.url}/home"}
    fields = {"name": "Portal", **pages, "loginConfiguration": configuration}
    return api.call("/logins/create", fields)["login"]["id"]


def listed(api: Api) -> list[Json]:
    answer = api.call("/attention/list")
    assert answer["total"] == len(answer["items"])
    return answer["items"]


def test_nothing_waits_in_a_new_organization(api: Api) -> None:
    assert listed(api) == []


@pytest.mark.slow
def test_a_code_waits_until_it_is_handed_in(api: Api, guarded: PortalWithCode) -> None:
    login = make_login(api, guarded)
    workflow = api.create("signs in", wait(10))
    execution = api.start(workflow["id"], loginId=login)["id"]
    paused = api.wait_for(execution, "Paused", *FINAL)
    assert [authentication["status"] for authentication in paused["authentications"]] == ["WaitingForCode"]
    [item] = listed(api)
    assert (item["kind"], item["execution"]["id"]) == ("code", execution)
    assert item["login"] == {"id": login, "name": "Portal"}
    assert item["workflow"]["name"] == "signs in"
    assert "/live?t=" in item["liveViewUrl"]
    shown = api.get(execution)["waiting"]
    assert (shown["kind"], shown["reason"]) == ("code", item["reason"])
    answer = api.post(
        "/authentication/submitTwoFactorAuthCode", {"code": RIGHT_CODE, "executionId": execution}
    )
    assert answer.json()["success"] is True
    assert api.wait_for(execution, *FINAL)["status"] == "Completed"
    assert listed(api) == []
    assert "waiting" not in api.get(execution)


def test_a_doubt_waits_for_a_yes_or_no(api: Api, partner: WebService) -> None:
    partner.answers["/pay"] = Reply(drops=True)
    data = {"route": f"{partner.url}/pay", "method": "POST", "isCommit": True, "onDoubt": "pause"}
    flow = api.create("pay", {"type": "API", "data": data})
    first, second = api.start(flow["id"])["id"], api.start(flow["id"])["id"]
    wait_until(lambda: len(listed(api)) == 2)
    assert {item["kind"] for item in listed(api)} == {"approval"}
    assert "Whether the effect happened is unknown" in listed(api)[0]["reason"]
    api.call("/executions/resume", {"id": first})
    api.call("/executions/cancel", {"id": second})
    wait_until(lambda: listed(api) == [])


def test_a_pause_on_request_waits_for_its_end(api: Api) -> None:
    execution = api.start(api.create("naps", wait(60_000))["id"])["id"]
    api.wait_for(execution, "InProgress")
    api.call("/executions/pause", {"id": execution})
    api.wait_for(execution, "Paused")
    [item] = listed(api)
    assert (item["kind"], item["reason"]) == ("request", "Paused on request")
    [row] = api.call("/executions/list")["executions"]
    assert row["waiting"]["reason"] == "Paused on request"
    api.call("/executions/cancel", {"id": execution})
    wait_until(lambda: listed(api) == [])


def test_a_refused_login_waits_until_it_is_changed_or_released(api: Api, guarded: PortalWithCode) -> None:
    login = make_login(api, guarded, password="not the password")
    assert api.call("/logins/test", {"id": login})["test"]["success"] is False
    [item] = listed(api)
    assert (item["kind"], item["login"]["id"]) == ("login", login)
    assert "No run tries it again" in item["reason"]
    assert "not the password" not in str(item)
    api.call("/logins/update", {"id": login, "loginConfiguration": {"password": PASSWORD}})
    assert listed(api) == []


@pytest.mark.slow
def test_a_login_that_failed_three_times_waits(api: Api, guarded: PortalWithCode) -> None:
    guarded.routes["/in"] = lambda _: "<h1>We are moving house</h1>"
    login = make_login(api, guarded)
    for times in range(3):
        assert len(listed(api)) == 0, f"after {times} failures"
        api.call("/logins/test", {"id": login})
    [item] = listed(api)
    assert item["reason"].startswith("It failed 3 times in a row: ")
    assert api.call("/logins/get", {"id": login})["login"]["health"]["failures"] == 3
    api.call("/logins/release", {"id": login})
    assert listed(api) == []


FIRST = """<h1>Invoice 7</h1><label for=note>Note</label><input id=note>
<button id=save type=button onclick="said.textContent = 'kept'">Keep note</button><output id=said></output>"""
SECOND = FIRST.replace("id=save", "id=x41")


def healed(api: Api, site: Site, path: str = "/") -> tuple[str, str]:
    """A workflow whose page has changed, and the run that found its button again."""
    press = {"type": "Mouse", "locator": {"css": "#save"}, "data": {"timeoutMs": 4000}}
    workflow = api.create("heal", navigate(site.page(path, FIRST)), press)["id"]
    api.call("/workflows/executeSync", {"workflowId": workflow})
    site.page(path, SECOND)
    done = api.call("/workflows/executeSync", {"workflowId": workflow})["execution"]
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert done["metadata"]["proposedOperations"]
    return workflow, done["id"]


@pytest.mark.slow
def test_a_proposal_waits_until_it_is_applied_and_is_applied_once(api: Api, site: Site) -> None:
    workflow, execution = healed(api, site)
    [item] = listed(api)
    assert (item["kind"], item["execution"]["id"]) == ("proposal", execution)
    proposal = api.call("/executions/getProposal", {"id": execution})["proposal"]
    assert (proposal["state"], proposal["version"]) == ("open", 1)
    assert proposal["before"][1]["locator"] == {"css": "#save"}
    assert proposal["after"][1]["locator"] == {"role": "button", "text": "Keep note"}
    first = api.call("/executions/applyProposal", {"id": execution})
    repeated = api.call("/executions/applyProposal", {"id": execution})
    assert (first["version"], repeated["version"]) == (2, 2)
    assert first["blocks"] == repeated["blocks"] == proposal["after"]
    assert api.call("/workflows/get", {"id": workflow})["workflow"]["version"] == 2
    assert listed(api) == []
    assert api.call("/executions/getProposal", {"id": execution})["proposal"]["state"] == "applied"


@pytest.mark.slow
def test_a_proposal_for_a_workflow_that_has_changed_is_refused(api: Api, site: Site) -> None:
    workflow, execution = healed(api, site)
    change = {"type": "create", "block": wait(5), "target": {"type": "end"}}
    api.call("/workflows/blocks/update", {"workflowId": workflow, "operations": [change]})
    assert listed(api) == []
    refused = api.post("/executions/applyProposal", {"id": execution})
    assert refused.status_code == 409
    assert "version 1" in refused.json()["error"]
    assert "version 2" in refused.json()["error"]
    assert api.call("/executions/getProposal", {"id": execution})["proposal"]["state"] == "outdated"
    assert api.call("/workflows/get", {"id": workflow})["workflow"]["version"] == 2


@pytest.mark.slow
def test_a_declined_proposal_waits_no_more(api: Api, site: Site) -> None:
    workflow, execution = healed(api, site)
    assert api.call("/executions/declineProposal", {"id": execution}) == {"state": "declined"}
    assert listed(api) == []
    assert api.call("/workflows/get", {"id": workflow})["workflow"]["version"] == 1


@pytest.mark.slow
def test_another_organization_sees_and_settles_nothing_of_it(
    service: RunningService, api: Api, site: Site
) -> None:
    _, execution = healed(api, site)
    stranger = service.api(add_key(service, "strangers"))
    assert listed(stranger) == []
    for name in ("getProposal", "applyProposal", "declineProposal", "evidence"):
        assert stranger.post(f"/executions/{name}", {"id": execution}).status_code == 404, name


@pytest.mark.slow
def test_whoever_may_only_read_sees_proposals_and_applies_none(service: RunningService, site: Site) -> None:
    owner = service.api(add_key(service, "readers"))
    reader = service.api(add_key(service, "readers", scopes=["read"]))
    _, execution = healed(owner, site)
    assert len(listed(reader)) == 1
    assert reader.post("/executions/applyProposal", {"id": execution}).status_code == 403
    assert reader.post("/executions/declineProposal", {"id": execution}).status_code == 403
