"""Locators as expressions of Playwright: every text of the workflow is a literal."""

import json
from typing import Any, Final

from pagehand.exports.not_exported import NotExported
from pagehand.records import Json, is_object

_ROLES: Final = ("button", "link", "checkbox", "heading", "tab")
_PLACES: Final = frozenset(
    ("in", "of", "on", "next", "first", "second", "third", "last", "row", "under", "below", "above", "beside")
)
_FIELDS: Final = {
    "label": "get_by_label",
    "placeholder": "get_by_placeholder",
    "altText": "get_by_alt_text",
    "title": "get_by_title",
}


def text_literal(value: Any) -> str:
    """A value as a literal of Python, with its templates filled in when the script runs."""
    return f"fill({value!r})" if "{{" in json.dumps(value) else repr(value)


def element(locator: Any, around: str = "page") -> str:
    """The expression of an element; raises NotExported for words that only Pagehand understands."""
    if not is_object(locator):
        raise NotExported("it names no element")
    given = {key: value for key, value in locator.items() if value}
    if words := given.pop("words", None):
        given |= _by_words(str(words))
    is_strict = given.pop("strict", False)
    if frame := given.pop("frame", None):
        around = f"{around}.frame_locator({text_literal(frame)})"
    made = _narrowed(given, around)
    return made if is_strict else f"{made}.first"


def many(locator: Json, around: str = "page") -> str:
    """The expression of all elements that fit."""
    return element({**locator, "strict": True}, around)


def _by_words(words: str) -> Json:
    """Words that name a control by its role and name alone, such as `the Save button`."""
    name, _, role = words.strip().rpartition(" ")
    article, _, name = name.partition(" ")
    if article.lower() != "the" or role not in _ROLES or not name or _PLACES & set(name.lower().split()):
        raise NotExported(f"“{words}” is looked up by Pagehand's own rules")
    return {"role": role, "text": name.strip("\"“”'")}


def _narrowed(given: Json, around: str) -> str:
    parts: list[str] = []
    text = given.get("text")
    if role := given.get("role"):
        name = f", name={text_literal(text)}" if text else ""
        parts.append(f"get_by_role({text_literal(role)}{name})")
        text = None
    parts += [f"{_FIELDS[key]}({text_literal(given[key])})" for key in _FIELDS if key in given]
    if css := given.get("css"):
        parts.append(f"locator({_selector('css', css)})")
    if xpath := given.get("xpath"):
        parts.append(f"locator({_selector('xpath', xpath)})")
    if text and not parts:
        return f"{around}.get_by_text({text_literal(text)})"
    if not parts:
        raise NotExported("it names no element")
    made = f"{around}.{parts[0]}"
    for part in parts[1:]:
        made = f"{made}.and_({around}.{part})"
    return f"{made}.filter(has_text={text_literal(text)})" if text else made


def _selector(engine: str, selector: str) -> str:
    return text_literal(f"{engine}={selector}")
