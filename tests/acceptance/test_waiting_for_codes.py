"""Codes that a person hands in: the wait survives the service, and ends when its browser is closed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook as Verifier

from support.apps import App, started_app
from support.one_time_codes import Authenticator
from support.receiver import wait_until, webhook_receiver
from support.service import Api, RunningService

Json = dict[str, Any]
SUBMIT = "/authentication/submitTwoFactorAuthCode"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("waiting")


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[RunningService]:
    service = RunningService(folder / "data").start()
    yield service
    service.stop()


@pytest.fixture(scope="module")
def app(folder: Path) -> Iterator[App]:
    with started_app("admin", folder) as running:
        yield running


@pytest.fixture(scope="module")
def authenticator(app: App) -> Authenticator:
    return Authenticator(app.facts["seed"])


def make_login(api: Api, app: App) -> Json:
    return api.call(
        "/logins/create",
        {
            "name": "By hand",
            "authenticationUrl": f"{app.url}/otp/login/",
            "homeUrl": f"{app.url}/otp/",
            "supportConcurrentLogins": True,
            "loginConfiguration": {
                "username": "totp",
                "password": app.facts["password"],
                "twoFactorAuthConfiguration": {"method": "SMS", "alwaysRequired": True},
            },
        },
    )["login"]


def waiting(api: Api, execution_id: str) -> Json:
    execution = api.wait_for(execution_id, "Paused", "Failed", "Completed")
    assert execution["status"] == "Paused", execution.get("errorAnalysis")
    assert execution["authentications"][-1]["status"] == "WaitingForCode"
    assert execution["contextAuthentications"][0]["authenticationStatus"] == "WaitingForCode"
    return execution


@pytest.mark.slow
def test_a_wait_survives_the_service_and_a_code_ends_it(
    running: RunningService, app: App, authenticator: Authenticator
) -> None:
    api = running.api()
    login = make_login(api, app)
    workflow = api.create("waits", {"type": "Transform", "data": {"input": "in", "code": "input"}})
    execution = waiting(api, api.start(workflow["id"], loginId=login["id"])["id"])
    running.kill()
    running.start()
    api = running.api()
    shown = waiting(api, execution["id"])
    while shown["waiting"]["since"] == execution["waiting"]["since"]:  # the row of the process that died
        shown = waiting(api, execution["id"])
    assert (shown["attempts"], len(shown["authentications"])) == (1, 1)
    wrong = api.post(SUBMIT, {"code": "000000", "executionId": execution["id"]})
    assert (wrong.status_code, wrong.json()["success"]) == (201, False)
    assert wrong.json()["data"]["status"] == "WaitingForCode"
    right = api.post(SUBMIT, {"code": authenticator.next_code(), "loginId": login["id"]})
    assert (right.status_code, right.json()["success"]) == (201, True), right.text
    assert right.json()["data"]["status"] == "Completed"
    assert api.wait_for(execution["id"], "Completed", "Failed")["status"] == "Completed"


@pytest.mark.slow
def test_webhooks_hear_that_a_sign_in_waits_and_a_code_handed_in_upon_it_ends_the_wait(
    running: RunningService, app: App, authenticator: Authenticator
) -> None:
    api = running.api()
    login = make_login(api, app)
    workflow = api.create("shown", {"type": "Transform", "data": {"input": "in", "code": "input"}})
    with webhook_receiver() as receiver:
        events = ["authentication.waiting", "execution.completed"]
        hook = api.call("/webhooks/create", {"url": receiver.url + "/in", "events": events})
        execution = api.start(workflow["id"], loginId=login["id"])
        wait_until(lambda: bool(receiver.on("/in", "authentication.waiting")), seconds=90)
        [came] = receiver.on("/in")
        assert Verifier(hook["secret"]).verify(came.body, came.headers) == came.message
        shown = came.message["data"]
        assert shown["execution"]["id"] == execution["id"]
        assert shown["authentication"]["status"] == "WaitingForCode"
        assert shown["authentication"]["liveViewUrl"].startswith(running.url)
        assert shown["logins"] == [{"id": login["id"], "name": "By hand"}]
        assert app.facts["password"].encode() not in came.body
        code = {
            "code": authenticator.next_code(),
            "browserSessionId": shown["authentication"]["browserSessionId"],
        }
        right = api.post(SUBMIT, code)
        assert (right.status_code, right.json()["success"]) == (201, True), right.text
        wait_until(lambda: bool(receiver.on("/in", "execution.completed")), seconds=60)
        api.call("/webhooks/delete", {"id": hook["webhook"]["id"]})


@pytest.mark.slow
def test_a_test_of_a_login_says_that_it_waits_and_closing_its_browser_ends_it(
    running: RunningService, app: App
) -> None:
    api = running.api()
    login = make_login(api, app)
    test = api.call("/logins/test", {"id": login["id"]})["test"]
    assert (test["success"], test["status"]) == (False, "WaitingForCode")
    sessions = api.call("/browserSessions/list")["browserSessions"]
    [mine] = [session for session in sessions if session["executionId"] == test["executionId"]]
    assert api.post("/browserSessions/close", {"id": "bs_none"}).status_code == 404
    closed = api.call("/browserSessions/close", {"id": mine["id"]})["browserSession"]
    assert closed["id"] == mine["id"]
    ended = api.wait_for(test["executionId"], "Failed")
    assert "closing its browser session" in ended["errorAnalysis"]
    assert ended["isTest"]
    assert api.post(SUBMIT, {"code": "123456"}).status_code == 404


@pytest.mark.slow
def test_a_test_of_a_login_signs_in_and_reports(running: RunningService, app: App) -> None:
    api = running.api()
    fields = {
        "name": "Plain",
        "authenticationUrl": f"{app.url}/admin/login/",
        "homeUrl": f"{app.url}/admin/",
        "loginConfiguration": {"username": "plain", "password": app.facts["password"]},
    }
    good = api.call("/logins/create", fields)["login"]
    assert api.call("/logins/test", {"id": good["id"]})["test"] == {
        "success": True,
        "message": "Signed in.",
        "executionId": api.call("/executions/list", {"limit": 1})["executions"][0]["id"],
        "status": "Completed",
    }
    api.call("/logins/update", {"id": good["id"], "loginConfiguration": {"password": "wrong"}})
    bad = api.call("/logins/test", {"id": good["id"]})["test"]
    assert (bad["success"], bad["status"]) == (False, "Failed")
    assert "did not accept the user name or the password" in bad["message"]
