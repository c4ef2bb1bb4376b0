"""Alerts by mail: one message for what happened, or a digest of what happened many times."""

import json
from collections.abc import Awaitable, Callable, Sequence
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime, localtime, parseaddr
from html import escape
from typing import Final

from pagehand.errors import InvalidRequest
from pagehand.ports import Mail
from pagehand.records import Delivery, Webhook
from pagehand.webhooks.formats import Notice, notice

PREFIX: Final = "mailto:"
MOST_SHOWN: Final = 20
"""How many messages of a digest are shown; the others are counted."""
_MOST_RECIPIENTS: Final = 20
_MOST_PICTURE_BYTES: Final = 4_000_000
_SEND_SECONDS: Final = 15.0
_PNG: Final = b"\x89PNG"
ReadPicture = Callable[[str, str], Awaitable[bytes | None]]
"""The last picture of an organization's execution."""


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
