"""The shapes that chats take, as their receivers check them; what is sent is text, never markup."""

import json
from typing import Any

import pytest

from pagehand.errors import InvalidRequest
from pagehand.records import WebhookFormat
from pagehand.webhooks.formats import notice, recipients, render
from support.webhooks import CONSOLE, WebhookParts

pytestmark = pytest.mark.anyio
HOSTILE = "<!channel> [x](javascript:1) *b* <b>&amp;\r\nBcc: eve@evil.example\x00"


def failed(name: str = "Headline", analysis: str = "No element matches `Save`.") -> dict[str, Any]:
    execution = {"id": "exec_1", "workflow": {"id": "wf_1", "name": name}, "errorAnalysis": analysis}
    return {"type": "execution.failed", "timestamp": "2026-01-01T00:00:00Z", "data": {"execution": execution}}


def sent(format_: WebhookFormat, message: dict[str, Any]) -> Any:
    return json.loads(render(format_, message, CONSOLE))


def test_slack_gets_text_and_blocks_and_nobody_is_called() -> None:
    body = sent("slack", failed(HOSTILE, HOSTILE))
    assert body.keys() == {"text", "blocks"}
    section, context = body["blocks"]
    assert (section["type"], section["text"]["type"]) == ("section", "mrkdwn")
    assert len(sent("slack", failed("n" * 5000, "<" * 9000))["blocks"][0]["text"]["text"]) < 12_000
    assert "<!channel>" not in section["text"]["text"] + body["text"]
    assert "&lt;!channel&gt;" in section["text"]["text"]
    assert context["elements"][0]["text"] == f"<{CONSOLE}/executions/exec_1|Open in Pagehand>"


def test_teams_gets_one_adaptive_card_whose_texts_are_not_markdown() -> None:
    [attachment] = sent("teams", failed(HOSTILE, HOSTILE))["attachments"]
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    card = attachment["content"]
    assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4")
    assert {block["type"] for block in card["body"]} == {"RichTextBlock"}
    assert {run["type"] for block in card["body"] for run in block["inlines"]} == {"TextRun"}
    assert card["actions"][0]["url"] == f"{CONSOLE}/executions/exec_1"


@pytest.mark.parametrize(
    ("event", "data", "words"),
    [
        ("execution.paused", {"reason": "Approve it."}, "Approve it."),
        ("execution.healed", {"healed": 2}, "found again: 2"),
        ("execution.completed", {}, "Done."),
        ("authentication.waiting", {"authentication": {"status": "WaitingForCode"}}, "WaitingForCode"),
    ],
)
def test_each_event_of_an_execution_says_what_happened(event: str, data: dict[str, Any], words: str) -> None:
    message = failed()
    message["data"]["execution"]["summary"] = "Done."
    found = notice({**message, "type": event, "data": {**message["data"], **data}})
    assert words in found.text
    assert found.title.startswith("“Headline” ")


def test_batches_schedules_and_tests_are_told_too() -> None:
    workflow = {"id": "wf_1", "name": "Headline"}
    batch = {"id": "batch_1", "name": None, "workflow": workflow, "completed": 3, "failed": 1, "total": 4}
    told = notice({"type": "batch.finished", "data": {"batch": batch}})
    assert (told.text, told.path) == ("3 of 4 completed, 1 failed.", "/batches/batch_1")
    schedule = {"id": "schedule_1", "name": "Morning", "workflow": workflow}
    missed = notice({"type": "schedule.missed", "data": {"schedule": schedule, "reason": "No service ran."}})
    assert (missed.title, missed.text) == ("“Morning” did not start when it was due", "No service ran.")
    assert notice({"type": "webhook.test", "data": {"webhook": {}}}).title == "Test message"


@pytest.mark.parametrize(
    "url",
    [
        "mailto:",
        "mailto:ann",
        "mailto:ann@example.com?bcc=eve@evil.example",
        "mailto:ann@example.com\nBcc: eve@evil.example",
        "mailto:ann@example.com,",
        "mailto:Ann <ann@example.com>",
        "mailto:a%0ab@example.com",
        "https://hooks.example/in",
        "mailto:" + ",".join(f"a{number}@example.com" for number in range(21)),
    ],
)
def test_only_plain_addresses_get_mail(url: str) -> None:
    with pytest.raises(InvalidRequest, match="`url`"):
        recipients(url)
    assert recipients("mailto:ann@example.com, bob@example.com,ann@example.com") == [
        "ann@example.com",
        "bob@example.com",
    ]


async def test_an_address_has_to_fit_its_format(parts: WebhookParts) -> None:
    organization = (await parts.stores.organizations.ensure("Test")).id
    with pytest.raises(InvalidRequest, match="`format` to be `mail`"):
        await parts.stored.create(organization, "mailto:ann@example.com", ["execution.failed"], None)
    with pytest.raises(InvalidRequest, match="mailto:"):
        await parts.stored.create(
            organization, "https://hooks.example/in", ["execution.failed"], None, "mail"
        )
    made, _ = await parts.stored.create(
        organization, "mailto:ann@example.com", ["execution.failed"], None, "mail"
    )
    with pytest.raises(InvalidRequest, match="mailto:"):
        await parts.stored.update(organization, made.id, url="https://hooks.example/in")
