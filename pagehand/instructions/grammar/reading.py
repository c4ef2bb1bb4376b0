"""Steps that read a page or keep a file of it: extract, download, save as PDF."""

import re
from dataclasses import replace
from typing import Final

from pagehand.instructions.grammar.elements import on_element, read_element
from pagehand.instructions.grammar.frames import tokenize
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import camel, refuse_negation, refuse_unclear, refuse_vague_words
from pagehand.instructions.grammar.outputs import merge_name, read_mark
from pagehand.instructions.grammar.refusal import NotUnderstood, OtherFrame
from pagehand.instructions.grammar.values import COUNT, read_address, read_named
from pagehand.instructions.grammar.vocabulary import Frame, ParseContext, Sentences, Slots
from pagehand.records import Json
from pagehand.workflow.words import ORDINAL

_TYPES: Final[dict[str, Json]] = {
    "text": {"type": "string"},
    "string": {"type": "string"},
    "number": {"type": "number"},
    "decimal": {"type": "number"},
    "whole number": {"type": "integer"},
    "integer": {"type": "integer"},
    "date": {"type": "string", "format": "date"},
    "boolean": {"type": "boolean"},
    "yes or no": {"type": "boolean"},
    "link": {"type": "string", "format": "uri"},
    "email": {"type": "string", "format": "email"},
    "list": {"type": "array", "items": {"type": "string"}},
}
_TYPE: Final = "|".join(sorted(_TYPES, key=len, reverse=True))
_FIELD: Final = re.compile(
    rf"(?:the |an? |its |their )?(?P<what>.+?)"
    rf"(?: as (?:an? )?(?P<type>{_TYPE})s?| \((?:as )?(?:an? )?(?P<bracketed>{_TYPE})s?\))?"
    rf"(?: as (?P<name>{TOKEN}|[A-Za-z_]\w*))?",
    re.IGNORECASE | re.DOTALL,
)
_FEW_WORDS: Final = r"[\w-]+(?: [\w-]+){0,9}"
_OF_EACH: Final = re.compile(
    rf"(?P<fields>.+?) (?:of|for|from) (?:each|every|all(?: of)?(?: the)?) (?P<what>{_FEW_WORDS}?)"
    rf"(?: (?:in|on|from|of) (?P<where>(?:the|this) {_FEW_WORDS}))?",
    re.IGNORECASE | re.DOTALL,
)
_EACH_WITH: Final = re.compile(
    rf"(?:each|every|all(?: of)?(?: the)?) (?P<what>{_FEW_WORDS}?) ?(?:with|:|(?P<bracket>\()) ?"
    r"(?:its |their |the )?(?P<fields>.+?)(?(bracket)\))",
    re.IGNORECASE | re.DOTALL,
)
_TABLE: Final = re.compile(
    rf"(?:the |an? )?(?:table|list)(?: of (?:all )?(?:the )?(?P<what>{_FEW_WORDS}?)| (?P<called>{TOKEN}|"
    rf"(?-i:[A-Z])[\w-]*(?: [\w-]+){{0,3}}?))? with (?:the )?"
    r"(?(called)(?:columns?|fields?) |(?:columns? |fields? )?)(?P<fields>.+)",
    re.IGNORECASE | re.DOTALL,
)
_COLUMNS: Final = re.compile(
    rf"(?:the )?columns? (?P<fields>.+?) (?:of|from|in) (?:the|this) (?:{_FEW_WORDS} )?(?P<what>table|list)",
    re.IGNORECASE | re.DOTALL,
)
_FROM: Final = re.compile(
    r"(?P<fields>.+?) (?:from|on|off|shown on|shown) (?:on )?(?:the|this) (?:[\w-]+ ){0,2}(?:page|screen)",
    re.IGNORECASE | re.DOTALL,
)
# the few values that are called "… of …"
_OF: Final = re.compile(
    r"number of [\w-]+(?: [\w-]+){0,2}|(?:date|place|proof|terms|method|time) of [a-z]+", re.IGNORECASE
)
_WHOLE: Final = re.compile(
    r"(?:table|list|data|text|page|content|contents|information|info|details|rows?|results?|response|answer|"
    r"values?|things?)s?",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(rf"^{ORDINAL} ", re.IGNORECASE)
# "the last 10 orders" asks for a list, which one value of that name would not be
_HOW_MANY: Final = re.compile(
    rf"(?:(?:first|last|top|next|latest|newest|oldest) )?(?:{COUNT}) [\w' -]*s", re.IGNORECASE
)
_BETWEEN: Final = re.compile(r" ?(?:[,;] ?and\b|[,;]|\band\b|&) ?")


_BEYOND_NAME: Final = re.compile(
    r"\b(of|from|in|on|off|by|for|with|that|which|all|if|into|to|is|are|but|only|just|then|the|an?|until|not|uploaded|"
    r"without|except|or)\b",
    re.IGNORECASE,
)


def _extract(slots: Slots, context: ParseContext) -> Json:
    wanted, prompt = slots["fields"], context.literals.unmask(slots["fields"])
    # "of every" makes it a list; without it the schema is one record
    if (token := context.literals.token(wanted)) is not None and token.kind == "steps":
        wanted = ", ".join(line.text for line in token.below)
        prompt = context.literals.unmask(wanted)
    in_table = _TABLE.fullmatch(wanted) or _COLUMNS.fullmatch(wanted)
    if found := in_table or _OF_EACH.fullmatch(wanted) or _EACH_WITH.fullmatch(wanted):
        for part in (found["what"] or "", found.groupdict().get("where") or ""):
            refuse_unclear(part)
        if re.search(r"\b(?:on|across|over)\b", found["what"] or ""):
            raise NotUnderstood(found["what"], "say `… of every invoice on all pages`")
        one = _singular(found["fields"]) if re.search(r"\ball\b", found[0]) else found["fields"]
        schema = {"type": "array", "items": _object(one, context)}
        return _extract_block(prompt, schema, context, found["what"] or "row")
    if found := _FROM.fullmatch(wanted):
        wanted = found["fields"]
    return _extract_block(prompt, _object(wanted, context), context)


def extract_from(fields: str, context: ParseContext) -> Json:
    """What a block of another kind reads by the same words."""
    return _extract(Slots(fields=fields), context)


def _of_each(slots: Slots, context: ParseContext) -> Json:
    """What the rows are is said first: "from each row in the table, take the number"."""
    if re.match(r"(?:the )?pages?\b", slots["what"], re.IGNORECASE) or context.place:
        raise OtherFrame("say `read … of every …`")
    for part in slots.values():
        refuse_negation(part)
    where = f" in {slots['where']}" if slots["where"] else ""
    fields = re.sub(r"^(?:its|their) ", "the ", slots["fields"], flags=re.IGNORECASE)
    return {
        "several": [
            {
                "type": context.vocabulary.block(EXTRACTING, {})["type"],
                **_extract(Slots(fields=f"{fields} of each {slots['what']}{where}"), context),
            }
        ]
    }


def _read_in(slots: Slots, context: ParseContext) -> Json:
    """Where the values are is said first: "from the results read the title of each result"."""
    if context.place or not _OF_EACH.fullmatch(slots["fields"]):
        raise OtherFrame("say `read … of every …`")
    refuse_unclear(slots["where"])
    read = _extract(slots, context)
    data = {**read["data"], "prompt": f"{read['data']['prompt']} in {slots['where']}"}
    return {"several": [{**context.vocabulary.block(EXTRACTING, data), "mark": read["mark"]}]}


def _tell(slots: Slots, context: ParseContext) -> Json:
    """A wish for values of the page that steps before have opened; without them it may be for anything."""
    block = _extract(slots, context)
    is_there = context.is_on_page or _FROM.fullmatch(slots["fields"])
    if not is_there and block["data"]["schema"]["type"] == "object":
        raise NotUnderstood(slots["fields"], "say `read …` for what stands on the page")
    return block


def _singular(words: str) -> str:
    """The values of one of them: "the titles of all articles" are one title each."""
    return re.sub(
        r"(?<=\w\w)(?<![sui])s(?= ?(?:,|and\b|$))", "", re.sub(r"ies(?= ?(?:,|and\b|$))", "y", words)
    )


def _extract_block(prompt: str, schema: Json, context: ParseContext, row: str = "") -> Json:
    """The block, marked so that steps after it can refer to what it reads."""
    if context.place:
        if not row and re.search(r"\b(?:table|list|grid)\b(?! of)", context.place):
            raise NotUnderstood(prompt, "say `of every row`, or which row: `in the row of …`")
        prompt = f"{prompt} {context.place}"
    before = context.read_values
    mark = read_mark(before.count)
    if row:
        lists = dict.fromkeys((row, "row", "result", "item", "entry"), f"{{{{blocks.{mark}}}}}")
        parts = {f"{{{{blocks.{mark}}}}}": frozenset(schema["items"]["properties"])}
        read = replace(
            before,
            lists={**before.lists, **lists},
            parts={**before.parts, **parts},
            last="",
            pair=(),
            row=row,
        )
    else:
        values = {name: f"{{{{blocks.{mark}.{name}}}}}" for name in schema["properties"]}
        last = next(iter(values.values())) if len(values) == 1 else ""
        read = replace(before, values={**before.values, **values}, last=last, pair=tuple(values.values()))
    context.read_values = replace(read, count=before.count + 1)
    return {"data": {"prompt": prompt, "schema": schema}, "mark": mark}


def read_before(words: str, context: ParseContext) -> tuple[Json, str]:
    """A block that reads one value for the step after it, and the path of that value."""
    name, schema = _property(words, context)
    wanted = {"type": "object", "properties": {name: schema}, "required": [name]}
    block = _extract_block(context.literals.unmask(words), wanted, context)
    value = context.read_values.values[name]
    read = context.vocabulary.block(EXTRACTING, block["data"], name=f"Read {words}", mark=block["mark"])
    return read, value.strip("{}")


def _object(text: str, context: ParseContext) -> Json:
    """A schema with one property for each value."""
    properties: dict[str, Json] = {}
    parts = list(filter(None, _BETWEEN.split(text.strip())))
    # "the price and the quantity as numbers": of all of them
    shared = re.search(rf" as (?P<type>{_TYPE})s$", text.strip(), re.IGNORECASE) if len(parts) > 1 else None
    for part in parts:
        typed = f"{part} as {shared['type']}" if shared and not re.search(r" as ", part) else part
        name, schema = _property(typed, context, is_one_of_several=len(parts) > 1)
        if name in properties:
            raise NotUnderstood(part, "it is asked for twice")
        properties[name] = schema
    return {"type": "object", "properties": properties, "required": list(properties)}


def _property(text: str, context: ParseContext, *, is_one_of_several: bool = False) -> tuple[str, Json]:
    found = _FIELD.fullmatch(text.strip())
    if found is None:
        raise NotUnderstood(text, "name the values, such as `the order number and the total`")
    # beside others, "text" is the name of a column
    is_column = is_one_of_several and found["what"].lower() in ("text", "details", "information", "value")
    what = found["what"] if is_column else _value_name(found["what"], context)
    type_name = found["type"] or found["bracketed"] or "text"
    schema = dict(_TYPES[type_name.lower()])
    if found["name"]:
        refuse_vague_words(found["name"])
        token = context.literals.token(found["name"])
        return camel(token.value if token else found["name"]), {**schema, "description": what}
    return camel(what), schema


def _value_name(text: str, context: ParseContext) -> str:
    token = context.literals.token(text)
    name = token.value if token else text.strip()
    if token is None:
        refuse_vague_words(name)
        if _HOW_MANY.fullmatch(name):
            raise NotUnderstood(text, "for a list say the values `of every …`; it gives all there are")
    is_plain = re.fullmatch(r"[\w' -]{1,60}", name) and (_OF.fullmatch(name) or not _BEYOND_NAME.search(name))
    if not is_plain or (token is None and _WHOLE.fullmatch(_COUNTED.sub("", name))):
        raise NotUnderstood(text, "say each value by its name on the page, and `of every …` for a list")
    return name


def _download(slots: Slots, context: ParseContext) -> Json:
    named = read_named(slots, context)
    what = re.sub(rf"^the (?:[\w-]+ ){{1,3}}(?={TOKEN}$)", "", slots["what"], flags=re.IGNORECASE)
    # 'the link "March"' names what is clicked, and "the file https://…" an address
    refuse_vague_words(slots["what"][: len(slots["what"]) - len(what)], subjective=False)
    what = what if (is_there := context.literals.token(what)) and is_there.kind != "quoted" else slots["what"]
    # "the statement with the Download link": what follows says how
    if re.search(r" (?:with|via|using|through) ", what) and what.endswith((" link", " button", " icon")):
        raise OtherFrame("say `download … with the … button`")
    # words that come before a file's name: the longest match of the rule includes them
    if re.search(r" (?:as|called|named|by clicking|by pressing) ", what):
        raise NotUnderstood(what, "put names in quotes")
    token = context.literals.token(what)
    if (token is not None and token.kind != "quoted") or what.startswith("/"):
        return {"data": {"url": read_address(what, context), **named}}
    return on_element(read_element(what, context), named)


def _download_by(slots: Slots, context: ParseContext) -> Json:
    """A download by a click; words about the file itself name nothing on the page."""
    refuse_vague_words(re.sub(r"^(?:it|this|that)$", "", slots["what"]))
    if not re.fullmatch(r"[\w '-]*", slots["what"]) or context.vocabulary.has_another_step(
        tokenize(slots["what"])
    ):
        raise OtherFrame("say `download … by clicking …`")
    named = read_named(slots, context)
    return on_element(read_element(slots["element"], context), named)


def _save_as_pdf(slots: Slots, context: ParseContext) -> Json:
    data = read_named(slots, context)
    if slots["file"] and not re.search(r"\.pdf$|\}\}$", data["fileName"], re.IGNORECASE):
        raise NotUnderstood(slots["name"], "pages are saved as PDF: give it a name that ends in `.pdf`")
    if slots["paper"]:
        data["format"] = slots["paper"].strip("()").capitalize()
    return {"data": {**data, "landscape": True} if slots["across"] else data}


_CALLED: Final = "[[,] (as|called|named|with the name|under the name) {name}|, {name:<file>}]"

_HEADING: Final = "Reading a page and keeping files"

EXTRACTING: Final = Sentences(
    _HEADING,
    (
        Frame(
            "(@read) [(the following|these) [values|fields|data] [from (the|this) page]] [:] {fields}"
            "| (@read_the) {fields:(the|its|their|all|each|every) {rest}}"
            "| (take|pull) {fields:(the|all) {rest} (from|of) {where:(the|this|each|every|all) {more}}}",
            _extract,
            (
                "Extract the order number and the total as a number",
                "Read the name and price of every product in the list",
                'Get "Grand total" as amount',
            ),
        ),
        # "tell me a joke" asks for nothing that stands on the page
        Frame(
            "(@ask) {fields:(the|its|all|a list of|each|every) {rest}}",
            _tell,
            ("Give me a list of all positions with title and location",),
        ),
        Frame(
            "(from|of|in|on) (each|every|all) [of] [the] {what} [(in|on|of|from) {where:(the|this) {rest}}]"
            " [,] (@read|@read_the|take) {fields}",
            _of_each,
            ("From each row in the table, take the number and the date",),
            "rest",
            is_place=True,
        ),
        Frame(
            "(from|in|on|off)"
            " {where:(the|this) [{name}] (results|list|table|page|overview|grid|section|screen)}"
            " [,] (@read|@read_the|take) {fields}",
            _read_in,
            scope="rest",
            is_place=True,
        ),
    ),
)

DOWNLOADING: Final = Sentences(
    _HEADING,
    (
        Frame(
            f"(@download) {{what}} {_CALLED}",
            _download,
            ("Download https://example.com/prices.pdf", "Download the Statement link as march.pdf"),
        ),
        Frame(
            "(download|export|save|get) {what} (by (clicking|pressing|hitting|tapping) [on] {element}"
            "|(via|using|with|through|from|behind|by means of)"
            " {element:[the] {button} (button|link|icon)|[the] (button|link|icon) {button}})"
            f" {_CALLED}"
            "| (save|keep|download) [the] (file|download|document)"
            " [that|which] (you get|comes|downloads|is downloaded|appears)"
            f" (when|after|by|if|from) [you|we] (click|clicking|press|pressing) [on] {{element}} {_CALLED}"
            "| (@click|@press) {element} ((and|to|, to|, and) download it"
            f"|to (save|download|keep|get) the (file|download)) {_CALLED}",
            _download_by,
            ("Download the report by clicking Export",),
        ),
    ),
    merge_next=merge_name,
)

_PAGE: Final = "([the|this] [current|open] page|the [{which}] page)"
PRINTING: Final = Sentences(
    _HEADING,
    (
        Frame(
            f"((save|print|export|keep|store) ({_PAGE}|it|this) (as|to|into)|save as|print to|print as)"
            " [a|an] [{across:landscape}] pdf [file] [[in] {paper:a4|a3|a5|letter|legal} [format|size]]"
            f" [[,] {{across:[in] landscape}} [format|mode|orientation]] {_CALLED}"
            f"| (save|print|export|keep|store) {{file:{_PAGE}}} (as|to|under) {{name}}"
            "| (take|capture|make|save) [a|an|the] (screenshot|screen shot|snapshot|picture)"
            f" [of (the|this) [current] (page|screen|window)] {_CALLED}",
            _save_as_pdf,
            (
                "Save the page as a PDF",
                'Save this page as PDF called "receipt.pdf"',
                "Take a screenshot of the page",
            ),
        ),
    ),
    merge_next=merge_name,
)
