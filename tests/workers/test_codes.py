"""A code is waited for by a worker and submitted at a node that did not start the execution."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.apps import App, started_app
from support.one_time_codes import Authenticator
from support.service import FINAL
from support.workers import Fleet

SUBMIT = "/authentication/submitTwoFactorAuthCode"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with started_app("admin", tmp_path) as running:
        yield running


def test_a_code_is_submitted_at_another_node_and_the_verdict_comes_back(fleet: Fleet, app: App) -> None:
    first, second = fleet.node().api(), fleet.node().api()
    fleet.worker()
    login = first.call(
        "/logins/create",
        {
            "name": "By hand",
            "authenticationUrl": f"{app.url}/otp/login/",
            "homeUrl": f"{app.url}/otp/",
            "loginConfiguration": {
                "username": "totp",
                "password": app.facts["password"],
                "twoFactorAuthConfiguration": {"method": "SMS", "alwaysRequired": True},
            },
        },
    )["login"]
    assert second.post(SUBMIT, {"code": "000000"}).status_code == 404
    workflow = first.create("waits", {"type": "Transform", "data": {"input": "in", "code": "input"}})
    execution = first.start(workflow["id"], loginId=login["id"])["id"]
    waiting = first.wait_for(execution, "Paused", *FINAL)
    assert waiting["authentications"][-1]["status"] == "WaitingForCode", waiting
    wrong = second.post(SUBMIT, {"code": "000000"})
    assert (wrong.status_code, wrong.json()["success"]) == (201, False), wrong.text
    assert second.post(SUBMIT, {"code": "000000", "loginId": "login_other"}).status_code == 404
    right = second.post(
        SUBMIT, {"code": Authenticator(app.facts["seed"]).next_code(), "loginId": login["id"]}
    )
    assert (right.status_code, right.json()["success"]) == (201, True), right.text
    assert first.wait_for(execution, *FINAL)["status"] == "Completed"
