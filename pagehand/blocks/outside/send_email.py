"""Send an e-mail: a report to a colleague, a confirmation to a customer, files from the run attached.

Subject and body take templates. A body with HTML in it goes out as HTML with a plain text beside it.
`attachments` are files: a File info, its id, or a block's output that holds them. It outputs `{messageId}`,
and `refused` for recipients the mail server would not take; when it takes none the block fails. Once it has
begun to send, nothing repeats the execution by itself.

The operator names the mail server with `PAGEHAND_SMTP_HOST` and the settings beside it.
"""

import re
from collections.abc import Sequence
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from typing import Annotated, Any, ClassVar, Final

from pydantic import BeforeValidator, Field

from pagehand.blocks.base import IN_DOUBT, CommittingBlock
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed
from pagehand.records import Json, is_array
from pagehand.workflow.locator import Locator
from pagehand.workflow.templates import is_template
from pagehand.workflow.wire import Text

_MOST_RECIPIENTS: Final = 500
_MOST_BYTES: Final = 25 * 1024 * 1024
"""What attachments may add up to; few mail servers take more."""
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]")
_ADDRESS: Final = re.compile(r"[^\s@<>,;:\"()\[\]\\]{1,64}@[^\s@<>,;:\"()\[\]\\]{1,253}")
_MAILBOX: Final = re.compile(r"(?P<name>[^<>]*)<(?P<address>[^<>]*)>|(?P<bare>[^<>]*)")
_MIME_TYPE: Final = re.compile(r"[A-Za-z0-9]+/[A-Za-z0-9][\w.+-]*", re.ASCII)
_LONGEST_ADDRESS: Final = 500
_MARKUP: Final = re.compile(
    r"<(!doctype|html|body|div|p|br|table|a|b|i|h[1-6]|ul|ol|span|strong|em|img)(\s[^<>]*)?/?>", re.IGNORECASE
)


def _listed(value: Any) -> Any:
    """One address is a list of one; several may stand in one text, separated by commas."""
    if not isinstance(value, str) or is_template(value):
        return value
    quoted = value.split('"')  # a comma between quotes belongs to a name
    apart = '"'.join(part.replace(",", "\0") if place % 2 == 0 else part for place, part in enumerate(quoted))
    return [part.strip() for part in apart.split("\0") if part.strip()]


def _or_one_text(schema: Json) -> None:
    """For schemas: several addresses in one text, or a text with a template in it."""
    forms = {key: schema.pop(key) for key in ("type", "items", "minItems") if key in schema}
    schema["anyOf"] = [forms, {"type": "string", "pattern": r"^[\s,]*$|@|\{\{"}]


Addresses = Annotated[list[Text], BeforeValidator(_listed), Field(json_schema_extra=_or_one_text)]


class SendEmail(CommittingBlock):
    """Send an e-mail."""

    type: ClassVar[str] = "SendEmail"
    title: ClassVar[str] = "SendEmail"
    label: ClassVar[str] = "Send an e-mail"
    menu_position: ClassVar[int] = 2
    sentences: ClassVar[str] = "pagehand.instructions.grammar.external_steps:MAILING"
    also_called: ClassVar[tuple[str, ...]] = ("email", "mail", "sendMail", "notify")
    key_hints: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("to", "recipients", "recipient"), "did you mean `toAddresses`?"),
        "cc": "did you mean `ccAddresses`?",
        "bcc": "did you mean `bccAddresses`?",
        **dict.fromkeys(("text", "html", "message", "content"), "did you mean `body`?"),
        "files": "did you mean `attachments`?",
    }

    to_addresses: Addresses = Field(min_length=1)
    """Who gets it: addresses, with or without a name (`Ann <ann@a.example>`)."""
    cc_addresses: Addresses = Field(default_factory=list[str])
    """Who gets a copy."""
    bcc_addresses: Addresses = Field(default_factory=list[str])
    """Who gets a copy that nobody else sees."""
    subject: Text = ""
    """What it is about; one line."""
    body: Text = ""
    """What it says: plain text or HTML."""
    attachments: Any = None
    """Files to attach: one or an array of File infos, ids, or block outputs."""
    reply_to: Addresses = Field(default_factory=list[str])
    """Where answers go, if not to the sender."""

    @classmethod
    def what_prevents_running(cls, data: Json, locator: Locator | None) -> str | None:
        """A constant address or subject that no mail can have."""
        del locator
        try:
            for name in ("toAddresses", "ccAddresses", "bccAddresses", "replyTo"):
                for address in _constants(_listed(data.get(name))):
                    read_address(address, name)
            check_subject(data.get("subject") or "")
        except BlockFailed as problem:
            return problem.message
        return None

    async def run(self, ctx: RunContext) -> Outcome:
        """Write the message, hand it to the mail server, say who was refused."""
        to = [read_address(address, "toAddresses") for address in self.to_addresses]
        cc = [read_address(address, "ccAddresses") for address in self.cc_addresses]
        bcc = [read_address(address, "bccAddresses") for address in self.bcc_addresses]
        message = write_message(
            sender=read_address(ctx.mail.sender, "sender"),
            to=to,
            cc=cc,
            reply_to=[read_address(address, "replyTo") for address in self.reply_to],
            subject=self.subject,
            body=self.body,
        )
        # before the effect begins: a file that is missing must not leave it unknown whether a mail went out
        await self._attach_files(ctx, message)
        recipients = _recipients([*to, *cc, *bcc])
        try:
            async with ctx.beginning_effect(f"an e-mail to {len(recipients)} recipients"):
                refused = await ctx.mail.send(message, recipients, timeout_seconds=ctx.remaining_seconds)
        except IN_DOUBT as error:
            return await self.settle_doubt(ctx, error)
        return _outcome(str(message["Message-ID"]), recipients, dict(refused))

    async def _attach_files(self, ctx: RunContext, message: EmailMessage) -> None:
        size = 0
        for reference in _files(self.attachments):
            info = await ctx.files.find(reference)
            size += info.size_bytes
            if size > _MOST_BYTES:
                raise BlockFailed(
                    f"`data.attachments` add up to more than {_MOST_BYTES // 1024 // 1024} MB; "
                    "few mail servers take that. Send fewer or smaller files."
                )
            attach(message, info.name, info.mime_type, await ctx.files.read(info))


def _constants(addresses: Any) -> list[str]:
    """Those without a template."""
    given = addresses if is_array(addresses) else []
    return [address for address in given if isinstance(address, str) and "{{" not in address]


def _files(given: Any) -> list[Any]:
    """References to files, out of one, an array, or arrays within an array; null is none."""
    if given is None or given == "":
        return []
    if is_array(given):
        return [file for item in given for file in _files(item)]
    return [given]


def _recipients(addresses: Sequence[Address]) -> list[str]:
    """Each once, however many fields name it."""
    found = list(dict.fromkeys(address.addr_spec for address in addresses))
    if len(found) > _MOST_RECIPIENTS:
        raise BlockFailed(f"{len(found)} recipients are too many for one mail; {_MOST_RECIPIENTS} can be.")
    return found


def _outcome(message_id: str, recipients: list[str], refused: dict[str, str]) -> Outcome:
    output: Json = {"messageId": message_id}
    sentence = f"Sent to {len(recipients) - len(refused)} of {len(recipients)}"
    if refused:
        output["refused"] = [{"address": reason, "reason": why} for reason, why in refused.items()]
        sentence += "; refused: " + ", ".join(f"`{reason}` ({why})" for reason, why in refused.items())
    return Outcome(output, sentence, {"recipients": len(recipients), "refused": len(refused)})


def read_address(text: str, field: str) -> Address:
    """`Ann <ann@a.example>` or a bare address; `BlockFailed` names the field."""
    # `email.utils.getaddresses` takes almost anything for an address; what we send to must be exactly one
    if _CONTROLS.search(text):
        raise BlockFailed(f"`data.{field}`: an address cannot hold line breaks.")
    found = _MAILBOX.fullmatch(text.strip()) if len(text) <= _LONGEST_ADDRESS else None
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


EXAMPLES: list[Json] = [
    {
        "type": "SendEmail",
        "data": {
            "toAddresses": ["{{params.email}}"],
            "ccAddresses": ["Accounting <accounting@example.com>"],
            "subject": "Your order {{params.order}}",
            "body": "<p>Thank you! Order <b>{{params.order}}</b> is on its way.</p>",
            "isCommit": True,
        },
    },
]
