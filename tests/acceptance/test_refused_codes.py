"""What callers hear when a site refuses a code, a password or a session without showing a form."""

import time
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from typing import Any

import pytest

from support.blocks import wait
from support.database import add_key
from support.portal import PASSWORD, RIGHT_CODE, Portal, PortalWithCode
from support.service import FINAL, Api, Json, RunningService

SUBMIT = "/authentication/submitTwoFactorAuthCode"
EXPIRED = "<h1>Sorry</h1><p>Your session has expired.</p><a href=/start>To the start page</a>"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    running = RunningService(tmp_path_factory.mktemp("refused") / "data").start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def api(service: RunningService) -> Api:
    return service.api()


def make_login(api: Api, portal: Portal, **two_factor: Any) -> str:
    factor = {"method": "SMS", **two_factor}
    configuration = {"username": "ada", "password": PASSWORD, "twoFactorAuthConfiguration": factor}
    pages = {"authenticationUrl": f"{portal.url}/in", "homeUrl": f"{portal.url}/home"}
    fields = {"name": "Portal", **pages, "loginConfiguration": configuration}
    return api.call("/logins/create", fields)["login"]["id"]


def waiting_for_code(api: Api, login: str) -> str:
    workflow = api.create("signs in", wait(10))
    execution = api.start(workflow["id"], loginId=login)["id"]
    until_it_waits(api, execution)
    return execution


def until_it_waits(api: Api, execution: str) -> None:
    end = time.monotonic() + 60
    while True:
        shown = api.get(execution)
        if any(authentication["status"] == "WaitingForCode" for authentication in shown["authentications"]):
            return
        assert shown["status"] not in FINAL, shown["errorAnalysis"]
        assert time.monotonic() < end
        time.sleep(0.1)


def submit(api: Api, execution: str, code: str) -> Json:
    answer = api.post(SUBMIT, {"code": code, "executionId": execution})
    assert answer.status_code == 201, answer.text
    return answer.json()


@pytest.mark.slow
def test_a_code_refused_without_a_form_is_refused_and_another_can_be_handed_in(
    api: Api, guarded: PortalWithCode
) -> None:
    execution = waiting_for_code(api, make_login(api, guarded))
    wrong = submit(api, execution, "111111")
    assert wrong["success"] is False
    assert "Invalid verification code" in wrong["message"]
    assert wrong["data"]["status"] == "WaitingForCode"
    assert submit(api, execution, RIGHT_CODE)["success"] is True
    done = api.wait_for(execution, *FINAL)
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert [authentication["liveViewUrl"] for authentication in done["authentications"]] == [""]
    listed = api.call("/executions/list", {"limit": 1})["executions"][0]
    assert [authentication["liveViewUrl"] for authentication in listed["authentications"]] == [""]


@pytest.mark.slow
def test_after_three_new_beginnings_the_sign_in_has_failed(api: Api, guarded: PortalWithCode) -> None:
    execution = waiting_for_code(api, make_login(api, guarded))
    answers = [submit(api, execution, "111111") for _ in range(4)]
    assert [answer["success"] for answer in answers] == [False] * 4
    assert [answer["data"]["status"] for answer in answers] == ["WaitingForCode"] * 3 + ["Failed"]
    assert api.wait_for(execution, *FINAL)["status"] == "Failed"


@pytest.mark.slow
def test_a_wrong_seed_is_not_signed_in(api: Api, guarded: PortalWithCode) -> None:
    seed = "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&period=3"
    login = make_login(api, guarded, method="TOTP", totpSecretKey=seed)
    for _ in range(2):
        test = api.call("/logins/test", {"id": login})["test"]
        assert (test["success"], test["status"]) == (False, "Failed")
        assert "did not accept the code" in test["message"]
        guarded.routes["/home"] = lambda _: EXPIRED


@pytest.mark.slow
def test_a_home_page_that_says_the_session_has_expired_is_not_signed_in(api: Api, plain: Portal) -> None:
    plain.routes["/home"] = lambda _: EXPIRED
    test = api.call("/logins/test", {"id": make_login(api, plain)})["test"]
    assert test["success"] is False
    assert "Your session has expired." in test["message"]


@pytest.mark.slow
def test_a_failure_on_a_page_that_says_the_session_has_expired_quotes_it(api: Api, plain: Portal) -> None:
    plain.routes["/claims"] = lambda _: EXPIRED
    go = {"type": "Navigate", "data": {"url": f"{plain.url}/claims"}}
    press = {"type": "Mouse", "locator": {"text": "New claim"}, "data": {"timeoutMs": 1000}}
    done = api.run(go, press)
    assert done["status"] == "Failed"
    assert "“Your session has expired.”" in done["errorAnalysis"]
    assert "Login block" in done["errorAnalysis"]


@pytest.mark.slow
def test_whoever_may_only_read_gets_links_to_watch_and_not_to_drive(
    service: RunningService, api: Api, guarded: PortalWithCode
) -> None:
    reader = service.api(add_key(service, "default", scopes=["read"]))
    execution = waiting_for_code(api, make_login(api, guarded))
    assert _mode(_link(api, execution)) == "control"
    assert _mode(_link(reader, execution)) == "view"
    api.call("/executions/cancel", {"id": execution})


def _link(api: Api, execution: str) -> str:
    sessions = api.call("/browserSessions/list")["browserSessions"]
    [url] = [session["liveViewUrl"] for session in sessions if session["executionId"] == execution]
    return url


def _mode(url: str) -> str:
    """What the link's token allows."""
    token = url.partition("?t=")[2]
    message = urlsafe_b64decode(token + "=" * (-len(token) % 4))
    return "control" if b'"control"' in message else "view"
