"""Steps outside the page: call a service, send results or mail, search the web, unpack a file."""

import json
import re
from typing import Final

from pagehand.instructions.grammar.chart import merge_steps
from pagehand.instructions.grammar.documents import with_file
from pagehand.instructions.grammar.elements import on_element, read_element
from pagehand.instructions.grammar.filling import ENTER
from pagehand.instructions.grammar.flow import read_inner, several
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import camel
from pagehand.instructions.grammar.outputs import mark_output_use
from pagehand.instructions.grammar.refusal import NotUnderstood, OtherFrame
from pagehand.instructions.grammar.values import (
    read_address,
    read_extracted,
    read_last_value,
    read_mail_addresses,
    read_reference,
    read_template,
    read_value,
)
from pagehand.instructions.grammar.vocabulary import Frame, ParseContext, Sentences, Slots
from pagehand.records import Json
from pagehand.workflow.words import ORDINAL_WORDS, by_word

_MISC_HEADING: Final = "Waiting, searching, closing, mail"
_ENGINE: Final = re.compile(r"^(?:the )?(?:google|bing|duckduckgo|yahoo|web|internet)$", re.IGNORECASE)
_OTHER_SITE: Final = re.compile(r"\b(?:on|at|in the|on the|using|with|via) \S+$", re.IGNORECASE)
_FIRST_FIVE: Final = "|".join(ORDINAL_WORDS[:5])
_RESULT: Final = re.compile(
    rf"the (?P<which>{_FIRST_FIVE})(?: search)? (?:result|hit|match|link)"
    r"(?: (?:on|from|at) (?P<site>(?:[\w-]+\.)+[a-z]{2,}))?",
    re.IGNORECASE,
)


def _post(slots: Slots, context: ParseContext) -> Json:
    address = _service(slots["address"], context)
    block: Json = {"data": {"method": "POST", "route": address}}
    if (marked := mark_output_use(block, slots["what"], data="data")) is not None:
        return marked
    return {"data": {**block["data"], "data": _output(slots["what"], context)}}


_METHOD: Final = re.compile(r"\b(get|head|post|put|patch|delete)\b", re.IGNORECASE)
_IS: Final = " set to | of | as | to | is "
_PAIR: Final = (
    rf"(?:{TOKEN}|(?<![\w-])[A-Za-z][\w-]*) ?(?:[:=]|{_IS}) ?(?:Bearer |Basic )?(?:{TOKEN}|[^\s,;]+)|{TOKEN}"
)
_PAIRS: Final = rf"(?P<pairs>(?:{_PAIR})(?:(?:, and|,| and) (?:{_PAIR}))*)"
_HEADERS: Final = re.compile(
    rf"\b(?:the |an? )?(?:http )?headers? (?:called |named |set to )?{_PAIRS}", re.IGNORECASE
)
_QUERY: Final = re.compile(rf"\b(?:the )?query(?: parameters?| string)? {_PAIRS}", re.IGNORECASE)
_STATUS: Final = re.compile(
    r"\b(?:and )?(?:expect(?:ing)?|should (?:return|answer with)) (?:an? |the )?(?:status |code |http "
    r")*(?P<status>\d{3})\b",
    re.IGNORECASE,
)
_BODY: Final = re.compile(
    rf"\b(?:(?:the|an?|this|following|json|request) ){{0,4}}(?:body|json|payload|data|values?|fields?) "
    rf"(?:is |of |being )?:? ?{_PAIRS}",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    # bounded: of many that begin with `with the` each would be read to its end
    r"\bwith (?P<names>the [\w', ]{1,300}+)$",
    re.IGNORECASE,
)
_AROUND: Final = re.compile(
    r"(?:\b(?:call|make|send|issue|perform|trigger|invoke|do|run|fire|hit|curl|a|an|the|with|to|by|via"
    r"|using|as|and|request|http|https|rest|api|endpoint|url|address|at|on|json|body|payload|method|of"
    r"|against|service|webhook|web|its|this|following|in|it|containing|having|headers?|verb|for|from|out"
    r"|off|containing|data)\b|[,:;()\s])*",
    re.IGNORECASE,
)


def _call(slots: Slots, context: ParseContext) -> Json:
    """A call of a service: method, address, headers and body in any order, and words that say no more."""
    rest, data = slots["said"], Json()
    for field, pattern in (("headers", _HEADERS), ("query", _QUERY)):
        if (found := pattern.search(rest)) is not None:
            data[field] = _pairs(found["pairs"], context)
            rest = rest[: found.start()] + rest[found.end() :]
    if (status := _STATUS.search(rest)) is not None:
        data["expectStatus"] = int(status["status"])
        rest = rest[: status.start()] + rest[status.end() :]
    if not (found := [part for part in re.findall(TOKEN, rest) if _is_service(part, context)]):
        raise OtherFrame("an address was expected, such as `https://example.com`")
    route, rest = _service(found[0], context), rest.replace(found[0], " ", 1)
    methods = {method.upper() for method in _METHOD.findall(rest)}
    rest, body = _METHOD.sub(" ", rest), _body(rest.rstrip(), context)
    rest = rest.replace(body[0], " ", 1)
    if len(methods) > 1 or not _AROUND.fullmatch(rest):
        raise NotUnderstood(
            slots["said"], "say `call POST https://… with the body {…} and the header Name: value`"
        )
    if body[1] and not methods:
        raise NotUnderstood(slots["said"], "say by which method: `call POST …`")
    data = {"method": (methods or {"GET"}).pop(), "route": route, **data}
    return {"data": {**data, "data": body[1]} if body[1] else data}


def _is_service(part: str, context: ParseContext) -> bool:
    token = context.literals.token(part)
    return token is not None and token.kind in ("url", "template")


def _body(rest: str, context: ParseContext) -> tuple[str, Json | str]:
    """The words that say what is sent, and what it is."""
    for part in re.findall(TOKEN, rest):
        token = context.literals.token(part)
        if token is not None and token.kind == "json":
            return part, _read_json(token.value)
    if (found := _BODY.search(rest)) is not None:
        token = context.literals.token(found["pairs"])
        return found[0], token.value if token is not None else _pairs(found["pairs"], context)
    if (found := _NAMED.search(rest)) is None:
        return "", ""
    names = re.split(r", and |, | and ", found["names"])
    values = {
        camel(re.sub(r"^the ", "", name)): read_reference(f"the {re.sub(r'^the ', '', name)}", context)
        for name in names
    }
    if not all(values.values()):
        raise NotUnderstood(found["names"], 'say the body as JSON, such as `{"name": "Ada"}`')
    return found[0], values


def _read_json(text: str) -> Json:
    # a template that stands for a number or a list has no quotes
    quoted = re.sub(r"(?<=[:,\[\s])(\{\{[^{}]*\}\})(?=\s*[,\]}])", r'"\1"', text)
    try:
        return json.loads(quoted)
    except ValueError:
        raise NotUnderstood(text, "it is not JSON; names and texts stand in double quotes") from None


def _pairs(text: str, context: ParseContext) -> Json:
    found: Json = {}
    for pair in re.findall(_PAIR, text):
        written = token.value if (token := context.literals.token(pair)) else context.literals.unmask(pair)
        name, mark, value = (
            re.split(r" ?(:|=| set to | of | as | to | is ) ?", written, maxsplit=1)
            if re.search(r"[:=]| (?:set to|of|as|to|is) ", written)
            else (written, "", "")
        )
        if not mark or name in found:
            raise NotUnderstood(pair, "say each as `Name: value`")
        found[name] = value
    return found


def _service(text: str, context: ParseContext) -> str:
    """The full address of a call: a path alone could belong to any site."""
    if (token := context.literals.token(text)) is not None and token.kind == "email":
        raise NotUnderstood(token.written, "a mail has a subject: `send an email to … with the subject …`")
    address = read_address(text, context)
    if not address.startswith(("http://", "https://", "{{")) or context.literals.token(text) is None:
        raise NotUnderstood(text, "give the whole address, with `https://`")
    return address


def _merge_kept(block: Json, step: Json) -> Json | None:
    """Which of the unpacked files are kept."""
    if "kept" not in step or "pattern" in block["data"]:
        return None
    return {**block, "data": {**block["data"], "pattern": step["kept"]}}


def _output(text: str, context: ParseContext) -> str | Json:
    bare = re.sub(
        rf"^(?:the |this )?(?:json |data |object |body )*(?={TOKEN}$)", "", text, flags=re.IGNORECASE
    )
    if (token := context.literals.token(bare)) is not None and token.kind == "json":
        return _read_json(token.value)
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
            "{said:(retrieve|fetch|request) <literal> {rest:(get)|by get|via get|with get|using get}}"
            "| {said:(call|invoke|make|send|issue|perform|trigger|fire|curl|do a|run a|hit the) {rest}"
            "|(post|get|put|patch|delete|head) [to|from] <literal> [{rest}]}",
            _call,
            (
                "Call GET https://example.com/api/rates",
                'Send a PUT request to https://example.com/api/5 with the body {"open": true}',
            ),
        ),
    ),
)
UNPACKING: Final = Sentences(
    _HEADING,
    (
        Frame(
            "(keep|only keep|just keep) [only|just] [the|all the]"
            " {ending:pdf|csv|xml|xlsx|docx|txt|json|png|jpg} (files|ones)",
            lambda slots, _context: {"kept": f"*.{slots['ending'].lower()}"},
        ),
        Frame(
            "(unzip|unpack|decompress|(@read) (the|all the|all) (files|contents) (from|of|in|out of)) {what}",
            lambda slots, context: with_file({}, slots["what"], context),
            ("Download https://example.com/a.zip and unzip it", "Unzip {{params.archive}}"),
        ),
    ),
    merge_next=_merge_kept,
)


def _send_mail(slots: Slots, context: ParseContext) -> Json:
    data: Json = {"toAddresses": read_mail_addresses(slots["to"], context)}
    for field, part in (("ccAddresses", "cc"), ("bccAddresses", "bcc")):
        if slots[part]:
            data[field] = read_mail_addresses(slots[part], context)
    if slots["reply"]:
        [data["replyTo"]] = read_mail_addresses(slots["reply"], context)
    if not (slots["subject"] or slots["body"] or slots["file"] or slots["what"]):
        raise NotUnderstood("email", "a mail has a subject: `send an email to … with the subject …`")
    if slots["subject"]:
        data["subject"] = read_last_value(slots["subject"], context)
    if slots["body"]:
        data["body"] = read_last_value(slots["body"], context)
    if (
        slots["file"]
        and (marked := mark_output_use({"data": data}, slots["file"], file="attachments")) is not None
    ):
        return marked
    if slots["file"]:
        data["attachments"] = [_attachment(slots["file"], context)]
    return {"data": data}


_PART: Final = re.compile(
    rf"[,;]? ?\b(?:(?:and|with|the|an?|in|as) ){{0,3}}(?:(?P<part>subject|title|text|body|message|content"
    rf"|saying|say|says|cc|bcc|copy|blind copy|reply-to|reply to|replies to|attachment|attach|attaching"
    rf"|file)(?: line| to| is)?\b ?:? ?|(?P<to>to):? (?={TOKEN}))",
    re.IGNORECASE,
)
_ATTACHED: Final = re.compile(
    r",? with (?P<file>\S+|the [\w ]+) (?:attached|as (?:an )?attachment)$", re.IGNORECASE
)
_PART_NAMES: Final = by_word(
    {
        "subject": "title",
        "body": "text|message|content|saying|say|says",
        "file": "attachment|attach|attaching",
        "cc": "copy",
        "bcc": "blind copy",
        "reply": "reply-to|reply to|replies to",
    }
)


def _mail_parts(text: str) -> Slots:
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
            raise NotUnderstood(text, f"say each part once: {_MAIL_HINT}")
        slots[name] = re.sub(r"^(?:that says|to) ", "", words.strip(" ,;"))
    if not slots["to"]:
        raise NotUnderstood(text, f"say to whom: {_MAIL_HINT}")
    return slots


_MAIL_HINT: Final = "`send an email to … with the subject … and the text …`"


def _mail(slots: Slots, context: ParseContext) -> Json:
    words = re.sub(r" \(((?:b?cc|copy|reply)\b[^()]*)\)", r", \1", f"{slots['to']} {slots['parts']}".strip())
    words = re.sub(r"\b(the [\w' ]{1,80}?) as (?:the )?(text|body|message|subject)\b", r"\2 \1", words)
    return _send_mail(_mail_parts(words), context)


def _mail_read(what: str, slots: Slots, context: ParseContext) -> Json:
    """What was read becomes the text, a file an attachment."""
    block = _send_mail(Slots(slots, what=what), context)
    if (value := read_extracted(what, context)) is not None:
        return {"data": {**block["data"], "body": value}}
    marked = mark_output_use(block, what, file="attachments", data="body")
    if marked is None:
        raise NotUnderstood(what, "say what an earlier step has read or downloaded")
    return marked


def _attachment(text: str, context: ParseContext) -> str:
    value = read_value(text, context)
    if not value.startswith("{{"):
        raise NotUnderstood(text, "a file comes from a parameter or a block: `{{params.file}}`")
    return value


_A_MAIL: Final = "[a|an|the|another] [short|new] (e-mail|email|mail|message)"
_SEND_IT: Final = (
    "(send|e-mail|email|mail|forward) {what:it|them|all of them|(the|this|that|these|those|all the) {rest}}"
)
MAILING: Final = Sentences(
    _MISC_HEADING,
    (
        Frame(
            f"(@mail) {_A_MAIL} [:] {{parts}} | (e-mail|email|mail) [:] {{parts}}"
            f"| (@mail) {{to:<literal> [(,|and|, and) <literal>]}} {_A_MAIL} [,|:] [{{parts}}]",
            _mail,
            (
                'Send an email to ops@example.com with the subject "Done" and the text "All orders are in."',
                'Send an email to ops@example.com saying "All orders are in."',
                'Send a mail to ops@example.com, subject "Done", text "All orders are in."',
            ),
        ),
        Frame(
            f"{_SEND_IT} [(by|in|via|as) [a|an] (e-mail|email|mail|attachment)] to {{parts}}",
            lambda slots, context: _mail_read(slots["what"], _mail_parts(slots["parts"]), context),
            ("Read the total and email it to ops@example.com",),
        ),
    ),
)


def _search(slots: Slots, context: ParseContext) -> Json:
    words = slots["query"].lower().split()
    if "with" in words or words[-1] in ("search", "page", "site"):
        raise OtherFrame("put the words that are looked for in quotes")
    if found := _OTHER_SITE.search(slots["query"]) or _ENGINE.search(slots.get("field", "")):
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
    *_, before, last = ["", *slots["query"].lower().split()]
    if (before in ("on", "at", "within") and "." in last) or not re.fullmatch(
        r"(?:(?:[\w-]+\.)+[a-z]{2,})?", slots["site"]
    ):
        raise OtherFrame("say one site by its address, such as `on example.com`")
    site = {"site": slots["site"]} if slots["site"] else {}
    return {"data": {"query": read_last_value(slots["query"], context), **site}}


def _find_on_web(slots: Slots, context: ParseContext) -> Json:
    search = context.vocabulary.block(SEARCHING_WEB, _search_web(slots, context)["data"])
    steps = read_inner(slots["steps"], context) if slots["steps"] else []
    return several(*merge_steps([search], steps, context))


def _merge_enter(search: Json, step: Json) -> Json | None:
    """A search presses Enter anyway."""
    return search if step.get("keys") == [ENTER] else None


def _merge_pick(search: Json, click: Json) -> Json | None:
    """A web search that opens the result which is clicked next; None for other steps."""
    locator: Json = click.get("locator") or {}
    words = str(locator.get("words", ""))
    if "pick" in search["data"] or not re.search(r" (?:result|hit|match)\b", words):
        return None
    if (found := _RESULT.fullmatch(words)) is None:
        raise NotUnderstood(words, "say which of the results: `the first result`")
    site = {"site": found["site"]} if found["site"] else {}
    pick = {"index": ORDINAL_WORDS.index(found["which"].lower())}
    return {**search, "data": {**search["data"], **site, "pick": pick}}


_SEARCH_BOX: Final = (
    "([the|this] [(page|site|website|portal)'s|page|site] search|page's search|site's search|site search)"
    " [box|field|bar|input|function] [(on|of|in|at the top of) (the|this) (page|site|website|portal)]"
)
SEARCHING: Final = Sentences(
    _MISC_HEADING,
    (
        Frame(
            "(search for|look up) {query} | search {query:<literal>}"
            f"| (search for|search|look up|look for|find) {{query}} (in|using|with|via|on) {_SEARCH_BOX}"
            "| search (the|this) (page|site|website) for {query}"
            "| (search for|look up|look for) {query} in {field:the {name} (field|box|bar|input)|<literal>}"
            f"| use {_SEARCH_BOX} to (find|search for|look for|look up) {{query}}"
            "| search {field:the {name} (field|box|bar|input)|<literal>|<literal> field} for {query}",
            _search,
            (
                "Search for wireless headphones",
                "Search for lamps in the search box",
                'Search the "Products" field for lamps',
            ),
        ),
    ),
    merge_next=_merge_enter,
)
SEARCHING_WEB: Final = Sentences(
    _MISC_HEADING,
    (
        Frame(
            "((search the web for|search web for|search the internet for|google) {query}"
            "|(search for|look up|search) {query} (on the web|on the internet|online))"
            " [[,] [but] [only] (on|at|within|in) [the] [site|website] {site}]",
            _search_web,
            ("Search the web for Ada Lovelace and open the second result",),
        ),
        Frame(
            "(@find) {query:<literal>} (on the web|on the internet|online)"
            " [(and|, and|, then|and then|,) {steps}]",
            _find_on_web,
            scope="rest",
        ),
    ),
    merge_next=_merge_pick,
)
