"""Steps that send mail."""

from typing import Final

from pagehand.instructions.grammar.values import read_last_value, read_mail_addresses, read_value
from pagehand.instructions.grammar.vocabulary import ParseContext, Rule, Sentences, Slots
from pagehand.records import Json


def _send_mail(slots: Slots, context: ParseContext) -> Json:
    data: Json = {"toAddresses": read_mail_addresses(slots["to"], context)}
    for field, part in (("ccAddresses", "cc"), ("bccAddresses", "bcc")):
        if slots[part]:
            data[field] = read_mail_addresses(slots[part], context)
    data["subject"] = read_last_value(slots["subject"], context)
    if slots["body"]:
        data["body"] = read_last_value(slots["body"], context)
    if slots["file"]:
        data["attachments"] = [_attachment(slots["file"], context)]
    return {"data": data}


def _attachment(text: str, context: ParseContext) -> str:
    value = read_value(text, context)
    if not value.startswith("{{"):
        raise context.not_understood(text, "a file comes from a parameter or a block: `{{params.file}}`")
    return value


_HEADING: Final = "Waiting, searching, closing, mail"

_ADDRESSES: Final = r"(?:(?! (?:cc|bcc|subject) ).)+?"
"""Up to the word that announces what follows."""

MAILING: Final = Sentences(
    _HEADING,
    (
        Rule(
            "send|write",
            r" (?:an? |the )?(?:e-?mail|mail|message) to "
            rf"(?P<to>{_ADDRESSES})(?:,? (?:with )?cc(?: to)? (?P<cc>{_ADDRESSES}))?"
            rf"(?:,? (?:with )?bcc(?: to)? (?P<bcc>{_ADDRESSES}))?"
            r",? (?:with|and) (?:the |a )?subject {subject}(?:,? (?:and|"
            r"with|and with)? ?(?:the |a )?(?:text|body|message|content) {body})?(?:,? (?:and|with|"
            r"and with) (?:the )?(?:attachment|file|attach) {file})?",
            _send_mail,
            ('Send an email to ops@example.com with the subject "Done" and the text "All orders are in."',),
        ),
    ),
)
