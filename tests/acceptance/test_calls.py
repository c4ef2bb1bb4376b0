"""API and Send Email blocks as a user of the service meets them: secrets, doubt, retries, the proxy."""

import base64
import json
import re
from pathlib import Path

import pytest

from support.mail_server import mail_in_a_thread
from support.proxies import running_proxy
from support.service import Api, Json, RunningService
from support.webservice import Reply, WebService


def call(route: str, **data: object) -> Json:
    return {"type": "API", "blockReferenceId": "call", "data": {"route": route, **data}}


def test_a_call_puts_out_status_headers_and_data(api: Api, partner: WebService) -> None:
    done = api.run(call(f"{partner.url}/echo", method="POST", data={"n": "{{params.n}}"}), params={"n": 5})
    output = done["response"]["call"]
    assert done["status"] == "Completed"
    assert (output["status"], output["headers"]["content-type"]) == (200, "application/json")
    assert output["data"]["body"] == '{"n":5}'


def test_doubt_about_a_commit_pauses_and_a_persons_word_ends_it(api: Api, partner: WebService) -> None:
    partner.answers["/pay"] = Reply(drops=True)
    pay = call(f"{partner.url}/pay", method="POST", isCommit=True, onDoubt="pause")
    flow = api.create("pay", pay)
    first, second = api.start(flow["id"]), api.start(flow["id"])
    for item in (first, second):
        api.wait_for(item["id"], "Paused")
    api.call("/executions/resume", {"id": first["id"]})
    api.call("/executions/cancel", {"id": second["id"]})
    assert api.wait_for(first["id"], "Completed", "Failed")["status"] == "Completed"
    assert api.wait_for(second["id"], "Completed", "Failed")["status"] == "Failed"
    assert len(partner.requests) == 2


def test_doubt_about_a_commit_fails_and_names_it(api: Api, partner: WebService) -> None:
    partner.answers["/pay"] = Reply(drops=True)
    done = api.run(call(f"{partner.url}/pay", method="POST", isCommit=True))
    assert done["status"] == "Failed"
    assert "unknown" in done["errorAnalysis"]
    assert "commit point" in done["errorAnalysis"]
    assert len(partner.requests) == 1


@pytest.mark.parametrize(
    "act",
    [
        {"type": "Mouse", "locator": {"css": "button"}, "data": {"isCommit": True, "onDoubt": "pause"}},
        {
            "type": "Form",
            "data": {
                "fields": [{"key": "Amount", "value": "12"}],
                "submit": True,
                "isCommit": True,
                "onDoubt": "pause",
            },
        },
    ],
    ids=["Mouse", "Form"],
)
def test_a_sent_form_without_an_answer_waits_for_a_persons_word(
    api: Api, partner: WebService, act: Json
) -> None:
    page = b"<form method=post action=/pay><label>Amount <input name=n></label><button>Pay</button></form>"
    partner.answers["/form"] = Reply(page, headers={"Content-Type": "text/html"})
    partner.answers["/pay"] = Reply(drops=True)
    flow = api.create("pay", {"type": "Navigate", "data": {"url": f"{partner.url}/form"}}, act)
    started = api.start(flow["id"])
    api.wait_for(started["id"], "Paused")
    api.call("/executions/resume", {"id": started["id"]})

    assert api.wait_for(started["id"], "Completed", "Failed")["status"] == "Completed"
    assert len([item for item in partner.requests if item.method == "POST"]) == 1


def test_a_refused_status_says_what_came(api: Api, partner: WebService) -> None:
    partner.answers["/missing"] = Reply(b"no such order", 404)
    done = api.run(call(f"{partner.url}/missing"))
    assert done["status"] == "Failed"
    assert "404" in done["errorAnalysis"]
    assert "no such order" in done["errorAnalysis"]


def test_credentials_a_service_echoes_are_not_shown(api: Api, partner: WebService) -> None:
    done = api.run(
        call(
            f"{partner.url}/echo",
            auth={"type": "basic", "username": "ann", "password": "{{params.password}}"},
            headers={"X-Again": "{{params.password}}"},
        ),
        params={"password": "hunter-two-two"},
    )
    assert done["response"]["call"]["data"]["headers"]["authorization"] == "Basic ***"
    assert done["response"]["call"]["data"]["headers"]["x-again"] == "***"


def test_without_a_mail_server_the_block_names_the_setting(api: Api) -> None:
    done = api.run({"type": "SendEmail", "data": {"toAddresses": ["ann@a.example"], "subject": "x"}})
    assert done["status"] == "Failed"
    assert "PAGEHAND_SMTP_HOST" in done["errorAnalysis"]


@pytest.mark.slow
def test_calls_go_through_the_operators_proxy_when_the_execution_asks(
    tmp_path: Path, partner: WebService
) -> None:
    with running_proxy("http") as proxy:
        running = RunningService(
            tmp_path / "data", PAGEHAND_PROXY=proxy.url, PAGEHAND_BROWSER_POOL="0"
        ).start()
        try:
            direct = running.api().run(call(f"{partner.url}/echo"))
            assert (direct["status"], proxy.targets) == ("Completed", [])
            chained = running.api().run(call(f"{partner.url}/echo"), useProxy=True)
            assert chained["status"] == "Completed", chained["errorAnalysis"]
            assert proxy.targets == [f"127.0.0.1:{partner.port}"]
        finally:
            running.stop()


LOGIN_PAGE = b"""<!doctype html><title>Sign in</title><form method=post action=/login>
<label>User <input name=username></label><label>Password <input name=password type=password></label>
<button>Sign in</button></form>"""
SECRET = "k3y-of-the-partner-service"


def html(body: bytes) -> Reply:
    return Reply(body, headers={"Content-Type": "text/html"})


def test_a_logins_secret_is_sent_as_auth_and_shown_nowhere(api: Api, partner: WebService) -> None:
    welcome = html(b"<title>Home</title><h1>Welcome</h1><a href=/logout>Sign out</a>")
    partner.answers["/home"] = welcome
    partner.answers["/login"] = lambda asked: welcome if asked.method == "POST" else html(LOGIN_PAGE)
    login = api.call(
        "/logins/create",
        {
            "name": "partner",
            "authenticationUrl": f"{partner.url}/login",
            "homeUrl": f"{partner.url}/home",
            "loginConfiguration": {
                "username": "ann",
                "password": "pw-of-ann-at-partner",
                "additionalCredentials": [{"key": "apiKey", "value": SECRET}],
            },
        },
    )["login"]
    done = api.run(
        call(
            f"{partner.url}/echo",
            headers={"X-Key": "{{login.apiKey}}"},
            auth={"type": "basic", "username": "{{login.username}}", "password": "{{login.apiKey}}"},
            query={"key": "{{login.apiKey}}"},
        ),
        loginId=login["id"],
    )
    assert done["status"] == "Completed", done["errorAnalysis"]
    asked = partner.requests[-1]
    assert asked.headers["x-key"] == SECRET
    assert asked.path == "/echo?key=%2A%2A%2A"
    echoed = done["response"]["call"]["data"]["headers"]
    assert echoed["x-key"] == "***"
    user_part = base64.b64encode(b"ann:").decode()[:5]
    assert re.fullmatch(rf"Basic {user_part}.\*\*\*", echoed["authorization"])
    assert SECRET not in json.dumps([done, api.events(done["id"])])


@pytest.mark.slow
def test_mail_goes_out_through_the_operators_server(tmp_path: Path) -> None:
    with mail_in_a_thread() as inbox:
        running = RunningService(
            tmp_path / "data",
            PAGEHAND_BROWSER_POOL="0",
            PAGEHAND_SMTP_HOST="127.0.0.1",
            PAGEHAND_SMTP_PORT=str(inbox.port),
            PAGEHAND_SMTP_FROM="robot@pagehand.test",
            PAGEHAND_SMTP_SECURITY="none",
            PAGEHAND_EGRESS_ALLOW="",
        ).start()
        try:
            table: Json = {
                "type": "ParseToCsv",
                "blockReferenceId": "table",
                "data": {"input": [{"a": 1}], "fileName": "t.csv"},
            }
            data: Json = {
                "toAddresses": ["{{params.to}}"],
                "bccAddresses": ["cy@c.example"],
                "subject": "For {{params.to}}",
                "body": "<p>See file</p>",
                "attachments": "{{blocks.table}}",
                "isCommit": True,
            }
            mail: Json = {"type": "SendEmail", "blockReferenceId": "mail", "data": data}
            done = running.api().run(table, mail, params={"to": "ann@a.example"})
        finally:
            running.stop()
    assert done["status"] == "Completed", done["errorAnalysis"]
    [message], [envelope] = inbox.messages, inbox.envelopes
    assert done["response"]["mail"] == {"messageId": message["Message-ID"]}
    assert envelope.rcpt_tos == ["ann@a.example", "cy@c.example"]
    assert message["Subject"] == "For ann@a.example"
    assert [attachment.get_filename() for attachment in message.iter_attachments()] == ["t.csv"]
