"""Steps that fill in fields: type, set, choose, tick, upload."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from pagehand.instructions.grammar.elements import kind_of, locator_of, read_element
from pagehand.instructions.grammar.frames import tokenize
from pagehand.instructions.grammar.lexicon import NOUN_LIKE
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import check_name, refuse_negation
from pagehand.instructions.grammar.outputs import mark_output_use
from pagehand.instructions.grammar.refusal import NotUnderstood, OtherFrame
from pagehand.instructions.grammar.values import (
    is_one_day,
    read_date,
    read_file,
    read_last_value,
    read_value,
    says_day,
)
from pagehand.instructions.grammar.vocabulary import (
    Build,
    Element,
    Frame,
    ParseContext,
    Sentences,
    Slots,
)
from pagehand.records import Json
from pagehand.workflow.words import by_word, read_yes_no

_IS: Final = r"(?:=|:(?!\d)|(?<!\d):)"  # the colon of a time, 09:30, separates nothing
_NEXT_LABEL: Final = re.compile(rf" ?(?:[,;] ?(?:and )?|\band )(?=[A-Z][^:,;=]{{0,40}}{_IS} ?)")
_LABELLED: Final = re.compile(rf"(?P<field>[A-Z][^:,;=]{{0,40}}?) ?{_IS} ?(?P<value>.+)", re.DOTALL)
_LIST: Final = re.compile(r" ?(?:, ?and|,|\band\b) ")
# a label of a few words, none of which joins clauses, and then its value
_LABEL_AND_VALUE: Final = re.compile(
    rf"[A-Z][\w'/().#&%-]*(?: [\w'/().#&%-]+){{0,4}} ?(?:[:=] |[:=]{TOKEN}|=).*+",
    re.DOTALL,
)
_JOINING: Final = re.compile(r"\b(?:the|to|and|is|are|then|it|you|i|we|into)\b")
# what stands before a colon without being a label
_HEADING: Final = re.compile(
    r"(?:step|task|note|notes|nb|important|caution|warning|steps?|then|first|next|finally|after(?:wards)?"
    r"|background|context|goal|aim|result|example|input|output|if|when|for|once|please|hint|tip|info"
    r"|remark|attention|ps|url|website|site|subject|to|cc|from|do|repeat|loop)\b.*",
    re.IGNORECASE,
)
VALUE_FIRST: Final = "into|in|to|for|as|under|at"
"""What stands between a value and its field."""
CHOICE_FIRST: Final = "from|in|out of|as|for|under|at"
FIELD_FIRST: Final = "to|with|as"
"""What stands between a field and its value."""
_INTO: Final = re.compile(rf"(?P<value>.+?) (?:{VALUE_FIRST}) (?:the |an? )?(?P<field>.+)", re.DOTALL)
_AS: Final = re.compile(r"(?P<value>.+?) (?:as|for) (?:the |an? )?(?P<field>.+)", re.DOTALL)
_TO: Final = re.compile(rf"(?P<field>.+?) (?:{FIELD_FIRST}) (?P<value>.+)", re.DOTALL)
_FOR: Final = re.compile(rf"(?P<value>.+?) (?:{CHOICE_FIRST}) (?P<field>.+)", re.DOTALL)
# the name of a field and its value side by side: "the postcode 10115"
_BESIDE: Final = re.compile(
    rf"(?P<article>the |an? )?(?P<field>[^\W\d][\w'/-]*(?: [^\W\d][\w'/-]*){{0,3}}) "
    rf"(?P<value>{TOKEN}|(?=\S*?[\d._@])\S++)"
)
_QUOTED_LIST: Final = re.compile(
    rf"(?:the )?(?:(?:check ?|tick ?)?boxes |options )?{TOKEN}(?:(?:, and|,| and) {TOKEN})+", re.IGNORECASE
)
_NAMED: Final = r"[A-Z][\w'/-]*(?: [\w'/-]+){0,3}?"
# "Fragile, Insured and Signed", "the boxes Fragile and Insured"
_NAME_LIST: Final = re.compile(
    rf"(?:the )?(?:(?i:check ?|tick ?)?boxes|options) (?P<plural>{_NAMED}(?:, {_NAMED})*,? and {_NAMED})"
    rf"|(?P<three>{_NAMED}(?:, {_NAMED})+,? and {_NAMED})"
)
_FIELD_VALUE_FIELD: Final = re.compile(
    r"(?>(?:(?!row |line |card )\S++ )+?(?:with|to|as) ).+? and .*", re.DOTALL
)
_MENU: Final = re.compile(r"(?:the|that|this|its) (?:[a-z-]+ )?menu", re.IGNORECASE)
_HAVE_OPTIONS: Final = frozenset(("field", "dropdown", "drop-down", "list", "picker", "combo box"))
_NO_FIELD: Final = re.compile(
    r"(?:value|text|words?|file|option|entry|button|link|tab|row|it)$"
    r"|.*\b(?:in|into|to|for|from|as|with|under|on|at|of|and|then|the|an?|is)\b",
    re.IGNORECASE,
)
_DATE: Final = re.compile(r"\bdate\b|\bbirthday\b|\bdeadline\b|\bdob\b", re.IGNORECASE)
_SECRET: Final = re.compile(r"passwor[dt]|passcode|\bpin\b|secret", re.IGNORECASE)
# what the last word of a label, or the value itself, says that a field takes; in a `list` or `dropdown` it is
# one of the options
_BY_LABEL: Final = by_word(
    {
        "Date": "date|birthday|deadline|dob",
        "File": "file|attachment|upload",
        "time": "time|hour",
        "number": "quantity|qty|amount|price|count|total|sum|percentage|weight|width|height|discount|budget",
    }
)
_BY_VALUE: Final = {
    "File": re.compile(
        r"\{\{[^{}]*(?:file|document|attachment)\}\}|(?<![\w.-])[\w.-]+\.(?:pdf|docx?|xlsx?|csv|txt|png|jpe?g|zip|xml)",
        re.IGNORECASE,
    ),
    "time": re.compile(
        r"\{\{[^{}]*time\}\}|\d{1,2}:\d{2}(?: ?[ap]m)?|\d{1,2} ?[ap]m|\d{1,2} o'clock|noon|midnight|now",
        re.IGNORECASE,
    ),
    "Date": re.compile(r"\{\{[^{}]*date\}\}", re.IGNORECASE),
}
_NUMBER: Final = re.compile(r"(?:[$€£] ?)?\d[\d.,' ]*(?: ?[%€$£]| [A-Z]{3})?")
# beside a field of unknown kind: these name a state, those a state or a text; `1` and `ja` are texts
_STATES: Final = frozenset(("checked", "ticked", "unchecked", "unticked"))
_STATES_OR_TEXTS: Final = frozenset(("true", "false", "on", "off", "yes", "no"))
_FILE_FIELD: Final = "the file field"
_ONE_VALUE: Final = "each field needs one value; put names and values in quotes"
ENTER: Final = "Enter"
_LABEL_WORDS: Final = 5


def _type(slots: Slots, context: ParseContext) -> Json:
    block = _set(slots, context, read_value)
    return {**block, "data": {**block["data"], "typing": "keys"}} if slots["keys"] else block


def _set(
    slots: Slots, context: ParseContext, read: Callable[[str, ParseContext], str] = read_last_value
) -> Json:
    is_quoted = context.literals.has_quotes(slots["value"])
    return fill_block(_field(slots, context), read(slots["value"], context), is_quoted=is_quoted)


def _type_here(slots: Slots, context: ParseContext) -> Json:
    """Without a field: into the one that was clicked just before."""
    field = context.last_element
    refuse_negation(slots["value"])
    has_field = re.search(r"\b(?:into|in|to|as|with|the|an?)\b", slots["value"]) is not None
    if has_field or field is None or kind_of(field) != "field":
        raise NotUnderstood(slots["value"], "say into which field: `type … into the … field`")
    return fill_block(field, read_last_value(slots["value"], context))


def _field(slots: Slots, context: ParseContext) -> Element:
    if re.search(r"\b(?:into|the form|to .*\band)\b", slots["field"]):
        written = context.literals.as_written(slots["field"])
        raise NotUnderstood(written, "name one field; put names and values in quotes")
    if re.search(
        rf"\b(?:of|in) the (?:spreadsheet|workbook|excel)\b|\b(?:sheet|file)\b.*{TOKEN}",
        slots["field"],
        re.IGNORECASE,
    ):
        raise OtherFrame("say each cell with its value: `write 5 into B2 of the spreadsheet …`")
    # "the quantity of Desk lamp" is a field in a row, not a label
    if re.fullmatch(r"the [a-z]+(?: [a-z]+)? of [A-Z].*", slots["field"], re.DOTALL):
        raise NotUnderstood(slots["field"], "say which row: `… in the row of …`")
    # "First name with the firstName and Last name" is a field, its value and another field
    if _FIELD_VALUE_FIELD.fullmatch(slots["field"]):
        raise OtherFrame(_ONE_VALUE)
    field = read_element(slots["field"], context, "field")
    if re.search(r"\b(?:in|into|to|as|for|under) .*,", slots["value"]):
        raise NotUnderstood(slots["value"], _ONE_VALUE)
    if re.search(r"\b(?:and|then|but)\b", slots["value"]) and not field.noun:
        raise NotUnderstood(slots["value"], "put the value in quotes, or say `the … field`")
    # "type Save into Save": one of the two was probably meant otherwise
    is_parameter = slots["value"] in context.parameters
    if not is_parameter and slots["value"].casefold() == field.name.casefold():
        raise NotUnderstood(slots["value"], "put it in quotes if this very word is to be typed")
    return field


def fill_block(field: Element, value: str, *, is_quoted: bool = False) -> Json:
    """The block that enters a value, with the input type that suits the field."""
    if kind_of(field) == "choice" and field.noun not in ("picker", "list"):
        return input_block(field, "Dropdown", value)
    is_box = kind_of(field) in ("checkbox", "switch")
    may_be_box = not kind_of(field) and not is_quoted and value.lower() in _STATES | _STATES_OR_TEXTS
    if (is_box or may_be_box) and (state := read_yes_no(value)) is not None:
        _refuse_ambiguous(field, value.lower())
        return input_block(field, "Checkbox", "true" if state else "false")
    if kind_of(field) in ("checkbox", "switch", "radio", "button", "link"):
        raise NotUnderstood(f"{field.name} {field.noun}", "text cannot be put into it")
    # a day written as one is entered as a day, whatever the field is called; in quotes it is text
    is_day = (is_one_day(value) and not is_quoted) or value.endswith("'s date")
    if is_day or _DATE.search(f"{field.name} {field.noun}"):
        return input_block(field, "Date", read_date(value))
    is_secret = _SECRET.search(field.name) is not None or value == "{{login.password}}"
    return input_block(field, "SensitiveTextInput" if is_secret else "TextInput", value)


def _refuse_ambiguous(field: Element, value: str) -> None:
    if not field.noun and value in _STATES_OR_TEXTS:
        raise NotUnderstood(value, f"say `tick {field.name}` or `untick {field.name}`; put a text in quotes")


def _set_in_place(slots: Slots, context: ParseContext) -> Json:
    return _set(Slots(slots, field=f"{slots['field']} {slots['place']}"), context)


def _clear(slots: Slots, context: ParseContext) -> Json:
    field = read_element(slots["field"], context, "field")
    if kind_of(field) != "field":
        raise NotUnderstood(slots["field"], "say `the … field`, or `untick …` for a checkbox")
    return fill_block(field, "")


def _labelled(slots: Slots, context: ParseContext) -> Json:
    """Fields with their values, as in a list: "Name: Ada, City: London"."""
    token = context.literals.token(slots["labelled"])
    if token is not None and token.kind == "steps":
        lines = [sentence.text for sentence in token.below]
    else:
        lines = _NEXT_LABEL.split(slots["labelled"])
    pairs = [_LABELLED.fullmatch(line.strip()) for line in lines]
    if not all(pairs) or any(_HEADING.fullmatch(pair["field"]) for pair in pairs if pair):
        raise NotUnderstood(slots["labelled"], "say each as `Name: value`, or `type … into …`")
    return {
        "several": [
            fill_block(
                Element(_label(pair["field"])),
                read_labelled(pair["value"], context),
                is_quoted=context.literals.has_quotes(pair["value"]),
            )
            for pair in pairs
            if pair is not None
        ]
    }


def _step_of_field(slots: Slots, context: ParseContext) -> Json:
    """As in "Fuel: choose Diesel": what is done with the field of that name."""
    if (
        not slots["name"][:1].isupper()
        or _HEADING.fullmatch(slots["name"])
        or len(slots["name"].split()) > _LABEL_WORDS
    ):
        raise OtherFrame("say each as `Name: value`")
    assert context.read is not None  # noqa: S101 - set for every message
    return {"several": context.read(f"in {_label(slots['name'])} {slots['steps']}", context, one=True)}


def _labelled_alone(slots: Slots, context: ParseContext) -> Json:
    """A label and its value as a line of its own; "Enter Name: Ada" begins with a verb."""
    words = tokenize(slots["labelled"])
    is_step = context.vocabulary.starts_step(words) and words[0].text not in NOUN_LIKE
    if is_step or any(token.kind == "steps" for token in context.literals.tokens_in(slots["labelled"])):
        raise OtherFrame("say each as `Name: value`")
    if not all(map(_is_labelled, _NEXT_LABEL.split(slots["labelled"]))):
        raise OtherFrame("say each as `Name: value`, or `type … into …`")
    return _labelled(slots, context)


def _is_labelled(text: str) -> bool:
    """Whether it begins with a short label, and no word before its last mark joins clauses."""
    marked = text[: max(text.rfind(":"), text.rfind("=")) + 1]
    return _LABEL_AND_VALUE.fullmatch(text) is not None and not _JOINING.search(marked)


def _label(name: str) -> str:
    refuse_negation(name)
    check_name(name, has_article=False)
    return name


def read_labelled(text: str, context: ParseContext) -> str:
    """A value behind its label: all of it, up to the next label."""
    words = tokenize(text)
    if text[:1].islower() and len(words) > 1 and context.vocabulary.starts_step(words):
        raise NotUnderstood(text, "put it in quotes if this is the value, or say the step alone")
    if re.search(r"[;=]|[,:](?!\d)|(?<!\d)[,:]", text):
        raise NotUnderstood(text, "it is not clear where the value ends; put it in quotes")
    return read_value(text, context)


def _field_pairs(match: Callable[[str], re.Match[str] | None], build: Build = _set) -> Build:
    """For several fields in one sentence."""

    def read(part: str, context: ParseContext) -> Json:
        found = match(part)
        # "set A to 1 and click B to continue" has the shape of two pairs
        words = tokenize(part)
        is_name = part[:1].isupper() and words[0].text in NOUN_LIKE
        is_step = not is_name and context.vocabulary.starts_step(words) > 0
        if is_step or found is None or len(re.findall(r"\b(?:into|to|with|as|under)\b", part)) > 1:
            raise NotUnderstood(part, _ONE_VALUE)
        return build(Slots(value=found["value"], field=found["field"]), context)

    def read_all(slots: Slots, context: ParseContext) -> Json:
        parts = _LIST.split(slots["pairs"])
        if len(parts) == 1 or not all(map(match, parts)):
            raise OtherFrame("this is one field, not several")
        return {"several": [read(part, context) for part in parts]}

    return read_all


def _beside(slots: Slots, context: ParseContext) -> Json:
    """Fields named beside their values: "enter the street {{params.street}} and the postcode 10115"."""
    parts = _LIST.split(slots["fields"])
    pairs = [_BESIDE.fullmatch(part) for part in parts]
    # "type invoice 4711" is a text, and "type the customer number 4711" a field and its value
    tokens = [context.literals.token(pair["value"]) for pair in pairs if pair and not pair["article"]]
    is_clear = len(parts) > 1 or not tokens or any(token and token.kind != "written" for token in tokens)
    # "Start 09:30" may be a text to type
    is_clear = is_clear and not any(token and token.kind == "written" for token in tokens)
    if not is_clear or any(pair is None or _NO_FIELD.match(pair["field"]) for pair in pairs):
        raise OtherFrame("say into which field: `type … into the … field`")
    return {
        "several": [
            _set(Slots(field=f"{pair['article'] or ''}{pair['field']}", value=pair["value"]), context)
            for pair in pairs
            if pair is not None
        ]
    }


_OPTION: Final = rf"(?:{TOKEN}|[A-Z\d][\w'&/.-]*(?: [\w'&/.-]+){{0,3}}?)"
OPTIONS: Final = (
    rf"(?:{_OPTION}, )+{_OPTION},? and {_OPTION}|(?P<quoted>{TOKEN}(?:(?:, and|,| and) {TOKEN})+)"
)
"""A pattern for several options of one list."""


def _choose(slots: Slots, context: ParseContext) -> Json:
    if re.fullmatch(OPTIONS, slots["value"], re.DOTALL):
        several = read_element(slots["field"], context, "field")
        listed = replace(several, noun=several.noun or "list")
        values = [read_value(part, context) for part in _LIST.split(slots["value"])]
        chosen = context.vocabulary.block(CHOOSING_SEVERAL, {"values": values}, locator=locator_of(listed))
        return {"several": [chosen]}
    if radio := re.match(rf"(?:the )?radio(?: button)? (?=[A-Z\d]|{TOKEN})", slots["value"]):
        return _answer(Slots(slots, value=slots["value"][radio.end() :]), context)
    said = re.sub(rf"^(?:the )?(?:option|value|entry|item) (?=[A-Z\d]|{TOKEN})", "", slots["value"])
    field, value = read_element(slots["field"], context, "field"), read_value(said, context)
    is_clicked = slots["field"].lower() == "it" and field.noun not in _HAVE_OPTIONS
    if is_clicked or _MENU.fullmatch(slots["field"]):
        raise OtherFrame("say `click …` for what stands in a menu")
    if re.search(r" and |^the calendar$", slots["field"]):
        raise NotUnderstood(slots["field"], "name one field; put names and values in quotes")
    # "Norway for Country and Oslo" is a value and a half
    if re.search(r"\band\b", slots["value"]) and (
        not field.noun or re.match(r"(?>.*?\b(?:from|for|as|in|of) ).*\band\b", slots["value"], re.DOTALL)
    ):
        raise NotUnderstood(slots["value"], _ONE_VALUE)
    return choice_block(field, value, said, context)


def choice_block(field: Element, value: str, words: str, context: ParseContext) -> Json:
    """The block that chooses a value; what is said to be a date, a time, a file or a number is no option."""
    by_label = _BY_LABEL.get(field.name.lower().split()[-1], "")
    is_calendar = field.noun == "picker" or by_label == "Date"
    is_quoted = context.literals.has_quotes(words) and not by_label
    by_value = "Date" if says_day(value, may_be_weekday=is_calendar) else ""
    by_value = by_value or next((kind for kind, form in _BY_VALUE.items() if form.fullmatch(value)), "")
    if (kind_of(field) == "choice" and field.noun != "picker") or is_quoted or not (by_label or by_value):
        return input_block(field, "Dropdown", value)
    is_number = by_label == "number" and _NUMBER.fullmatch(value) is not None
    if by_label not in ("", by_value) and not is_number and (by_value or not value.startswith("{{")):
        raise NotUnderstood(words, "say `set … to …`, or `choose … from the … list` for one of its options")
    match by_label or by_value:
        case "Date":
            return input_block(field, "Date", read_date(value))
        case "File":
            return _with_file(field, words, context)
        case _:
            return input_block(field, "TextInput", value)


def _answer(slots: Slots, context: ParseContext) -> Json:
    question = read_element(slots["field"], context, "field")
    return input_block(question, "Radio", read_value(slots["value"], context))


def _answer_then(slots: Slots, context: ParseContext) -> Json:
    if re.search(r"[,;:]|\b(?:and|then|for)\b", slots["value"]):
        raise OtherFrame("put the answer in quotes")
    answered = context.vocabulary.block(FILLING, **_answer(slots, context))
    assert context.read is not None  # noqa: S101 - set for every message
    return {
        "several": [answered, *(context.read(slots["steps"], context, one=False) if slots["steps"] else ())]
    }


def _set_box(value: str, slots: Slots, context: ParseContext) -> Json:
    if (names := _QUOTED_LIST.fullmatch(slots["element"])) is not None:
        listed = re.findall(TOKEN, names[0])
    elif (names := _NAME_LIST.fullmatch(slots["element"])) is not None:
        listed = _LIST.split(names["plural"] or names["three"])
    else:
        listed = []
    if listed:
        boxes = [Slots(element=f"the checkbox {name}") for name in listed]
        return {"several": [_set_box(value, box, context) for box in boxes]}
    box = read_element(slots["element"], context, "field")
    if kind_of(box) not in ("", "checkbox", "field", "switch", "option"):
        raise NotUnderstood(slots["element"], "only a checkbox can be ticked")
    is_box = re.search(r"\b(?:\w*box|switch|toggle|option|row|line|entry|item)\b", slots["element"])
    if not (is_box or box.noun) and re.match(r"the [a-z]", slots["element"]):
        # "check the total" asks for a look, not for a tick
        raise NotUnderstood(slots["element"], f"say `the {box.name} checkbox` if it is one")
    return input_block(box, "Checkbox", value)


_tick: Final = partial(_set_box, "true")
_untick: Final = partial(_set_box, "false")


def _upload(slots: Slots, context: ParseContext) -> Json:
    if (token := context.literals.token(slots["field"])) is not None and token.kind != "quoted":
        raise NotUnderstood(slots["field"], "files are uploaded to a field of the page")
    if re.match(r"(?:the )?(?:input )?param(?:eter)?s?\b", slots["field"], re.IGNORECASE):
        raise OtherFrame("say `… in the parameter … to the … field`")
    return _with_file(read_element(slots["field"], context, "field"), slots["value"], context)


def _with_file(field: Element, file_words: str, context: ParseContext) -> Json:
    marked = mark_output_use(input_block(field, "File", ""), file_words, file="value")
    return marked or input_block(field, "File", read_file(file_words, context))


def _upload_here(slots: Slots, context: ParseContext) -> Json:
    """Without a field: into the only one for files, which is looked for when it runs."""
    field = Element(_FILE_FIELD.removeprefix("the "), locator={"words": _FILE_FIELD})
    return _with_file(field, slots["value"], context)


def _press_key(slots: Slots, context: ParseContext) -> Json:  # noqa: ARG001 - every frame takes the context
    parts = re.split(r" ?\+ ?| ", slots["key"].lower())
    return {"keys": ["+".join(_KEY_NAMES.get(part, part.capitalize()) for part in parts)]}


def _merge_keys(block: Json, step: Json) -> Json | None:
    """Keys pressed after typing belong to that field; what is typed replaces what is there."""
    data, then = block["data"], step.get("data", {})
    is_same = bool(then) and (then.get("key"), step.get("locator")) == (data["key"], block.get("locator"))
    if is_same and not data["value"]:
        return step
    if "keys" not in step or not data["inputType"].endswith("TextInput"):
        return None
    # `pressEnter` is pressed last, so it cannot be combined with other keys
    pressed = [*data.get("pressKeys", []), *([ENTER] if data.get("pressEnter") else []), *step["keys"]]
    rest = {name: value for name, value in data.items() if name not in ("pressKeys", "pressEnter")}
    keys: Json = {"pressEnter": True} if pressed == [ENTER] else {"pressKeys": pressed}
    return {**block, "data": {**rest, **keys}}


def input_block(element: Element, input_type: str, value: str) -> Json:
    """A block for a field, found by its name or by its locator."""
    block: Json = {"data": {"key": element.name, "inputType": input_type, "value": value}}
    return {**block, "locator": locator_of(element)} if element.locator is not None else block


_KEY_NAMES: Final = by_word(
    {ENTER: "return", "Escape": "esc", "Control": "ctrl", "Meta": "cmd|command", "Delete": "del"}
)
_KEYS: Final = "enter|return|escape|esc|tab|" + "|".join(
    f"{held}{plus}{key}"
    for held in ("ctrl", "control", "shift", "alt", "cmd")
    for plus in ("+", " + ", " ")
    for key in ("enter", "return", "tab", "a")
)
_BY_LETTER: Final = "{keys:(letter|key|character) by (letter|key|character)}"
_FRAMES: Final = (
    Frame(
        f"(@type|fill in|fill) {{value}} [{_BY_LETTER}] (into|in|to) {{field}} [{_BY_LETTER}]"
        "| (@type|fill in|fill|use|give|provide|set) {value} (as|for|under) [the|a|an] {field}",
        _type,
        (
            "Type Ada into the First name field",
            'Enter "42 Main St" in Street',
            "Type {{params.user}} into Username",
            "Type the customer's name from the parameters into the Name field",
            "Type 5 into the Quantity field in the row of ACME-17",
            "Enter 12345 as the zip code",
        ),
    ),
    Frame(
        "(@type|fill in|fill) {pairs}",
        _field_pairs(_INTO.fullmatch),
        (
            "Enter 2026-03-03 as the start date and 2026-03-07 as the end date",
            "Type Ada into First name and Lovelace into Last name",
        ),
    ),
    Frame("(use|give|provide|set) {pairs}", _field_pairs(_AS.fullmatch)),
    Frame(
        "(@type|fill in|fill|give|provide) {fields}",
        _beside,
        ("Enter the street {{params.street}}, the postcode 10115 and the city {{params.city}}",),
    ),
    Frame("(@type) {value} [there|in there|into it|in it]", _type_here),
    Frame("(@type) {value} [there|in there|into it|in it] instead", _type_here, may_negate=True),
    Frame(
        "(@fill) {field} (with|as) {value} | (@set) {field} to {value}"
        "| (complete|populate|replace|overwrite)"
        " [(what's|what is|whatever is|the (text|value|content|contents)) in]"
        " {field:the {name} (field|box|input|dropdown)} (with|by) {value}"
        "| (@type) (in|into) {field:the (field|box|input) (<literal>|{name})}"
        " (the value|the text|the number|:) {value}",
        _set,
        (
            'Fill in the Comment box with "Thank you"',
            "Set the Arrival date to next Friday",
            "Set Quantity to 3",
            "Set the Due date to 31/12/2026",
        ),
    ),
    Frame(
        "(@set) {field} to {value} {place:(in|for) the (row|line|card) (of|for|with|containing) {name}}",
        _set_in_place,
        ("Set Status to Closed in the row of ACME-17",),
    ),
    Frame(
        "(clear|empty|blank|blank out|clear out|(delete|remove|erase|clear)"
        " (the (content|contents|text|value)|what is|what's|everything) (of|in|from)) {field}",
        _clear,
        ("Clear the Search field",),
    ),
    Frame(
        "(@type|@fill|complete|set|use) [in|into]"
        " [the form|the following|these|the fields|these fields|this|the]"
        " [data|values|details|fields|information] [(in|into|in to) (the|this) (form|fields|page)]"
        " [as follows|with|like this] [the following|these|this] [data|values|details|information]"
        " [:|,] {labelled}",
        _labelled,
        ("Fill in the form: Name: Ada Lovelace, City: London",),
    ),
    Frame("{labelled:{name} (:|=) {value}}", _labelled_alone),
    Frame("{name} : {steps:(@choose|@type) {value}}", _step_of_field),
    Frame(
        "(@fill|@set) {pairs}",
        _field_pairs(_TO.fullmatch),
        (
            "Set Priority to High and Status to Open",
            "Fill in First name with Ada, Last name with Lovelace and Email with ada@example.com",
        ),
    ),
    Frame(
        "(@choose) {value} (from|in|out of|as|as the|for|for the|under|at) {field}",
        _choose,
        ("Choose Norway from the Country list", "Select Blue in the Colour dropdown"),
    ),
    Frame(
        "(@choose) {pairs}",
        _field_pairs(_FOR.fullmatch, _choose),
        ("Select Norway for Country and Oslo for City",),
    ),
    Frame(
        "answer [the question] {field:<literal>} with {value} | (answer|reply) {value} to {field:<literal>}",
        _answer,
        ('Answer Yes to "Do you smoke?"',),
    ),
    Frame(
        "(for|at|under|to) [the question] {field:<literal>} [,] (answer|answer with|choose|select"
        "|pick|say) {value}"
        " [(,|;|and|, and|, then|then|and then|, and then) {steps:(<verb>|for|at|under|to) {rest}}]",
        _answer_then,
        scope="rest",
        is_place=True,
    ),
    Frame(
        "(@tick) {element}",
        _tick,
        ('Tick the box "I accept the terms"', "Check the Newsletter checkbox"),
        takes_names=True,
    ),
    Frame("(@untick) {element}", _untick, ("Untick Newsletter",), takes_names=True),
    Frame("(turn|switch|set) {element} off", _untick),
    Frame(
        "(make sure|ensure|see to it|take care) [that] {element} is (checked|ticked|switched on|turned on|on)"
        "| (turn|switch|set) {element} on"
        "| (@choose) {element:[the] (checkbox|check box|tickbox|tick box) {name}"
        "|[the] {name} (checkbox|check box)}",
        _tick,
        ("Make sure the Newsletter checkbox is ticked",),
    ),
    Frame(
        "(make sure|ensure|see to it|take care) [that] {element} (is|remains|stays)"
        " (unchecked|unticked|switched off|turned off|off"
        "|not (checked|ticked|switched on|turned on|selected))",
        _untick,
        ("Make sure the Newsletter checkbox is unticked",),
        may_negate=True,
    ),
    Frame(
        "(upload|attach) {value} (into|in|to|under|as|for|at) {field}",
        _upload,
        ("Upload {{params.contract}} to the Attachment field",),
    ),
    Frame("(upload|attach) {pairs}", _field_pairs(_INTO.fullmatch, _upload)),
    Frame(
        "(upload|attach|choose the file|select the file|pick the file) {value}",
        _upload_here,
        ("Attach {{params.contract}}",),
    ),
    Frame(f"(press|hit|push) [the] {{key:{_KEYS}}} [key]", _press_key),
)

FILLING: Final = Sentences("Filling in fields", _FRAMES, merge_next=_merge_keys)
CHOOSING_SEVERAL: Final = Sentences("Filling in fields")
