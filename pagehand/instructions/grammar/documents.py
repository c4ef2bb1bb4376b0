"""Steps on files: read a document, fill one in, take pages out, write rows to a file, keep pictures."""

import re
from typing import Final

from pagehand.instructions.grammar.acting import OPENING
from pagehand.instructions.grammar.flow import read_inner, several
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import refuse_negation, refuse_vague_words
from pagehand.instructions.grammar.outputs import mark_output_use, merge_name
from pagehand.instructions.grammar.reading import DOWNLOADING, extract_from
from pagehand.instructions.grammar.refusal import NotUnderstood, OtherFrame
from pagehand.instructions.grammar.values import (
    read_address,
    read_count,
    read_file_name,
    read_named,
    read_reference,
    read_value,
)
from pagehand.instructions.grammar.vocabulary import Frame, ParseContext, Sentences, Slots
from pagehand.records import Json
from pagehand.workflow.words import ORDINAL_WORDS

_HEADING: Final = "Documents and spreadsheets"
_NOUN: Final = (
    "pdf|document|doc|file|form|template|spreadsheet|workbook|sheet|excel|csv|letter|contract|scan|docx|xlsx|"
    "attachment|report|invoice|statement"
)
_BEFORE_FILE: Final = re.compile(
    rf"(?<![\w-])(?:(?:the|an?|this|our|my) )?(?:(?!from |of |in |and |out )[\w-]+ ){{0,4}}(?={TOKEN}$)",
    re.IGNORECASE,
)
_SAYS_FILE: Final = re.compile(rf"\b(?:{_NOUN})s?\b", re.IGNORECASE)
_LIST: Final = re.compile(r" ?(?:[,;] ?and\b|[,;]|\band\b) ?")
_PAIR: Final = re.compile(
    r"(?:the )?(?:field )?(?P<name>[^=:]+?)(?: ?[=:] ?| (?:to|with|as|is) )(?P<value>.+)", re.IGNORECASE
)
_AS: Final = re.compile(rf"(?P<value>{TOKEN}|\S+) (?:as|for|in|into) (?:the )?(?P<name>[\w -]+?)(?: field)?")
_CELL: Final = re.compile(
    r"(?P<value>.+?) (?:in|into|to) (?:the )?(?:cell )?(?P<cell>[A-Z]{1,3}\d{1,6})"
    r"|(?:the )?(?:cell )?(?P<first>[A-Z]{1,3}\d{1,6})(?: ?[=:] ?| (?:to|with|as|is) )(?P<then>.+)",
    re.IGNORECASE,
)
_PAGES: Final = re.compile(
    rf"(?:the )?(?:(?P<end>first|last)(?: (?P<count>\w+))? pages?|(?P<nth>{'|'.join(ORDINAL_WORDS)}) page"
    r"|pages? (?P<list>\d.*))",
    re.IGNORECASE,
)

_NEXT_PAGES: Final = re.compile(
    rf"(?:, and|,| and) (?=(?:the )?(?:first|last|pages?|{'|'.join(ORDINAL_WORDS)})\b)", re.IGNORECASE
)


def with_file(data: Json, words: str, context: ParseContext) -> Json:
    """The block on a file: a template, described or not, or what a step before has made."""
    if (marked := mark_output_use({"data": data}, words, file="file")) is not None:
        marked["uses"]["given"] = read_reference(words, context)
        return marked
    refuse_negation(words)
    bare = _BEFORE_FILE.sub("", words)
    refuse_vague_words(words[: len(words) - len(bare)])
    token = context.literals.token(bare)
    value = token.value if token is not None and token.kind == "template" else read_reference(bare, context)
    if value is None or not value.startswith("{{"):
        raise OtherFrame("a file comes from a parameter or an earlier step, such as `{{params.file}}`")
    return {"data": {"file": value, **data}}


def _parse(slots: Slots, context: ParseContext) -> Json:
    """Read values from a file; of what is not called one, only what a step before has made is a file."""
    if not (_SAYS_FILE.search(slots["file"]) and not re.search(r"\bpage\b", slots["file"])):
        raise OtherFrame("say which file: `from the document {{params.file}}`")
    found = with_file({}, slots["file"], context)
    if not slots["fields"]:
        return found
    read = extract_from(slots["fields"], context)
    return {**found, "data": {**found["data"], **read["data"]}, "mark": read["mark"]}


def _fill(slots: Slots, context: ParseContext) -> Json:
    if not _SAYS_FILE.search(slots["file"]) or not re.search(TOKEN, slots["file"]):
        raise OtherFrame("say which file: `fill in the form {{params.form}} with …`")
    values: Json = {}
    for part in _LIST.split(slots["values"]):
        pair = _AS.fullmatch(part) if re.match(TOKEN, part) else _PAIR.fullmatch(part)
        if pair is None or pair["name"] in values:
            raise NotUnderstood(part, "say each value as `Name: value`")
        values[pair["name"].strip()] = read_value(pair["value"], context)
    return with_file({"values": values}, slots["file"], context)


def _write_cells(slots: Slots, context: ParseContext) -> Json:
    cells: Json = {}
    for part in _LIST.split(slots["cells"]):
        cell = _CELL.fullmatch(part)
        if cell is None:
            raise OtherFrame("say each cell with its value: `write 5 into B2`")
        name = (cell["cell"] or cell["first"]).upper()
        if name in cells:
            raise NotUnderstood(part, "each cell gets one value")
        cells[name] = _cell_value(cell["value"] or cell["then"], context)
    data = {**_sheet(slots, context), "cells": cells}
    return with_file(data, slots["file"], context) if slots["file"] else {"data": data}


def _cell_value(words: str, context: ParseContext) -> str | float:
    value, token = read_value(words, context), context.literals.token(words)
    if (token is not None and token.kind == "quoted") or not re.fullmatch(r"(?!0\d)\d{1,15}(\.\d+)?", value):
        return value
    return float(value) if "." in value else int(value)


def _sheet(slots: Slots, context: ParseContext) -> Json:
    return {"sheet": read_value(slots["sheet"], context)} if slots["sheet"] else {}


def _append(slots: Slots, context: ParseContext) -> Json:
    """What was read becomes rows of a spreadsheet."""
    if not (_SAYS_FILE.search(slots["file"]) and re.search(TOKEN, slots["file"])):
        raise OtherFrame("say which file: `append the rows to the spreadsheet {{params.file}}`")
    block = with_file(_sheet(slots, context), slots["file"], context)
    return _use(block, slots["what"], "rows", context)


def _use(block: Json, words: str, field: str, context: ParseContext) -> Json:
    if (marked := mark_output_use(block, words, data=field)) is not None:
        return marked
    if (token := context.literals.token(words)) is not None and token.kind == "template":
        return {**block, "data": {**block["data"], field: token.value}}
    raise OtherFrame("say what an earlier step has read: `the rows`")


def _remove_pages(slots: Slots, context: ParseContext) -> Json:
    listed: list[str] = []
    for part in _NEXT_PAGES.split(slots["pages"]):
        found = _PAGES.fullmatch(part if "page" in part.lower() else f"{part} page")
        if found is None:
            raise OtherFrame("say which pages: `remove pages 2 to 4 of {{params.file}}`")
        listed.append(_page_list(found))
    return with_file({"pages": ",".join(listed)}, slots["file"], context)


def _page_list(found: re.Match[str]) -> str:
    if found["nth"] and not found["end"]:
        return str(ORDINAL_WORDS.index(found["nth"].lower()) + 1)
    if found["end"]:
        try:
            count = int(read_count(found["count"] or "1"))
        except ValueError:
            raise NotUnderstood(found[0], "say how many pages in figures") from None
        first = found["end"].lower() == "first"
        numbers = range(1, count + 1) if first else range(-count, 0)
        if first and count > 1:
            return f"1-{count}"
        return ",".join(map(str, numbers))
    pages = re.sub(r" ?(?:to|through|until|-) ?", "-", re.sub(r" ?(?:, and|,|and|&) ?", ",", found["list"]))
    if not re.fullmatch(r"\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*", pages):
        raise NotUnderstood(found["list"], "say the pages in figures: `pages 1, 3 and 5 to 7`")
    return pages


def _to_csv(slots: Slots, context: ParseContext) -> Json:
    """What was read, or is read for it, as a CSV file."""
    if slots["name"] and slots["named"]:
        raise OtherFrame("say one name for the file")
    named = read_named(Slots(name=slots["name"] or slots["named"]), context)
    if named and not re.search(r"\.csv$|\}\}", named["fileName"], re.IGNORECASE):
        raise OtherFrame("a CSV file's name ends in `.csv`")
    # "save it as a.csv" may name a file that a step before has made
    if not slots["csv"] and not (named and context.read_values.row):
        raise OtherFrame("say `as a CSV file`")
    if slots["mark"]:
        named["delimiter"] = {"semicolon": ";", "tab": "\t", "comma": ","}[slots["mark"].lower().rstrip("s")]
    return _of_rows(WRITING_CSV, named, slots["what"], "input", context)


def _name_file(slots: Slots, context: ParseContext) -> Json:
    """What the step before makes is called so; a click before it is a download."""
    name = read_file_name(slots["name"], context) if slots["name"] else ""
    # rows that were read last are saved as a CSV
    if slots["saved"] and context.read_values.row and not slots["download"]:
        raise OtherFrame("say `as a CSV file`")
    return {"file_name": name, "downloading": context.vocabulary.block(DOWNLOADING, {})["type"]}


def _images(slots: Slots, context: ParseContext) -> Json:
    data = {"minWidth": int(slots["width"])} if slots["width"] else {}
    data |= {"minHeight": int(slots["height"])} if slots["height"] else {}
    block = context.vocabulary.block(KEEPING_IMAGES, data)
    if not slots["address"]:
        return several(block)
    return several(context.vocabulary.block(OPENING, {"url": read_address(slots["address"], context)}), block)


def _find(slots: Slots, context: ParseContext) -> Json:
    """A file by its name; `*` in it stands for anything."""
    refuse_negation(slots["name"])
    name = read_file_name(slots["name"], context)
    place = {"download": "downloads", "file": "files", "document": "knowledge"}[
        slots["in"].lower().removesuffix("s")
    ]
    found = context.vocabulary.block(FINDING, {"namePattern": name, "in": place})
    return several(found, *(read_inner(slots["steps"], context) if slots["steps"] else ()))


def _new_spreadsheet(slots: Slots, context: ParseContext) -> Json:
    """A new file of what is read for it, or was read before."""
    named: Json = {"fileName": read_file_name(slots["name"], context)}
    if not re.search(r"\.xls[xm]$|\}\}$", named["fileName"], re.IGNORECASE):
        raise OtherFrame("a spreadsheet's name ends in `.xlsx`")
    return _of_rows(WRITING_CELLS, named, slots["what"], "rows", context)


def _of_rows(sentences: Sentences, data: Json, what: str, field: str, context: ParseContext) -> Json:
    block = context.vocabulary.block(sentences, data)
    try:
        return several(_use(block, what, field, context))
    except NotUnderstood:
        if not re.search(r"\b(?:each|every|all)\b", what):
            raise
    return several(*read_inner(f"read {what}", context, one=True), _use(block, "the results", field, context))


_READ: Final = "@read|@read_the|take"
_OUT_OF: Final = "from|out of|in|off|of"
_ON_SHEET: Final = "[[,] (on|in) [the] sheet {sheet}]"
PARSING: Final = Sentences(
    _HEADING,
    (
        Frame(
            f"({_READ}) {{fields}} ({_OUT_OF}) {{file}} | (parse|read|read through) {{file}}",
            _parse,
            ("Read the invoice number and the total from the document {{params.invoice}}",),
        ),
        Frame(f"(from|in|out of) {{file}} [,] ({_READ}) {{fields}}", _parse, scope="rest", is_place=True),
    ),
)
FILLING_IN: Final = Sentences(
    _HEADING,
    (
        Frame(
            "(@fill|complete|populate) {file} with {values}",
            _fill,
            ("Fill in the document {{params.form}} with Name: Ada and City: London",),
        ),
    ),
    merge_next=merge_name,
)
WRITING_CELLS: Final = Sentences(
    _HEADING,
    (
        Frame(
            f"(@type|@set) {{cells}} (in|into|of) {{file}} {_ON_SHEET}",
            _write_cells,
            ("Write 5 into B2 and Paid into C2 of the spreadsheet {{params.budget}}",),
        ),
        Frame(
            f"(in|into) {{file}} {_ON_SHEET} [,] (@type|@set) {{cells}}",
            _write_cells,
            scope="rest",
            is_place=True,
        ),
        Frame(f"(append|add|write|put) {{what}} (to|into|in) {{file}} {_ON_SHEET}", _append),
        Frame(
            "(make|create|build|write|produce|generate) (a|an|the) [new] [excel]"
            " (spreadsheet|workbook|file|sheet) [called|named] {name} (of|from|out of|with) {what}"
            "| (save|export|write|store|put) {what} (as|to|into|in) [a|an] [new] [excel]"
            " [spreadsheet|workbook|file] [called|named] {name}",
            _new_spreadsheet,
        ),
    ),
    merge_next=merge_name,
)
REMOVING_PAGES: Final = Sentences(
    _HEADING,
    (
        Frame(
            "(remove|delete|take out|take|cut|cut out|drop|strip) {pages} (of|from|out of|in) {file}",
            _remove_pages,
            ("Remove pages 2 to 4 of {{params.brochure}}",),
        ),
    ),
    merge_next=merge_name,
)
_SIGN: Final = "{mark:semicolon|semicolons|comma|commas|tab|tabs}"
_DELIMITED: Final = (
    f"[[,] ((with|using) [a|the] {_SIGN} [as] [the|a] [separator|delimiter|separators]|separated by [a] "
    f"{_SIGN}|{_SIGN} separated)]"
)
_A_CSV: Final = "{csv:[a|an] csv [file]}"
_CALLED: Final = "(as|called|named|with the name|under the name)"
WRITING_CSV: Final = Sentences(
    _HEADING,
    (
        Frame(
            f"(save|export|write|store|put|turn|convert|output|download) {{what}} (as|to|into|in) "
            f"({_A_CSV} [{_CALLED} {{name}}]|{{name}}) {_DELIMITED} [, {{named:<file>}}]"
            f"| (make|create|build|write|save|produce|generate) {_A_CSV} [{_CALLED} {{name}}]"
            f" (of|from|out of|with) {{what}} {_DELIMITED}",
            _to_csv,
            ("Read the name and the price of every product and save them as a CSV called prices.csv",),
        ),
    ),
    merge_next=merge_name,
)
_IT: Final = "(it|the (result|copy)|{download:the (file|download|downloaded file)})"
NAMING: Final = (
    Frame(
        f"(name|call|rename) {_IT} [to|as] {{name}}"
        f"| {{saved:save|keep|store}} {_IT} (as|under|under the name) {{name}}"
        "| (@wait) (for the (file|download) [to (download|finish|complete|end|be downloaded)]"
        "|(until|till) the (file|download)"
        " (is|has) (downloaded|finished|complete|completed|done|been downloaded))",
        _name_file,
    ),
)
"""Of no kind: they complete the step that makes the file."""
KEEPING_IMAGES: Final = Sentences(
    _HEADING,
    (
        Frame(
            "(save|download|extract|grab|collect|keep|get) [all] [of] [the] (images|pictures|photos)"
            " [(on|of|from) ((the|this) page|{address:<literal>})]"
            " [(that are|which are|with) [at least] {width:<number>} (pixels|px) (wide|in width)"
            "|(wider than|over|of at least) {width:<number>} (pixels|px)"
            "|(that are|which are) [at least] {height:<number>} (pixels|px) (high|tall)]",
            _images,
            ("Save all the images on the page",),
        ),
    ),
)
_IN_FILES: Final = (
    "the (file|document) [called|named] {name} (in|among|from) the {in:downloads|files|documents}"
)
FINDING: Final = Sentences(
    _HEADING,
    (
        Frame(
            f"(@find) {_IN_FILES} [(and|, and|, then|and then|,) {{steps}}]",
            _find,
            ("Find the file report*.pdf in the downloads",),
            "rest",
        ),
        Frame(f"(get|take|pick) {_IN_FILES}", _find),
    ),
)
ASKING: Final = Sentences(
    _HEADING,
    (
        Frame(
            "(query|search|ask|consult) the knowledge base (for|about|:) {query}"
            "| (look up|search for|look for|find) {query} in the knowledge base",
            lambda slots, context: {"data": {"query": read_value(slots["query"], context)}},
            ('Search the knowledge base for "refund policy"',),
        ),
    ),
)
