"""A site that is down and comes back: the login says how long to wait and how often to try."""

from datetime import datetime
from typing import Any

import pytest

from support.blocks import navigate, value
from support.service import FINAL, Api, free_port
from support.waiting import wait_until
from support.webservice import Reply, WebService, web_service

Json = dict[str, Any]
DELAY_MINUTES = 0.05
DELAY_SECONDS = 60 * DELAY_MINUTES
FORM = """<!doctype html><form method=post action=/in>
<input name=user><input type=password name=pw><button>Go</button></form>"""
HOME = "<!doctype html><h1>Welcome</h1><a href=/logout>Sign out</a>"
DOWN = Reply(b"busy", 503)


def html(body: str) -> Reply:
    return Reply(body.encode(), headers={"Content-Type": "text/html"})


def login(api: Api, url: str, **more: Any) -> str:
    fields = {
        "name": "Down at times",
        "authenticationUrl": f"{url}/in",
        "homeUrl": f"{url}/home",
        "loginConfiguration": {"username": "ada", "password": "secret-pw"},
        "autoRetryOnServiceDown": True,
        "autoRetryMaxAttempts": 2,
        "autoRetryDelayMinutes": DELAY_MINUTES,
        **more,
    }
    return api.call("/logins/create", fields)["login"]["id"]


def serve(site: WebService) -> None:
    site.answers["/in"] = lambda asked: html(HOME if asked.method == "POST" else FORM)
    site.answers["/home"] = html(HOME)


def moments(api: Api, execution: Json, kind: str) -> list[datetime]:
    events = [event for event in api.events(execution["id"]) if event["type"] == kind]
    return [datetime.fromisoformat(event["at"]) for event in events]


@pytest.mark.slow
def test_it_waits_as_long_as_the_login_says_before_each_attempt(api: Api) -> None:
    with web_service() as site:
        serve(site)
        site.answers["/home"] = [DOWN, DOWN, html(HOME)]
        workflow = api.create("patient", value("done"))
        execution = api.start(workflow["id"], loginId=login(api, site.url))
        waits = api.wait_for(execution["id"], "Enqueued")
        assert waits["attempts"] in (1, 2)
        ended = api.wait_for(execution["id"], *FINAL)
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    assert (ended["attempts"], ended["totalAttempts"]) == (3, 3)
    retried, opened = moments(api, ended, "execution.retried"), moments(api, ended, "browser.opened")
    pauses = [(after - before).total_seconds() for before, after in zip(retried, opened[1:], strict=True)]
    assert len(pauses) == 2
    assert all(DELAY_SECONDS - 0.1 <= pause < DELAY_SECONDS + 10 for pause in pauses), pauses


@pytest.mark.slow
def test_a_site_that_refuses_connections_is_tried_until_it_is_there(api: Api) -> None:
    port = free_port()
    workflow = api.create("patient", value("done"))
    used = login(api, f"http://127.0.0.1:{port}", autoRetryMaxAttempts=20, autoRetryDelayMinutes=0.01)
    execution = api.start(workflow["id"], loginId=used)
    wait_until(lambda: api.get(execution["id"])["attempts"] == 2)
    with web_service(port=port) as site:
        serve(site)
        ended = api.wait_for(execution["id"], *FINAL)
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    assert 2 <= ended["attempts"] < ended["totalAttempts"] == 21


@pytest.mark.slow
def test_a_site_that_stays_down_fails_after_the_last_attempt(api: Api) -> None:
    used = login(api, f"http://127.0.0.1:{free_port()}", autoRetryDelayMinutes=0.01)
    ended = api.run(value("never"), loginId=used)
    assert (ended["status"], ended["attempts"], ended["totalAttempts"]) == ("Failed", 3, 3)
    assert "cannot be reached" in ended["errorAnalysis"]
    assert ended["response"] == {}


def test_without_the_flag_it_fails_at_once(api: Api) -> None:
    used = login(api, f"http://127.0.0.1:{free_port()}", autoRetryOnServiceDown=False)
    ended = api.run(value("never"), loginId=used)
    assert (ended["status"], ended["attempts"], ended["totalAttempts"]) == ("Failed", 1, 1)


def test_the_wait_of_one_keeps_the_others_running(api: Api) -> None:
    used = login(api, f"http://127.0.0.1:{free_port()}", autoRetryDelayMinutes=60)
    execution = api.start(api.create("later", navigate("http://127.0.0.1:1/"))["id"], loginId=used)
    wait_until(lambda: api.get(execution["id"])["attempts"] == 2)
    assert api.run(value("now"))["status"] == "Completed"
    waits = api.get(execution["id"])
    assert (waits["status"], waits["attempts"]) == ("Enqueued", 2)
    ended = api.call("/executions/cancel", {"id": execution["id"]})
    assert ended
    assert api.get(execution["id"])["status"] == "Failed"
