"""Playwright queries for a user's locator: which fields narrow which, and what counts as the same text."""

import json
import re
from collections.abc import Callable
from typing import Any, Final

from playwright.async_api import Frame
from playwright.async_api import Locator as Element

from pagehand.errors import BlockFailed, Diagnosis
from pagehand.workflow.locator import Locator

_ROLE: Final = re.compile(r"[a-zA-Z-]+")
_CSS_SPECIAL: Final = re.compile(r'["\\\x00-\x1f\x7f]')
_TEXT_FIELDS: Final = ("text", "label", "placeholder", "alt_text", "title")

FORM_CONTROLS: Final = (
    "css=input:not([type=hidden i]):not([type=submit i]):not([type=button i])"
    ":not([type=reset i]):not([type=image i]),"
    "textarea,select,[contenteditable]:not([contenteditable=false i]),"
    "[role=textbox],[role=searchbox],[role=combobox],[role=listbox],[role=spinbutton],[role=slider],"
    "[role=checkbox],[role=radio],[role=switch]"
)


def fold(text: str) -> str:
    """The text with each run of white space as one blank, and none at the ends."""
    return " ".join(text.split())


def has_text_fields(locator: Locator) -> bool:
    """True when looking for a substring could find more than looking for the whole string."""
    return any(getattr(locator, name) for name in _TEXT_FIELDS)


def elements(root: Frame | Element, locator: Locator, *, exact: bool, include_hidden: bool) -> Element:
    """All elements within `root` that every field of the locator describes."""
    parts = _parts(root, locator, exact=exact, include_hidden=include_hidden)
    narrowed = parts[0]
    for part in parts[1:]:
        narrowed = narrowed.and_(part)
    if locator.text and not locator.role and not _is_text_alone(locator):
        # beside css or xpath the text is that of the element; alone it is the deepest element with it
        narrowed = narrowed.locator(_own_text(locator.text, exact=exact))
    return narrowed


def key_queries(key: str, *, exact: bool) -> list[Callable[[Frame], Element]]:
    """Queries for a form field that `key` names, best first: by label, placeholder, name, id."""
    quoted = _css_string(key)
    operator, flag = ("=", "") if exact else ("*=", " i")

    def among_fields(query: Callable[[Frame], Element]) -> Callable[[Frame], Element]:
        return lambda root: root.locator(FORM_CONTROLS).and_(query(root))

    return [
        among_fields(lambda root: _by_label(root, key, exact=exact)),
        among_fields(lambda root: _by_attribute(root, "placeholder", key, exact=exact)),
        among_fields(lambda root: root.locator(f"css=[name{operator}{quoted}{flag}]")),
        among_fields(lambda root: root.locator(f"css=[id{operator}{quoted}{flag}]")),
    ]


def _parts(root: Frame | Element, locator: Locator, *, exact: bool, include_hidden: bool) -> list[Element]:
    parts: list[Element] = []
    if locator.css:
        parts.append(root.locator(f"css={locator.css}"))
    if locator.xpath:
        parts.append(root.locator(f"xpath={locator.xpath}"))
    if locator.role:
        parts.append(_by_role(root, locator, exact=exact, include_hidden=include_hidden))
    if locator.label:
        parts.append(_by_label(root, locator.label, exact=exact))
    for name, value in (
        ("placeholder", locator.placeholder),
        ("alt", locator.alt_text),
        ("title", locator.title),
    ):
        if value:
            parts.append(_by_attribute(root, name, value, exact=exact))
    if _is_text_alone(locator) and locator.text:
        text = (
            locator.text if exact or not _has_number_at_edge(locator.text) else _whole_numbers(locator.text)
        )
        parts.append(root.get_by_text(text, exact=exact))
    # a locator with a frame alone means the whole frame
    return parts or [root.locator("css=html")]


def _is_text_alone(locator: Locator) -> bool:
    given = locator.model_dump(exclude_none=True, exclude={"text", "frame", "strict"})
    return not any(given.values())


def _by_role(root: Frame | Element, locator: Locator, *, exact: bool, include_hidden: bool) -> Element:
    role = (locator.role or "").strip().lower()
    if not _ROLE.fullmatch(role):
        raise BlockFailed(
            f"`{locator.role}` is not a role.",
            Diagnosis(
                expected=str(locator), advice="Use an ARIA role such as `button`, `link` or `textbox`."
            ),
        )
    # Playwright's types list the roles of the standard; a page may use any
    get_by_role: Any = root.get_by_role
    if locator.text:
        # `Invoice 1` must not be found within `Invoice 12`
        if not exact and _has_number_at_edge(locator.text):
            return get_by_role(role, name=_whole_numbers(locator.text), include_hidden=include_hidden)
        return get_by_role(role, name=fold(locator.text), exact=exact, include_hidden=include_hidden)
    return get_by_role(role, include_hidden=include_hidden)


def _own_text(text: str, *, exact: bool) -> str:
    if not exact and _has_number_at_edge(text):
        return f"internal:has-text=/{_whole_numbers(text).pattern}/i"
    # has_text of Playwright's filter() knows substrings only; its own selector knows the whole text as well
    return f"internal:has-text={json.dumps(fold(text))}{'s' if exact else 'i'}"


def _by_label(root: Frame | Element, label: str, *, exact: bool) -> Element:
    """By a label; the colon after it and the star of a required field are not part of it."""
    if not exact:
        return root.get_by_label(_whole_numbers(label) if _has_number_at_edge(label) else label)
    return root.locator(rf"internal:label=/^[\s*]*{_words(label)}[\s*:]*$/")


def _by_attribute(root: Frame | Element, name: str, value: str, *, exact: bool) -> Element:
    """By an attribute; a pattern, because Playwright does not fold the white space of attributes."""
    words = _words(value)
    pattern = rf"^\s*{words}\s*$" if exact else _whole_numbers(value).pattern
    return root.locator(f"internal:attr=[{name}=/{pattern}/{'' if exact else 'i'}]")


def _has_number_at_edge(text: str) -> bool:
    folded = fold(text)
    return folded[:1].isdigit() or folded[-1:].isdigit()


def _whole_numbers(text: str) -> re.Pattern[str]:
    """The text as part of a longer one, but its numbers not as parts of longer numbers."""
    folded = fold(text)
    before = r"(?<!\d)(?<!\d[.,])" if folded[:1].isdigit() else ""
    after = r"(?!\d)(?![.,]\d)" if folded[-1:].isdigit() else ""
    return re.compile(f"{before}{_words(text)}{after}", re.IGNORECASE)


def _words(text: str) -> str:
    return r"\s+".join(_escape(word) for word in text.split())


def _css_string(text: str) -> str:
    """A text as CSS quotes it; JSON's escapes mean other letters in CSS."""
    return '"' + _CSS_SPECIAL.sub(lambda found: f"\\{ord(found[0]):x} ", text) + '"'


def _escape(word: str) -> str:
    """A word as a JavaScript pattern; quotes and slashes are escaped too, they end Playwright's selectors."""
    return "".join(letter if letter.isalnum() or letter == "_" else _code_units(letter) for letter in word)


def _code_units(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
