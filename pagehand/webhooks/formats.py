"""What a message says in words, the shapes in which chats take it, and alerts by mail."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime, localtime, parseaddr
from html import escape
from typing import Any, Final

from pagehand.errors import InvalidRequest
from pagehand.ports import Mail
from pagehand.records import Delivery, Json, Webhook, WebhookFormat

_TITLE_LENGTH: Final = 150
_TEXT_LENGTH: Final = 2000
"""A section of Slack takes 3,000 characters, and escaping makes some longer."""
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
PREFIX: Final = "mailto:"
MOST_SHOWN: Final = 20
"""How many messages of a digest are shown; the others are counted."""
_MOST_RECIPIENTS: Final = 20
_MOST_PICTURE_BYTES: Final = 4_000_000
_SEND_SECONDS: Final = 15.0
_PNG: Final = b"\x89PNG"
ReadPicture = Callable[[str, str], Awaitable[bytes | None]]
"""The last picture of an organization's execution."""


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


class AlertMail:
    """Writes and sends alerts through the operator's mail server."""

    def __init__(self, mail: Mail, console_url: str, read_picture: ReadPicture) -> None:
        self._mail = mail
        self._console_url = console_url
        self._read_picture = read_picture

    async def send(self, webhook: Webhook, deliveries: Sequence[Delivery], total: int) -> None:
        """Send one mail about all of these; `total` counts those that are not shown too."""
        messages = [json.loads(delivery.body) for delivery in deliveries]
        notices = [notice(message) for message in messages]
        picture = None
        execution = messages[0]["data"].get("execution")
        if execution and total == 1:
            picture = await self._read_picture(webhook.organization_id, execution["id"])
        to = recipients(webhook.url)
        mail = self._write(deliveries[0], notices, total, picture)
        mail["To"] = [Address(addr_spec=address) for address in to]
        await self._mail.send(mail, to, timeout_seconds=_SEND_SECONDS)

    def _write(
        self, first: Delivery, notices: Sequence[Notice], total: int, picture: bytes | None
    ) -> EmailMessage:
        mail = EmailMessage()
        name, sender = parseaddr(self._mail.sender)
        mail["From"] = Address(name, addr_spec=sender)
        mail["Subject"] = f"[Pagehand] {notices[0].title}" + (f" ({total} times)" if total > 1 else "")
        mail["Date"] = format_datetime(localtime())
        # the same in every try, so that a mailbox can tell a repetition
        mail["Message-ID"] = f"<{first.message_id}.{first.webhook_id}@{sender.rpartition('@')[2]}>"
        mail["Auto-Submitted"] = "auto-generated"  # no answers of other robots
        left = f"And {total - len(notices)} more." if total > len(notices) else ""
        plain = [f"{found.title}\n{self._console_url}{found.path}\n\n{found.text}" for found in notices]
        mail.set_content("\n\n\n".join([*plain, *([left] if left else [])]) + "\n")
        shown = picture if picture is not None and len(picture) <= _MOST_PICTURE_BYTES else None
        mail.add_alternative(self._html(notices, left, has_picture=shown is not None), subtype="html")
        if shown is not None:
            [_, html] = mail.iter_parts()
            kind = "png" if shown.startswith(_PNG) else "jpeg"
            html.add_related(shown, "image", kind, cid="<picture>", filename=f"picture.{kind}")
        return mail

    def _html(self, notices: Sequence[Notice], left: str, *, has_picture: bool) -> str:
        parts = [
            f'<h3><a href="{escape(self._console_url + found.path)}">{escape(found.title)}</a></h3>'
            f'<p style="white-space: pre-wrap">{escape(found.text)}</p>'
            for found in notices
        ]
        if has_picture:
            parts.append(
                '<p><img src="cid:picture" alt="The page at that moment" style="max-width: 100%"></p>'
            )
        return "\n".join([*parts, *([f"<p>{escape(left)}</p>"] if left else [])])


def recipients(url: str) -> list[str]:
    """The addresses of a `mailto:` target; `InvalidRequest` for anything else."""
    found = [part.strip() for part in url.removeprefix(PREFIX).split(",")]
    if not url.startswith(PREFIX) or not all(map(_is_address, found)):
        raise InvalidRequest("`url`: expected addresses such as `mailto:ann@example.com,bob@example.com`")
    if len(found) > _MOST_RECIPIENTS:
        raise InvalidRequest(f"`url`: at most {_MOST_RECIPIENTS} addresses get an alert")
    return list(dict.fromkeys(found))


def _is_address(text: str) -> bool:
    user, at, domain = text.rpartition("@")
    is_plain = text.isascii() and text.isprintable() and not set(text) & set(' "<>()[],;:\\?&%')
    return bool(user and at and domain) and is_plain and "@" not in user
