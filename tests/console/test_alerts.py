"""Alerts from the form in Settings to the mailbox, and to chats, over a running service."""

import re
from collections.abc import Iterator

import pytest
from playwright.async_api import expect

from support.blocks import fail, navigate
from support.console import Console
from support.mail_server import Inbox, mail_in_a_thread
from support.receiver import webhook_receiver
from support.service import Api, RunningService
from support.waiting import wait_until

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
SECRET = "correct-horse-battery"


@pytest.fixture(scope="module")
def inbox() -> Iterator[Inbox]:
    with mail_in_a_thread() as running:
        yield running


@pytest.fixture(scope="module")
def service(bundle: None, inbox: Inbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with a mail server."""
    del bundle
    running = RunningService(
        tmp_path_factory.mktemp("alerts") / "data",
        PAGEHAND_SMTP_HOST="127.0.0.1",
        PAGEHAND_SMTP_PORT=str(inbox.port),
        PAGEHAND_SMTP_FROM="Pagehand <robot@pagehand.test>",
        PAGEHAND_SMTP_SECURITY="none",
    ).start()
    yield running
    running.stop()


async def test_the_form_in_settings_decides_who_gets_a_mail_about_what(
    console: Console, api: Api, inbox: Inbox, service: RunningService
) -> None:
    page = await console.open("/settings")
    form = page.get_by_role("form", name="Alerts by mail")
    await form.get_by_label("Send to").fill("ann@example.com; bob@example.com")
    await form.get_by_label("A schedule did not start").uncheck()
    await console.check(page)
    await form.get_by_role("button", name="Save alerts").click()
    await form.get_by_role("button", name="Send a test mail").click()
    await expect(page.get_by_text("The test mail was sent.")).to_be_visible()
    [test] = inbox.messages
    assert test["Subject"] == "[Pagehand] Test message"
    await console.picture(page, "alerts")

    done = api.run(
        navigate(f"{service.url}/docs"), fail("Stop at {{params.why}}"), params={"why": "<b>here</b>"}
    )
    wait_until(lambda: len(inbox.messages) > 1)
    mail = inbox.messages[1]
    assert inbox.envelopes[1].rcpt_tos == ["ann@example.com", "bob@example.com"]
    assert mail["Subject"] == "[Pagehand] “test” failed"
    html = mail.get_body(("html",))
    assert html is not None
    assert f"{service.url}/executions/{done['id']}" in html.get_content()
    assert "&lt;b&gt;here" in html.get_content()
    [picture] = [part for part in mail.walk() if part.get_content_maintype() == "image"]
    assert bytes(picture.get_payload(decode=True))[:2] in (b"\xff\xd8", b"\x89P")

    await form.get_by_label("Send to").fill("")
    await form.get_by_role("button", name="Save alerts").click()
    await expect(form.get_by_role("button", name="Send a test mail")).to_be_hidden()
    assert api.call("/webhooks/list")["webhooks"] == []


async def test_a_wrong_address_is_named_at_its_field(console: Console) -> None:
    console.expect_error("400")
    page = await console.open("/settings")
    form = page.get_by_role("form", name="Alerts by mail")
    await form.get_by_label("Send to").fill("ann at example.com")
    await form.get_by_role("button", name="Save alerts").click()
    said = "Expected addresses such as ann@example.com,bob@example.com"
    await expect(form.get_by_label("Send to")).to_have_accessible_description(re.compile(said))
    await page.get_by_label("New proxy").fill("nowhere")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_label("New proxy")).to_have_accessible_description(
        re.compile("must look like http")
    )
    await console.check(page)


async def test_chats_get_their_own_shapes_and_no_secret(api: Api) -> None:
    with webhook_receiver() as receiver:
        for kind in ("slack", "teams"):
            fields = {"url": f"{receiver.url}/{kind}", "events": ["execution.failed"], "format": kind}
            api.call("/webhooks/create", fields)
        secret = {"name": "word", "type": "string", "isSecret": True}
        workflow = api.create("Chatty", fail("Stop at {{params.word}} <!channel>"), parameters=[secret])
        fields = {"workflowId": workflow["id"], "params": {"word": SECRET}}
        assert api.call("/workflows/executeSync", fields)["execution"]["status"] == "Failed"
        [slack], [teams] = receiver.wait("/slack"), receiver.wait("/teams")
    assert slack.message["blocks"][0]["text"]["text"].startswith("*“Chatty” failed*\n")
    assert "&lt;!channel&gt;" in slack.message["blocks"][0]["text"]["text"]
    assert teams.message["type"] == "message"
    assert teams.message["attachments"][0]["content"]["type"] == "AdaptiveCard"
    assert SECRET.encode() not in slack.body + teams.body
    other = {"url": "https://a.example/", "events": ["execution.failed"], "format": "irc"}
    refused = api.post("/webhooks/create", other)
    assert refused.status_code == 400
    assert "`format`" in refused.json()["error"]
