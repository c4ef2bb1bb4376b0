"""Puts an e-mail together: addresses checked, text and HTML side by side, files attached."""

import re
from collections.abc import Sequence
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from typing import Final

from pagehand.errors import BlockFailed

_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]")
_ADDRESS: Final = re.compile(r"[^\s@<>,;:\"()\[\]\\]{1,64}@[^\s@<>,;:\"()\[\]\\]{1,253}")
_MAILBOX: Final = re.compile(r"(?P<name>[^<>]*)<(?P<address>[^<>]*)>|(?P<bare>[^<>]*)")
_MIME_TYPE: Final = re.compile(r"[A-Za-z0-9]+/[A-Za-z0-9][\w.+-]*", re.ASCII)
_LONGEST: Final = 500
_MARKUP: Final = re.compile(
    r"<(!doctype|html|body|div|p|br|table|a|b|i|h[1-6]|ul|ol|span|strong|em|img)(\s[^<>]*)?/?>", re.IGNORECASE
)


def read_address(text: str, field: str) -> Address:
    """`Ann <ann@a.example>` or a bare address; `BlockFailed` names the field."""
    # `email.utils.getaddresses` takes almost anything for an address; what we send to must be exactly one
    if _CONTROLS.search(text):
        raise BlockFailed(f"`data.{field}`: an address cannot hold line breaks.")
    found = _MAILBOX.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    address = (found["bare"] or found["address"] or "") if found else ""
    if found is None or not _ADDRESS.fullmatch(address):
        raise BlockFailed(f"`data.{field}`: `{text[:100]}` is not a mail address.")
    name = (found["name"] or "").strip().strip('"')
    user, _, domain = address.rpartition("@")
    try:
        return Address(name, user, domain.encode("idna").decode() if not domain.isascii() else domain)
    except (UnicodeError, ValueError) as error:
        raise BlockFailed(f"`data.{field}`: `{text[:100]}` is not a mail address: {error}") from None


def check_subject(subject: str) -> None:
    """`BlockFailed` for one that would break out of its header."""
    if _CONTROLS.search(subject):
        raise BlockFailed("`data.subject` cannot hold line breaks; they would begin another header.")


def write_message(
    *,
    sender: Address,
    to: Sequence[Address],
    cc: Sequence[Address],
    reply_to: Sequence[Address],
    subject: str,
    body: str,
) -> EmailMessage:
    """The message with its identity and its text; recipients of blind copies are nowhere in it."""
    check_subject(subject)
    message = EmailMessage(policy=SMTP)
    message["From"] = sender
    for name, addresses in (("To", to), ("Cc", cc), ("Reply-To", reply_to)):
        if addresses:
            message[name] = tuple(addresses)
    message["Subject"] = _whole(subject)
    message["Date"] = formatdate(localtime=False)
    # the sender's domain: the default would tell recipients the name of this machine
    message["Message-ID"] = make_msgid(domain=sender.domain)
    body = _whole(body)
    if is_html(body):
        message.set_content(as_plain_text(body))
        message.add_alternative(body, subtype="html")
    else:
        message.set_content(body)
    return message


def attach(message: EmailMessage, name: str, mime_type: str, content: bytes) -> None:
    """Add a file."""
    main, _, sub = mime_type.partition(";")[0].strip().partition("/")
    # a multipart type would have to hold parts, and mail programs would look for them in the file
    if not _MIME_TYPE.fullmatch(f"{main}/{sub}") or main.lower() == "multipart":
        main, sub = "application", "octet-stream"
    message.add_attachment(content, maintype=main, subtype=sub, filename=_CONTROLS.sub("_", name))


def is_html(body: str) -> bool:
    """True when the text is marked up."""
    return _MARKUP.search(body) is not None


def as_plain_text(markup: str) -> str:
    """What a reader without HTML sees."""
    from pagehand.documents.html_text import text_of  # noqa: PLC0415 - only runs that send HTML need its parser

    return text_of(markup) + "\n"


def _whole(text: str) -> str:
    """Half a surrogate pair, as pages may hold, becomes `?`: mail cannot carry it."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
