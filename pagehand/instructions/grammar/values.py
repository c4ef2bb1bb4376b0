"""What goes into a field, a mail, a search: words as they stand, a parameter, the item of a loop."""

import re
from typing import Final

from pagehand.instructions.grammar.courtesy import ends_in_courtesy
from pagehand.instructions.grammar.names import (
    camel,
    match_parameter,
    plural,
    refuse_negation,
    refuse_open_words,
)
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.scene import Scene
from pagehand.instructions.grammar.wording import ATOM

_FROM_PARAMETERS: Final = re.compile(
    r"(?:the\s+)?(?P<name>[\w' -]+?)\s+(?:(?:from|in|of|given in) (?:the )?(?:parameters|params)|parameter|"
    r"that (?:was|is) (?:given|passed))",
    re.IGNORECASE,
)
_NAMED_PARAMETER: Final = re.compile(r"(?:the\s+)?param(?:eter)?\s+(?P<name>[\w-]+)", re.IGNORECASE)
_REFERS: Final = re.compile(r"(?:the|an?|this|that|each|every)\s", re.IGNORECASE)
# another value's field stands within the words
_ANOTHER_FIELD: Final = re.compile(
    r"\binto\b|\b(?:field|box|dropdown|input|textbox|checkbox)\b.*\band\b|"
    r"\b(?:from|in|out of)\b.*\b(?:field|box|dropdown|input|textbox|list|select|menu)\b",
    re.IGNORECASE,
)
_PARAMETERS: Final = (
    r"(?:the )?(?:list of )?(?P<name>[\w' -]+?) (?:from|in|of) (?:the )?(?:parameters|params)"
)
_LIST_OF: Final = re.compile(r"^(?:the\s+)?(?:list of\s+)?(?:the\s+)?", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"(?:[\w-]+\.)+[A-Za-z]{2,}(?::\d+)?(?:/\S*)?|localhost(?::\d+)?(?:/\S*)?")


def read_last_value(text: str, scene: Scene) -> str:
    """A value at the end of a sentence: what follows an "and" might be another step, so it needs quotes."""
    is_open = re.search(r"\b(?:and|then|but)\b|[,;]", text) is not None or ends_in_courtesy(text)
    if scene.wording.atom(text) is None and is_open:
        raise NotUnderstood(
            scene.wording.written(text), "it is not clear where the value ends; put it in quotes"
        )
    return read_value(text, scene)


def read_value(text: str, scene: Scene) -> str:
    """A value as a template or as it stands; words that refer to something unknown are refused."""
    words = text.strip()
    if (atom := scene.wording.atom(words)) is not None:
        return atom.value
    if (reference := read_reference(words, scene)) is not None:
        return reference
    if _REFERS.match(words):
        raise NotUnderstood(
            scene.wording.written(words),
            "it is not clear where this value comes from; put it in quotes if it is to be used as it stands, "
            "or say `the … from the parameters`",
        )
    # values may be `best` or `same`; names may not
    refuse_open_words(words, judged=False)
    if scene.wording.has_quotes(words):
        raise NotUnderstood(scene.wording.written(words), "put all of the value in quotes, or none of it")
    if scene.vocabulary.another_step.search(words) or _ANOTHER_FIELD.search(words):
        raise NotUnderstood(scene.wording.written(words), "put the value in quotes")
    if words in scene.parameters:
        raise NotUnderstood(
            words, f"it is the name of a parameter: write `{{{{params.{words}}}}}`, or put it in quotes"
        )
    return scene.wording.plain(words)


def read_reference(words: str, scene: Scene) -> str | None:
    """The template for the loop's item, a part of it, or a parameter; None for other words."""
    if (item := _item(words, scene)) is not None:
        return item
    return _parameter(words, scene) or _declared(words, scene)


def _declared(words: str, scene: Scene) -> str | None:
    """A parameter called by its name alone: "the customer number" where there is a `customerNumber`."""
    found = re.fullmatch(r"(?:the|this|that)\s+(?P<name>[\w' -]+)", words, re.IGNORECASE)
    if found is None:
        return None
    wanted = camel(found["name"]).lower()
    for name in scene.parameters:
        if re.sub(r"[\W_]", "", name).lower() == wanted:
            return f"{{{{params.{name}}}}}"
    return None


def _item(words: str, scene: Scene) -> str | None:
    """The loop's item, or a part of it: "the customer", "the customer's name"."""
    if not scene.item:
        return None
    if re.fullmatch(
        rf"it|(?:the|this|that|each) (?:item|{re.escape(scene.item)})|its value", words, re.IGNORECASE
    ):
        return "{{item}}"
    part = re.fullmatch(
        rf"(?:(?:the|this) {re.escape(scene.item)}'s|its) (?P<part>[\w -]+)", words, re.IGNORECASE
    )
    if part is None:
        return None
    refuse_open_words(part["part"])
    return f"{{{{item.{camel(part['part'])}}}}}"


def _parameter(words: str, scene: Scene) -> str | None:
    found = _NAMED_PARAMETER.fullmatch(words) or _FROM_PARAMETERS.fullmatch(words)
    if found is None:
        return None
    refuse_open_words(found["name"])
    refuse_negation(found["name"])
    name = match_parameter(camel(found["name"]), scene.parameters, written=words)
    return f"{{{{params.{name}}}}}"


def read_file(text: str, scene: Scene) -> str:
    """A file: only a template can stand for one."""
    value = read_value(text, scene)
    if not re.fullmatch(r"\{\{[^{}]+\}\}", value):
        raise NotUnderstood(
            scene.wording.written(text), "a file comes from a parameter or a block, such as `{{params.file}}`"
        )
    return value


def read_items(text: str, item: str, scene: Scene) -> str:
    """What a loop goes over: a template, or a parameter called by the plural of its item."""
    words = text.strip()
    if (atom := scene.wording.atom(words)) is not None and atom.kind == "template":
        return atom.value
    if re.fullmatch(r"(?:the )?(?:parameters|params)", words, re.IGNORECASE):
        # "for all orders" says the plural itself, and has no other one
        is_plural = _declared(f"the {item}", scene) or (not scene.parameters and re.search(r"[^su]s$", item))
        name = match_parameter(camel(item if is_plural else plural(item)), scene.parameters, written=item)
        return f"{{{{params.{name}}}}}"
    if found := re.fullmatch(_PARAMETERS, words, re.IGNORECASE):
        return f"{{{{params.{match_parameter(camel(found['name']), scene.parameters, written=words)}}}}}"
    if (declared := _declared(f"the {_LIST_OF.sub('', words)}", scene)) is not None:
        return declared
    raise NotUnderstood(
        scene.wording.written(words), "say `in the parameters`, or name a list such as `{{params.orders}}`"
    )


def read_named_items(item: str, scene: Scene) -> str:
    """What a loop over things called `item` goes over when no list was named: the parameter of that name."""
    for name in (plural(item), item, f"{item} list"):
        if (declared := _declared(f"the {name}", scene)) is not None:
            return declared
    raise NotUnderstood(
        f"each {item}",
        f"say where they come from: `for each {item} in the parameters`, or declare a parameter for them",
    )


def read_address(text: str, scene: Scene) -> str:
    """An address to open: a link, a host, a path or a template, and nothing beside it."""
    if (reference := read_reference(text.strip(), scene)) is not None:
        return reference  # a parameter may be called `site` itself
    words = re.sub(
        r"^(?:the )?(?:page|site|website|address|url)\s+(?:at\s+)?", "", text.strip(), flags=re.IGNORECASE
    )
    if (reference := read_reference(words, scene)) is not None:
        return reference
    atom = scene.wording.atom(words)
    if atom is None and re.search(r"\s", words):
        raise NotUnderstood(
            scene.wording.written(text), "an address was expected, such as `https://example.com`"
        )
    address = atom.value if atom is not None else scene.wording.plain(words)
    has_template = re.match(r"\{\{[^{}]+\}\}", address) is not None
    if re.match(r"https?://\S+$", address) or has_template or re.match(r"/\S*$", address):
        return address
    if atom is None and _ADDRESS.fullmatch(words):
        return f"https://{words}"
    raise NotUnderstood(scene.wording.written(text), "an address was expected, such as `https://example.com`")


def read_mail_addresses(text: str, scene: Scene) -> list[str]:
    """One or several addresses, written out or as templates."""
    parts = [part for part in re.split(r"\s*(?:,|\band\b|&)\s*", text.strip()) if part]
    return [_mail_address(part, scene) for part in parts]


def _mail_address(text: str, scene: Scene) -> str:
    value = read_value(text, scene)
    if "@" not in value and not value.startswith("{{"):
        raise NotUnderstood(scene.wording.written(text), "a mail address was expected")
    return value


def read_file_name(text: str, scene: Scene) -> str:
    """A file's name: in quotes, a template, or one word with its ending."""
    atom = scene.wording.atom(text)
    if atom is not None:
        return atom.value
    refuse_open_words(text)
    written = scene.wording.plain(text.strip())
    if re.search(rf"\s|{ATOM}", text.strip()) and not re.search(r"\{\{", written):
        raise NotUnderstood(scene.wording.written(text), "put the file's name in quotes")
    return written


_UNITS: Final = {
    "millisecond": 1,
    "ms": 1,
    "second": 1000,
    "sec": 1000,
    "s": 1000,
    "minute": 60_000,
    "min": 60_000,
}
_NUMBERS: Final = {
    word: number
    for number, words in enumerate(
        (
            "zero",
            "a|an|one|once",
            "two|twice",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
        )
    )
    for word in words.split("|")
}
COUNT: Final = rf"(?:\d+(?:\.\d+)?|{'|'.join(_NUMBERS)}|half an?)"
"""A pattern for a number in digits or words."""
UNIT: Final = r"(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?)"
"""A pattern for a unit of time."""


def read_count(text: str) -> float:
    """A number in digits or words."""
    folded = " ".join(text.lower().split())
    if folded.startswith("half"):
        return 0.5
    return float(_NUMBERS[folded]) if folded in _NUMBERS else float(folded)


def read_duration(count: str, unit: str) -> int:
    """Milliseconds."""
    singular = unit.lower() if unit.lower() in _UNITS else unit.lower().removesuffix("s")
    return round(read_count(count) * _UNITS[singular])
