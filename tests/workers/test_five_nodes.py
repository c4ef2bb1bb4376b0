"""One execution, six processes: every request about it is answered by another API node than the last."""

from concurrent.futures import ThreadPoolExecutor

from support.blocks import navigate, wait
from support.live_viewer import LiveViewClient
from support.portal import PASSWORD, RIGHT_CODE, PortalWithCode
from support.receiver import wait_until
from support.service import FINAL
from support.site import Site
from support.workers import Fleet

PAGE = """<!doctype html><style>body{margin:0}
button{position:absolute;top:100px;left:100px;width:200px;height:60px}</style>
<button onclick="fetch('/pressed', {method: 'POST'})">Press</button>"""


def test_one_execution_is_accepted_answered_driven_and_cancelled_at_five_nodes(
    fleet: Fleet, site: Site, guarded: PortalWithCode
) -> None:
    accepts, takes_code, shows, cancels, tells = [fleet.node() for _ in range(5)]
    worker = fleet.worker()
    fields = {
        "name": "Portal",
        "authenticationUrl": f"{guarded.url}/in",
        "homeUrl": f"{guarded.url}/home",
        "loginConfiguration": {
            "username": "ada",
            "password": PASSWORD,
            "twoFactorAuthConfiguration": {"method": "SMS"},
        },
    }
    login = tells.api().call("/logins/create", fields)["login"]["id"]
    page = site.page("/", PAGE)
    site.page("/pressed", "")
    workflow = tells.api().create("Everywhere", navigate(page), wait(600_000))["id"]
    with ThreadPoolExecutor(1) as pool:
        asked = {"workflowId": workflow, "loginId": login}
        answer = pool.submit(accepts.api().call, "/workflows/executeSync", asked)
        api = tells.api()
        wait_until(lambda: bool(api.call("/executions/list")["executions"]))
        execution: str = api.call("/executions/list")["executions"][0]["id"]
        waiting = api.wait_for(execution, "Paused", *FINAL)
        assert waiting["authentications"][-1]["status"] == "WaitingForCode", waiting

        code = {"code": RIGHT_CODE}  # the only one that waits, by what the database says
        verdict = takes_code.api().post("/authentication/submitTwoFactorAuthCode", code).json()
        assert (verdict["success"], verdict["data"]["executionId"]) == (True, execution), verdict

        wait_until(lambda: "/" in site.hits)
        link = shows.api().get(execution)["liveViewUrl"]
        assert link.startswith(shows.url)
        person = LiveViewClient(link)
        assert person.picture().startswith(b"\xff\xd8")
        person.send(type="take")
        assert api.wait_for(execution, "Paused", *FINAL)["waiting"]["kind"] == "driving"
        for kind in ("down", "up"):
            person.send(type="mouse", kind=kind, x=200, y=130, button="left", buttons=1, clicks=1)
        wait_until(lambda: "/pressed" in site.hits)
        person.send(type="give back")
        api.wait_for(execution, "InProgress")

        cancels.api().call("/executions/cancel", {"id": execution})
        ended = answer.result(60)["execution"]
        while (message := person.next_message())["type"] != "ended":
            pass
        assert message["isFinal"] is True
        person.leave()
    assert (ended["id"], ended["status"], ended["failure"]["code"]) == (execution, "Failed", "Cancelled")
    assert execution in worker.log.read_text()
    message = [event["type"] for event in api.events(execution)]
    assert [kind for kind in message if kind.startswith("person.")] == ["person.drives", "person.gave_back"]
    assert "execution.cancelled" in message
