"""Logins over the API: shape, defaults, masking, paging, upsert, codes."""

import json
import re
import time
from typing import Any

import pytest

from pagehand.logins.second_factor.totp import code_at
from support.database import add_key
from support.service import Api, Json, RunningService
from support.shapes import FINISHED, LOGIN, ListOf, misfits
from support.site import Site

SEED = "JBSWY3DPEHPK3PXP"
SECRETS = ("pw-of-ada", "pin-of-ada", SEED)
MASK = "********"


@pytest.fixture(scope="module")
def caller(service: RunningService) -> Api:
    return service.api(add_key(service, "logins"))


def ada(**fields: Any) -> Json:
    return {
        "name": "Bank",
        "authenticationUrl": "https://bank.example/in",
        "loginConfiguration": {
            "username": "ada",
            "password": "pw-of-ada",
            "twoFactorAuthConfiguration": {"method": "TOTP", "totpSecretKey": SEED},
            "additionalCredentials": [{"key": "pin", "value": "pin-of-ada"}],
        },
        **fields,
    }


def create(caller: Api, **fields: Any) -> Json:
    return caller.call("/logins/create", ada(**fields))["login"]


def code_of(caller: Api, login: Json) -> str:
    return caller.call("/logins/twoFactorAuth/getCode", {"id": login["id"]})["code"]


def test_a_login_has_every_field_and_its_defaults(caller: Api) -> None:
    least = {
        "name": "Least",
        "authenticationUrl": "https://a.example/in",
        "loginConfiguration": {"username": "u"},
    }
    answer = caller.call("/logins/create", least)
    assert list(answer) == ["login"]
    login = answer["login"]
    assert misfits(login, LOGIN) == []
    assert login["loginConfiguration"] == {
        "username": "u",
        "twoFactorAuthConfiguration": {
            "method": "None",
            "alwaysRequired": False,
            "twoFactorAuthEmail": "",
            "codeSender": "",
            "mailboxUsername": "",
        },
        "additionalCredentials": [],
    }
    flags = ("persistSession", "isManualAuthentication", "autoRetryOnServiceDown", "useLLMLoginDetection")
    assert [login[flag] for flag in flags] == [False] * 4
    assert login["createdAt"] == login["updatedAt"]
    shown = caller.call("/logins/get", {"id": login["id"]})["login"]
    assert set(shown.pop("health").values()) == {None, False}
    assert shown == login


def test_every_field_that_is_sent_is_kept(caller: Api) -> None:
    sent = {
        "homeUrl": "https://bank.example/home",
        "iconUrl": "https://bank.example/icon.png",
        "persistSession": True,
        "isManualAuthentication": True,
        "supportConcurrentLogins": False,
        "supportsAgentConcurrency": True,
        "autoRetryOnServiceDown": True,
        "autoRetryDelayMinutes": 2.5,
        "autoRetryMaxAttempts": 4,
        "useLLMLoginDetection": True,
        "loginDetectionPrompt": "look for the name",
        "loginInstructionsPrompt": "press the blue one",
    }
    login = create(caller, **sent)
    assert {name: login[name] for name in sent} == sent


def test_secrets_never_come_back(caller: Api, service: RunningService) -> None:
    login = create(caller)
    answers = [
        caller.post("/logins/get", {"id": login["id"]}).text,
        caller.post("/logins/list", {}).text,
        caller.post("/logins/update", {"id": login["id"], "name": "Bank 2"}).text,
        json.dumps(login),
    ]
    assert not [secret for secret in SECRETS for text in answers if secret in text]
    assert '"password"' not in "".join(answers)
    [credential] = login["loginConfiguration"]["additionalCredentials"]
    assert (credential["key"], credential["value"]) == ("pin", MASK)
    stored = b"".join(path.read_bytes() for path in service.data_dir.glob("pagehand.db*"))
    kept = stored + service.log.read_bytes()
    assert not [secret for secret in SECRETS if secret.encode() in kept]


def test_the_mask_keeps_a_secret_and_anything_else_replaces_it(caller: Api) -> None:
    login = create(caller)
    sent_back = {"username": "ada", "password": MASK, "twoFactorAuthConfiguration": {"totpSecretKey": MASK}}
    caller.call("/logins/update", {"id": login["id"], "loginConfiguration": sent_back})
    assert code_of(caller, login) in nearby_codes(SEED)
    new_seed = "GEZDGNBVGY3TQOJQ"
    changed = {"twoFactorAuthConfiguration": {"totpSecretKey": new_seed}}
    caller.call("/logins/update", {"id": login["id"], "loginConfiguration": changed})
    assert code_of(caller, login) in nearby_codes(new_seed)


def nearby_codes(seed: str) -> set[str]:
    """The code of now, and the one before in case the half-minute has just passed."""
    return {code_at(seed, time.time() - step).code for step in (0, 30)}


def test_a_code_comes_with_how_long_it_lasts(caller: Api) -> None:
    login = create(caller)
    answer = caller.call("/logins/twoFactorAuth/getCode", {"id": login["id"]})
    assert set(answer) == {"code", "secondsRemaining"}
    assert re.fullmatch(r"\d{6}", answer["code"])
    assert 1 <= answer["secondsRemaining"] <= 30
    plain = {
        "name": "Plain",
        "authenticationUrl": "https://a.example",
        "loginConfiguration": {"username": "p"},
    }
    without = caller.call("/logins/create", plain)["login"]
    refused = caller.post("/logins/twoFactorAuth/getCode", {"id": without["id"]})
    assert refused.status_code == 409
    assert "TOTP" in refused.json()["error"]


def test_logins_are_found_by_name_or_username_and_paged(service: RunningService) -> None:
    own = service.api(add_key(service, "login list"))
    made = [
        create(own, name=f"Portal {n}", loginConfiguration={"username": f"User_{n}@x.example"})
        for n in range(3)
    ]
    page = own.call("/logins/list")
    assert set(page) >= {"logins"}
    assert misfits(page["logins"], ListOf(LOGIN)) == []
    assert page["logins"] == made[::-1]
    for search, count in (("portal", 3), ("USER_1", 1), ("2", 1), ("%", 0), ("bank.example", 0), ("", 3)):
        assert len(own.call("/logins/list", {"search": search})["logins"]) == count, search
    part = own.call("/logins/list", {"limit": 1, "offset": 1})
    assert (part["logins"], part["total"]) == ([made[1]], 3)


def test_upsert_changes_the_one_with_the_same_username_or_makes_it(service: RunningService) -> None:
    own = service.api(add_key(service, "upserts"))
    first = own.call("/logins/upsert", ada())["login"]
    updated = own.call("/logins/upsert", ada(name="Bank, renamed"))["login"]
    assert (updated["id"], updated["name"]) == (first["id"], "Bank, renamed")
    assert own.call("/logins/list")["total"] == 1
    other_user = ada(loginConfiguration={"username": "grace"})
    assert own.call("/logins/upsert", other_user)["login"]["id"] != first["id"]
    nobody = own.post("/logins/upsert", ada(loginConfiguration={}))
    assert nobody.status_code == 400
    assert "username" in nobody.json()["error"]


def test_a_deleted_login_is_gone(caller: Api) -> None:
    login = create(caller, name="Gone")
    assert caller.call("/logins/delete", {"id": login["id"]}) == {
        "login": {"id": login["id"], "name": "Gone"}
    }
    for path in ("get", "delete", "update", "twoFactorAuth/getCode"):
        answer = caller.post(f"/logins/{path}", {"id": login["id"]})
        assert answer.status_code == 404, path
        assert "`id`" in answer.json()["error"]


def test_an_execution_shows_the_login_it_was_given(caller: Api) -> None:
    retrying = {"autoRetryOnServiceDown": True, "autoRetryMaxAttempts": 2, "autoRetryDelayMinutes": 10}
    login = create(caller, name="Shown", **retrying)
    flow = caller.create("with a login", {"type": "Wait", "data": {"durationMs": 1}})
    started = caller.start(flow["id"], loginId=login["id"])
    assert started["logins"] == [{"id": login["id"], "name": "Shown"}]
    [context] = started["contextAuthentications"]
    assert context["loginSummary"] == {"loginId": login["id"], "name": "Shown", "isManual": False}
    assert context["authenticationStatus"] == "Unauthenticated"
    assert (started["attempts"], started["totalAttempts"], started["isLastAttempt"]) == (1, 3, False)
    listed = caller.call("/executions/list", {"loginId": login["id"]})
    assert [execution["id"] for execution in listed["executions"]] == [started["id"]]
    caller.call("/executions/cancel", {"id": started["id"]})


FORM = """<!doctype html><title>In</title><form action=/home method=post>
<label>User <input name=u></label><label>Password <input type=password name=p></label>
<button>Sign in</button></form>"""


def test_a_run_signs_in_before_its_first_block_and_tells_no_secret(caller: Api, site: Site) -> None:
    site.page("/home", "<title>Home</title><h1>Welcome</h1><a href=/out>Sign out</a>")
    urls = {"authenticationUrl": site.page("/login", FORM), "homeUrl": f"{site.url}/home"}
    login = create(caller, name="Site", **urls)
    title = {
        "type": "Extract",
        "blockReferenceId": "title",
        "data": {"fields": {"h": {"locator": {"css": "h1"}}}},
    }
    texts = [
        {
            "type": "Transform",
            "blockReferenceId": name,
            "data": {"input": f"<{{{{login.{name}}}}}>", "code": "input"},
        }
        for name in ("username", "password", "pin")
    ]
    done = caller.run(title, *texts, loginId=login["id"])
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert misfits(done, FINISHED) == []
    assert done["response"] == {
        "title": {"h": "Welcome"},
        "username": "<ada>",
        "password": "<***>",
        "pin": "<***>",
    }
    assert done["logins"] == [{"id": login["id"], "name": "Site"}]
    [signed_in] = done["authentications"]
    assert signed_in["browserSessionId"] == done["browserSessionId"]
    assert (signed_in["status"], done["contextAuthentications"][0]["authenticationStatus"]) == (
        "Completed",
        "Completed",
    )
    assert not [secret for secret in SECRETS if secret in json.dumps([done, caller.events(done["id"])])]


@pytest.mark.slow
def test_a_refused_password_fails_the_run_and_says_so(caller: Api, site: Site) -> None:
    refusing = FORM.replace("/home", "/login") + "<p role=alert>Wrong user name or password</p>"
    login = create(caller, name="Refusing", authenticationUrl=site.page("/login", refusing))
    done = caller.run({"type": "Wait", "data": {"durationMs": 1}}, loginId=login["id"])
    assert (done["status"], done["response"]) == ("Failed", {})
    assert done["authentications"][0]["status"] == "Failed"
    assert done["contextAuthentications"][0]["authenticationStatus"] == "Failed"
    assert not [secret for secret in SECRETS if secret in json.dumps(done)]


@pytest.mark.parametrize("code", ["123", "123456789", "", "1 2-3", " - "])
def test_a_two_factor_code_has_four_to_eight_characters(caller: Api, code: str) -> None:
    answer = caller.post("/authentication/submitTwoFactorAuthCode", {"code": code})
    assert answer.status_code == 400
    assert "`code`" in answer.json()["error"]


def test_a_code_nobody_waits_for_is_not_found(caller: Api) -> None:
    for fields in ({}, {"executionId": "exec_no"}, {"loginId": "login_no"}, {"browserSessionId": "bs_no"}):
        answer = caller.post("/authentication/submitTwoFactorAuthCode", {"code": "123 456", **fields})
        assert (answer.status_code, list(answer.json())) == (404, ["error"])
