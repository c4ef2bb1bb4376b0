"""Steps outside the page: call a service, send results or mail, search the web, unpack a file."""

import re
from typing import Final

from pagehand.instructions.grammar.elements import on_element, read_element
from pagehand.instructions.grammar.filling import ENTER
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.outputs import mark_output_use
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.values import (
    read_address,
    read_extracted,
    read_last_value,
    read_mail_addresses,
    read_template,
    read_value,
)
from pagehand.instructions.grammar.vocabulary import Frame, OutputKind, ParseContext, Sentences, Slots
from pagehand.records import Json
from pagehand.workflow.words import ORDINAL_WORDS

_MAIL_HEADING: Final = "Waiting, searching, closing, mail"
_ENGINE: Final = re.compile(r"^(?:the )?(?:google|bing|duckduckgo|yahoo|web|internet)$", re.IGNORECASE)
_ELSEWHERE: Final = re.compile(r"\b(?:on|at|in the|on the|using|with|via) \S+$", re.IGNORECASE)
_FIRST_FIVE: Final = "|".join(ORDINAL_WORDS[:5])
_FILE: Final = re.compile(
    r"the (?:downloaded |saved )?(?:file|pdf|download|document|screenshot|report|invoice|statement)",
    re.IGNORECASE,
)
_RESULT: Final = re.compile(rf"the (?P<which>{_FIRST_FIVE})(?: search)? result", re.IGNORECASE)
_SEARCH_HEADING: Final = "Waiting, searching, closing, mail"


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
        Frame(
            "(post|send) {what} to {address}",
            _post,
            ("Extract the total, then post the results to https://example.com/hook",),
        ),
        Frame(
            "call [{method:get|head|post|put|patch|delete}] [[the] (api|endpoint) [at]] {address}",
            _call,
            ("Call GET https://example.com/api/rates",),
        ),
    ),
)
UNPACKING: Final = Sentences(
    _HEADING,
    (
        Frame(
            "(unzip|unpack) {what}",
            _unzip,
            ("Download https://example.com/a.zip and unzip it", "Unzip {{params.archive}}"),
        ),
    ),
)


def _send_mail(slots: Slots, context: ParseContext) -> Json:
    data: Json = {"toAddresses": read_mail_addresses(slots["to"], context)}
    for field, part in (("ccAddresses", "cc"), ("bccAddresses", "bcc")):
        if slots[part]:
            data[field] = read_mail_addresses(slots[part], context)
    if not (slots["subject"] or slots["body"] or slots["file"] or slots["what"]):
        raise NotUnderstood("email", "a mail has a subject: `send an email to … with the subject …`")
    if slots["subject"]:
        data["subject"] = read_last_value(slots["subject"], context)
    if slots["body"]:
        data["body"] = read_last_value(slots["body"], context)
    if (
        slots["file"]
        and (marked := mark_output_use({"data": data}, slots["file"], "attachments", "file")) is not None
    ):
        return marked
    if slots["file"]:
        data["attachments"] = [_attachment(slots["file"], context)]
    return {"data": data}


_PART: Final = re.compile(
    rf"[,;]? ?\b(?:(?:and|with|the|an?|in|as) ){{0,3}}(?:(?P<part>subject|title|text|body|message|content|"
    rf"saying|say|says"
    rf"|cc|bcc|attachment|attach|attaching|file)(?: line| to| is)?\b ?:? ?|(?P<to>to):? (?={TOKEN}))",
    re.IGNORECASE,
)
_ATTACHED: Final = re.compile(
    r",? with (?P<file>\S+|the [\w ]+) (?:attached|as (?:an )?attachment)$", re.IGNORECASE
)
_PART_NAMES: Final = {
    "title": "subject", "text": "body", "message": "body", "content": "body", "saying": "body", "say": "body",
    "says": "body", "attachment": "file", "attach": "file", "attaching": "file",
}  # fmt: skip


def _mail_parts(text: str, context: ParseContext) -> Slots:
    """Recipients, subject, text and the rest, in any order."""
    slots = Slots()
    if (attached := _ATTACHED.search(text)) is not None:
        slots["file"], text = attached["file"], text[: attached.start()]
    marks = list(_PART.finditer(text))
    parts = [("to", text[: marks[0].start()] if marks else text)]
    for mark, end in zip(marks, [*(after.start() for after in marks[1:]), len(text)], strict=False):
        part = (mark["part"] or mark["to"]).lower()
        parts.append((_PART_NAMES.get(part, part), text[mark.end() : end]))
    for name, words in parts[0 if parts[0][1].strip(" ,") else 1 :]:
        if slots[name] or not words.strip(" ,;"):
            raise context.not_understood(text, f"say each part once: {_MAIL_HINT}")
        slots[name] = re.sub(r"^(?:that says|to) ", "", words.strip(" ,;"))
    if not slots["to"]:
        raise context.not_understood(text, f"say to whom: {_MAIL_HINT}")
    return slots


_MAIL_HINT: Final = "`send an email to … with the subject … and the text …`"


def _mail(slots: Slots, context: ParseContext) -> Json:
    return _send_mail(_mail_parts(f"{slots['to']} {slots['parts']}".strip(), context), context)


def _mail_output(slots: Slots, context: ParseContext) -> Json:
    return _mail_read(slots["what"], _mail_parts(slots["parts"], context), context)


def _mail_read(what: str, slots: Slots, context: ParseContext) -> Json:
    """What was read becomes the text, a file an attachment."""
    block = _send_mail(Slots(slots, what=what), context)
    if (value := read_extracted(what, context)) is not None:
        return {"data": {**block["data"], "body": value}}
    words = "the file" if _FILE.fullmatch(what) else what
    field: tuple[str, OutputKind] = (
        ("attachments", "file") if _FILE.fullmatch(what) or what == "it" else ("body", "data")
    )
    marked = mark_output_use(block, words, *field)
    if marked is None:
        raise context.not_understood(what, "say what an earlier step has read or downloaded")
    return marked


def _attachment(text: str, context: ParseContext) -> str:
    value = read_value(text, context)
    if not value.startswith("{{"):
        raise context.not_understood(text, "a file comes from a parameter or a block: `{{params.file}}`")
    return value


_A_MAIL: Final = "[a|an|the|another] [short|new] (e-mail|email|mail|message)"
_SEND_IT: Final = "(send|e-mail|email|mail|forward) {what:it|them|(the|this|that|these|those) {rest}}"
MAILING: Final = Sentences(
    _MAIL_HEADING,
    (
        Frame(
            f"(@mail) {_A_MAIL} [:] {{parts}}",
            _mail,
            (
                'Send an email to ops@example.com with the subject "Done" and the text "All orders are in."',
                'Send an email to ops@example.com saying "All orders are in."',
                'Send a mail to ops@example.com, subject "Done", text "All orders are in."',
            ),
        ),
        Frame(f"(@mail) {{to:<literal> [(,|and|, and) <literal>]}} {_A_MAIL} [,|:] [{{parts}}]", _mail),
        Frame("(e-mail|email|mail) [:] {parts}", _mail),
        Frame(
            f"{_SEND_IT} [by e-mail|by email|by mail|in an e-mail|in an email] to {{parts}}",
            _mail_output,
            ("Read the total and email it to ops@example.com",),
        ),
    ),
)


def _search(slots: Slots, context: ParseContext) -> Json:
    if found := _ELSEWHERE.search(slots["query"]) or _ENGINE.search(slots.get("field", "")):
        raise NotUnderstood(
            found[0],
            "a search is made on the page that is open; put the words in quotes, or open another first",
        )
    data: Json = {"query": read_last_value(slots["query"], context)}
    if re.match(r"(?:the )?search\b", slots["field"], re.IGNORECASE):
        return {"data": data}
    if slots.get("field"):
        return on_element(read_element(slots["field"], context, "field"), data)
    return {"data": data}


def _search_web(slots: Slots, context: ParseContext) -> Json:
    return {"data": {"query": read_last_value(slots["query"], context)}}


def _merge_enter(search: Json, step: Json) -> Json | None:
    """A search presses Enter anyway."""
    return search if step.get("keys") == [ENTER] else None


def _merge_pick(search: Json, click: Json) -> Json | None:
    """A web search that opens the result which is clicked next; None for other steps."""
    locator: Json = click.get("locator") or {}
    words = str(locator.get("words", ""))
    if "pick" in search["data"] or not words.endswith("result"):
        return None
    if (found := _RESULT.fullmatch(words)) is None:
        raise NotUnderstood(words, "say which of the results: `the first result`")
    return {
        **search,
        "data": {**search["data"], "pick": {"index": ORDINAL_WORDS.index(found["which"].lower())}},
    }


SEARCHING: Final = Sentences(
    _SEARCH_HEADING,
    (
        Frame("(search for|look up) {query}", _search, ("Search for wireless headphones",)),
        Frame("search {query:<literal>}", _search),
        Frame(
            "(search for|search|look up|look for|find) {query} (in|using|with|via|on) [the] "
            "search [box|field|bar|input|function]",
            _search,
            ("Search for lamps in the search box",),
        ),
        Frame(
            "(search for|look up|look for) {query} in {field:the {name} (field|box|bar|input)|<literal>}",
            _search,
        ),
        Frame(
            "use the search [box|field|bar|function] to (find|search for|look for|look up) {query}", _search
        ),
        Frame(
            "search ({field:the {name} (field|box|bar|input)}|{field:<literal>|<literal> field}) for {query}",
            _search,
            ('Search the "Products" field for lamps',),
        ),
    ),
    merge_next=_merge_enter,
)
SEARCHING_WEB: Final = Sentences(
    _SEARCH_HEADING,
    (
        Frame(
            "(search the web for|search web for|search the internet for) {query}",
            _search_web,
            ("Search the web for Ada Lovelace and open the second result",),
        ),
    ),
    merge_next=_merge_pick,
)
