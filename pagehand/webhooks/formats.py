"""What a message says in words, and the shapes in which chats take it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from pagehand.records import Json, WebhookFormat

_TITLE_LENGTH: Final = 150
_TEXT_LENGTH: Final = 2000
"""A section of Slack takes 3,000 characters, and escaping makes some longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """An event for people: a line, some words, and where to look."""

    title: str
    text: str
    path: str
    """In the console."""


def notice(message: Json) -> Notice:
    """What a message says; no control characters are left in the title."""
    event, data = message["type"], message["data"]
    subject, path = _subject(data)
    title = f"“{subject}” {_HAPPENED.get(event, event)}" if subject else "Test message"
    return Notice(title=_one_line(title), text=_shortened(_TEXTS.get(event, _summary)(data)), path=path)


def render(format: WebhookFormat, message: Json, console_url: str) -> str:  # noqa: A002 - the field's own word
    """The body that is sent for a message; a mail is written from it when it is sent."""
    body = message if format in ("pagehand", "mail") else _CHATS[format](notice(message), console_url)
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def _subject(data: Json) -> tuple[str, str]:
    """What it is about, and its page."""
    if "execution" in data:
        execution = data["execution"]
        return execution["workflow"]["name"], f"/executions/{execution['id']}"
    if "batch" in data:
        return data["batch"]["name"] or data["batch"]["workflow"]["name"], f"/batches/{data['batch']['id']}"
    if "schedule" in data:
        return data["schedule"]["name"] or data["schedule"]["workflow"]["name"], "/schedules"
    return "", "/webhooks"


_HAPPENED: Final = {
    "execution.started": "has started",
    "execution.completed": "completed",
    "execution.failed": "failed",
    "execution.healed": "completed on a page that has changed",
    "execution.paused": "waits for a person",
    "authentication.waiting": "waits to sign in",
    "batch.finished": "is finished",
    "schedule.missed": "did not start when it was due",
}


def _summary(data: Json) -> str:
    return str(data.get("execution", {}).get("summary") or "")


def _failed(data: Json) -> str:
    return str(data["execution"].get("errorAnalysis") or _summary(data))


def _healed(data: Json) -> str:
    return f"Elements that had moved and were found again: {data['healed']}. Look at the proposed changes."


def _finished_batch(data: Json) -> str:
    batch = data["batch"]
    return f"{batch['completed']} of {batch['total']} completed, {batch['failed']} failed."


_TEXTS: Final[dict[str, Callable[[Json], str]]] = {
    "execution.failed": _failed,
    "execution.healed": _healed,
    "execution.paused": lambda data: str(data["reason"]),
    "authentication.waiting": lambda data: f"Its sign-in is {data['authentication']['status']}.",
    "batch.finished": _finished_batch,
    "schedule.missed": lambda data: str(data["reason"]),
    "webhook.test": lambda _: "Messages of Pagehand arrive here.",
}


def _one_line(text: str) -> str:
    # a line break would begin another header of a mail
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1] + "…"


def _shortened(text: str) -> str:
    return text if len(text) <= _TEXT_LENGTH else text[: _TEXT_LENGTH - 1] + "…"


def _slack(found: Notice, console_url: str) -> Any:
    """A message of Slack's incoming webhooks."""
    title, text = _slack_text(found.title), _slack_text(found.text)
    link = f"<{console_url}{found.path}|Open in Pagehand>"
    words = f"*{title}*\n{text}" if text else f"*{title}*"
    section = {"type": "section", "text": {"type": "mrkdwn", "text": words}}
    context = {"type": "context", "elements": [{"type": "mrkdwn", "text": link}]}
    return {"text": title, "blocks": [section, context]}


def _slack_text(text: str) -> str:
    # https://docs.slack.dev/messaging/formatting-message-text: else `<!channel>` would call everybody
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _teams(found: Notice, console_url: str) -> Any:
    """A message of Teams' Workflows webhooks: one adaptive card; its texts are not read as Markdown."""

    def run(text: str, **style: str) -> Any:
        return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **style}]}

    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
            run(found.title, weight="bolder", size="medium"),
            *([run(found.text)] if found.text else []),
        ],
        "actions": [{"type": "Action.OpenUrl", "title": "Open in Pagehand", "url": console_url + found.path}],
    }
    content = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [content]}


_CHATS: Final = {"slack": _slack, "teams": _teams}
