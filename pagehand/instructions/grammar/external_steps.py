"""Steps outside the page: send results to another service, call one, unpack a file."""

from typing import Final

from pagehand.instructions.grammar.outputs import mark_output_use
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.values import read_address, read_template
from pagehand.instructions.grammar.vocabulary import ParseContext, Rule, Sentences, Slots
from pagehand.records import Json


def _post(slots: Slots, context: ParseContext) -> Json:
    address = _service(slots["address"], context)
    block: Json = {"data": {"method": "POST", "route": address}}
    if (marked := mark_output_use(block, slots["what"], "data", "data")) is not None:
        return marked
    return {"data": {**block["data"], "data": _output(slots["what"], context)}}


def _call(slots: Slots, context: ParseContext) -> Json:
    method = (slots["method"] or "GET").upper()
    return {"data": {"method": method, "route": _service(slots["address"], context)}}


def _service(text: str, context: ParseContext) -> str:
    """The full address of a call: a path alone could belong to any site."""
    if (token := context.literals.token(text)) is not None and token.kind == "email":
        raise NotUnderstood(token.written, "a mail has a subject: `send an email to … with the subject …`")
    address = read_address(text, context)
    if not address.startswith(("http://", "https://", "{{")) or context.literals.token(text) is None:
        raise context.not_understood(text, "give the whole address, with `https://`")
    return address


def _unzip(slots: Slots, context: ParseContext) -> Json:
    marked = mark_output_use({"data": {}}, slots["what"], "file", "file")
    return marked or {"data": {"file": _output(slots["what"], context)}}


def _output(text: str, context: ParseContext) -> str:
    hint = "it should be the output of an earlier step, or a template such as `{{params.order}}`"
    return read_template(text, context, hint)


_HEADING: Final = "Handing on what was read"

CALLING: Final = Sentences(
    _HEADING,
    (
        Rule(
            "post|send",
            r" {what} to {address}",
            _post,
            ("Extract the total, then post the results to https://example.com/hook",),
        ),
        Rule(
            "call",
            r"(?: (?P<method>get|head|post|put|patch|delete))?(?: (?:the )?(?:api|endpoint)(?: at)?)?"
            r" {address}",
            _call,
            ("Call GET https://example.com/api/rates",),
        ),
    ),
)

UNPACKING: Final = Sentences(
    _HEADING,
    (
        Rule(
            "unzip|unpack",
            r" {what}",
            _unzip,
            ("Download https://example.com/a.zip and unzip it", "Unzip {{params.archive}}"),
        ),
    ),
)
