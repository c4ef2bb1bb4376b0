"""Reads a mail message in a file (EML): headers, text, tables and attachments."""

import email
import email.policy
from collections.abc import Iterator, Mapping
from email.message import EmailMessage
from typing import Any, Final

from pagehand.documents.document import Document, Page, select_pages, split_lines
from pagehand.documents.html import read_page
from pagehand.documents.tasks import SendFile
from pagehand.errors import BlockFailed
from pagehand.records import Json

_HEADERS: Final = ("From", "To", "Cc", "Date", "Subject")
_MOST_ATTACHMENTS: Final = 1000


def read(content: bytes, options: Mapping[str, Any], _: SendFile) -> Json:
    """Headers and text as lines, the tables of an HTML message, and a list of attachments."""
    message = email.message_from_bytes(content, policy=email.policy.default)
    headers = {name: str(message[name]) for name in _HEADERS if message[name]}
    if not headers:
        raise BlockFailed("It is not a mail message: it has no `From`, `To` or `Subject`.")
    page = _body(message)
    lines = [f"{name}: {value}" for name, value in headers.items()]
    page.text = "\n".join([*lines, "", page.text])
    page.lines = [*([name, value] for name, value in headers.items()), *page.lines]
    more = {
        **{name.lower(): value for name, value in headers.items()},
        "attachments": list(_attachments(message)),
    }
    return Document(select_pages([page], options), title=headers.get("Subject", ""), more=more).to_json(
        options
    )


def _body(message: EmailMessage) -> Page:
    """The plain text if there is any, else the text of the HTML; tables come from the HTML."""
    plain, formatted = message.get_body(("plain",)), message.get_body(("html",))
    page = read_page(_text(formatted))[1] if formatted is not None else Page()
    if plain is not None:
        page.text = _text(plain).strip()
        page.lines = [*page.lines, *split_lines(page.text)]
    return page


def _text(part: Any) -> str:
    try:
        return str(part.get_content())
    except (LookupError, UnicodeDecodeError):  # an encoding that does not exist
        return (part.get_payload(decode=True) or b"").decode(errors="replace")


def _attachments(message: EmailMessage) -> Iterator[Json]:
    for number, part in enumerate(message.iter_attachments()):
        if number >= _MOST_ATTACHMENTS:
            return
        content = part.get_payload(decode=True)
        yield {
            "name": part.get_filename() or f"attachment-{number + 1}",
            "mimeType": part.get_content_type(),
            "sizeBytes": len(content) if isinstance(content, bytes) else len(part.as_bytes()),
        }
