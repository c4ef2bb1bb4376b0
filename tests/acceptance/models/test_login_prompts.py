"""A login's prompts: a model judges whether somebody is signed in and points the way to the form."""

from collections.abc import Iterator
from typing import Any

import pytest

from support.model import ModelReply, ModelRequest, Script, ScriptedModel, is_report, ref, structured_reply
from support.service import Api, Json
from support.webservice import Reply, ServiceRequest, WebService, web_service

PASSWORD = "correct horse battery"
FORM = """<!doctype html><title>Sign in</title><form method=post action=/login>
<label>User <input name=username></label><label>Password <input name=password type=password></label>
<button>Sign in</button></form>"""
DOORS = """<!doctype html><title>Welcome</title><h1>Who are you?</h1>
<a href=/visitors>Visitors</a> <a href=/staff>Members of the house</a> <a href=/x>Delete my account</a>"""
HOME = "<!doctype html><title>Desk</title><h1>Your desk</h1><p>3 letters"
CLOSED = "<!doctype html><title>Desk</title><h1>The desk is closed to you</h1>"


@pytest.fixture
def house() -> Iterator[WebService]:
    with web_service() as running:
        running.answers["/login"] = lambda asked: signed_in() if asked.method == "POST" else html(FORM)
        running.answers["/home"] = lambda asked: html(HOME if knows(asked) else CLOSED)
        running.answers["/doors"] = html(DOORS)
        running.answers["/staff"] = html(FORM)
        running.answers["/visitors"] = html("<!doctype html><title>Tours</title>")
        running.answers["/favicon.ico"] = Reply(status=404)
        yield running


def html(body: str) -> Reply:
    return Reply(body.encode(), headers={"Content-Type": "text/html"})


def signed_in() -> Reply:
    return Reply(b"", 303, {"Location": "/home", "Set-Cookie": "who=ada; Path=/"})


def knows(asked: ServiceRequest) -> bool:
    return "who=ada" in asked.headers.get("cookie", "")


def login(api: Api, house: WebService, at: str = "/login", **more: Any) -> str:
    fields = {
        "name": "House",
        "authenticationUrl": f"{house.url}{at}",
        "homeUrl": f"{house.url}/home",
        "loginConfiguration": {"username": "ada", "password": PASSWORD},
        **more,
    }
    return api.call("/logins/create", fields)["login"]["id"]


def run(api: Api, login_id: str) -> tuple[Json, dict[str, str]]:
    """A run that only signs in, and its events about that."""
    execution = api.run(loginId=login_id)
    events = api.events(execution["id"])
    return execution, {
        event["type"]: event["message"] for event in events if event["type"].startswith("login.")
    }


def by_page(**verdicts: bool) -> Script:
    """Judge by a word that the page shows."""

    def script(asked: ModelRequest) -> ModelReply:
        if is_report(asked):
            return ModelReply("Seen.")
        [holds] = [holds for word, holds in verdicts.items() if word in asked.last]
        return structured_reply({"holds": holds, "reason": "as it says"})

    return script


@pytest.mark.slow
def test_the_model_confirms_a_sign_in_by_the_logins_own_prompt(
    smart: Api, model: ScriptedModel, house: WebService
) -> None:
    model.script = by_page(letters=True)
    used = login(smart, house, loginDetectionPrompt="The page counts my letters")
    execution, shown = run(smart, used)
    assert execution["status"] == "Completed", execution["errorAnalysis"]
    assert shown["login.judged"] == "The model finds somebody signed in: as it says"
    [asked] = model.block_requests
    assert "The page counts my letters" in asked.instructions
    assert PASSWORD not in asked.prompt


@pytest.mark.slow
def test_a_sign_in_that_the_prompt_does_not_confirm_has_failed(
    smart: Api, model: ScriptedModel, house: WebService
) -> None:
    house.answers["/home"] = html(CLOSED)
    model.script = by_page(closed=False)
    used = login(smart, house, loginDetectionPrompt="The page counts my letters")
    execution, _ = run(smart, used)
    assert execution["status"] == "Failed"
    assert "`loginDetectionPrompt`" in execution["errorAnalysis"]
    assert smart.call("/logins/get", {"id": used})["login"]["health"]["isHeld"] is False


@pytest.mark.slow
def test_a_saved_session_that_ended_without_a_form_is_noticed_by_the_prompt(
    smart: Api, model: ScriptedModel, house: WebService
) -> None:
    model.script = by_page(letters=True, closed=False)
    used = login(smart, house, persistSession=True, loginDetectionPrompt="The page counts my letters")
    assert "login.accepted" in run(smart, used)[1]
    assert "login.kept" in run(smart, used)[1]
    house.answers["/home"] = [html(CLOSED), html(HOME)]
    execution, shown = run(smart, used)
    assert execution["status"] == "Completed", execution["errorAnalysis"]
    assert {"login.expired", "login.accepted"} <= shown.keys()


@pytest.mark.slow
def test_detection_without_a_prompt_asks_whether_somebody_is_signed_in(
    smart: Api, model: ScriptedModel, house: WebService
) -> None:
    model.script = by_page(letters=True)
    execution, shown = run(smart, login(smart, house, useLLMLoginDetection=True))
    assert execution["status"] == "Completed", execution["errorAnalysis"]
    assert "login.judged" in shown
    assert "Somebody is signed in here" in model.block_requests[0].instructions


@pytest.mark.slow
def test_the_instructions_lead_to_the_form_and_the_model_types_nothing(
    smart: Api, model: ScriptedModel, house: WebService
) -> None:
    def script(asked: ModelRequest) -> ModelReply:
        if "Who are you?" in asked.last:
            return structured_reply({"ref": ref(asked, "Members of the house")})
        return structured_reply({"ref": None})

    model.script = script
    used = login(smart, house, at="/doors", loginInstructionsPrompt="Take the entrance for members")
    execution, shown = run(smart, used)
    assert execution["status"] == "Completed", execution["errorAnalysis"]
    assert shown["login.guided"] == "Pressed “Members of the house”, as the login's instructions say"
    assert "Take the entrance for members" in model.requests[0].instructions
    assert all(PASSWORD not in asked.prompt for asked in model.requests)


@pytest.mark.slow
def test_a_control_that_may_do_harm_is_not_pressed(
    smart: Api, model: ScriptedModel, house: WebService
) -> None:
    def script(asked: ModelRequest) -> ModelReply:
        if is_report(asked):
            return ModelReply("Seen.")
        return structured_reply({"ref": ref(asked, "Delete my account")})

    model.script = script
    used = login(smart, house, at="/doors", loginInstructionsPrompt="Take the entrance for members")
    execution, shown = run(smart, used)
    assert execution["status"] == "Failed"
    assert "was not pressed" in shown["login.unguided"]
    assert "/x" not in [asked.path for asked in house.requests]


@pytest.mark.slow
def test_without_a_model_the_event_says_that_the_prompts_were_not_used(api: Api, house: WebService) -> None:
    used = login(
        api, house, loginDetectionPrompt="The page counts", loginInstructionsPrompt="Take the stairs"
    )
    execution = api.run(loginId=used)
    assert execution["status"] == "Completed", execution["errorAnalysis"]
    unused = [
        event["data"]["prompt"] for event in api.events(execution["id"]) if event["type"] == "login.unguided"
    ]
    assert unused == ["loginInstructionsPrompt", "loginDetectionPrompt"]
