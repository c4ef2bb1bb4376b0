"""CSS and XPath that cannot be right, found without a browser.

Browsers know more than any list of ours, so only what is certainly wrong is refused: brackets and quotes that
do not close, parts that are missing, and what belongs to other tools.
"""

import re
from typing import Final

_LONGEST: Final = 10_000
_OPENING: Final = {"(": ")", "[": "]"}
_OTHER_ENGINES: Final = ("text", "role", "css", "xpath", "id", "data-testid", "link", "name", "class")
_ENGINE: Final = re.compile(rf"({'|'.join(_OTHER_ENGINES)})\s*=(?!=)")
_JQUERY: Final = frozenset(
    (
        *("contains", "eq", "gt", "lt", "first", "last", "even", "odd", "selected", "submit", "input"),
        *("button", "parent", "header", "hidden", "animated", "image", "file", "password", "reset"),
    )
)
_PSEUDO: Final = re.compile(r"(?<!:):([a-z-]+)", re.IGNORECASE)
_MISSING_NAME: Final = re.compile(r"[.#](?=$|[\s.#>+~,:\[\]()*])|(?<!:):(?=$|[\s.#>+~,\[\]()])")
_STRAY: Final = re.compile(r"[{}<;!?%^&$@`]")
_EDGES: Final = re.compile(r"^[+~,]|[>+~,]$|[>+~,]\s*,|,\s*[>+~,]")
_WRONG_XPATH: Final = (
    (re.compile(r"^$"), "an XPath is empty"),
    (re.compile(r"\[\s*\]"), "`[]` holds no condition"),
    (re.compile(r"/{3}"), "`///` is one slash too many"),
    (re.compile(r"@(?=$|[\s\]\[=()/,])"), "a name is missing after `@`"),
    (re.compile(r"(/|::|\bor|\band|[=<>|+])\s*$"), "it ends in the middle"),
)


def css_problem(css: str) -> str | None:
    """What is certainly wrong with a CSS selector, or None."""
    text = css.strip()
    if not text:
        return "a CSS selector is empty"
    if len(text) > _LONGEST:
        return f"a CSS selector has {len(text)} characters; at most {_LONGEST} are allowed"
    if text.startswith(("//", "(//", "./")):
        return "this is an XPath; write it as `xpath`"
    if found := _ENGINE.match(text):
        return f"`{found[1]}=` is not CSS; a locator has the fields `text`, `role`, `label`, `css`, `xpath`"
    bare, problem = without_strings(text)
    if problem is not None:
        return problem
    return _css_parts(bare)


def _css_parts(bare: str) -> str | None:
    """Look at a selector whose strings are blanked out and whose escapes are gone."""
    for pseudo in _PSEUDO.findall(bare):
        if pseudo.lower() in _JQUERY:
            return f"`:{pseudo}` is jQuery's, not CSS; {_instead_of(pseudo.lower())}"
    # what stands in an attribute selector follows other rules
    outside = re.sub(r"\[[^][]*\]", "[]", bare)
    if stray := _STRAY.search(outside):
        return f"`{stray[0]}` cannot stand in a CSS selector"
    if re.search(r"\[\s*\]", bare):
        return "`[]` holds no attribute name"
    if missing := _MISSING_NAME.search(outside):
        return f"a name is missing after `{missing[0]}`"
    if edge := _EDGES.search(outside):
        return f"a part is missing beside `{edge[0].strip()}`"
    return None


def _instead_of(pseudo: str) -> str:
    if pseudo == "contains":
        return "write the text as `text` beside `css`"
    if pseudo in ("first", "last", "eq", "gt", "lt", "even", "odd"):
        return "use `:nth-child(…)`, or words such as “the first row”"
    return "name the element's attribute, such as `[type=submit]`"


def xpath_problem(xpath: str) -> str | None:
    """What is certainly wrong with an XPath, or None."""
    text = xpath.strip()
    if len(text) > _LONGEST:
        return f"an XPath has {len(text)} characters; at most {_LONGEST} are allowed"
    # XPath has no escapes: a backslash is a character like any other
    bare, problem = without_strings(text, escapes=False)
    if problem is not None or bare == "/":
        return problem
    return next((problem for pattern, problem in _WRONG_XPATH if pattern.search(bare)), None)


def without_strings(text: str, *, escapes: bool = True) -> tuple[str, str | None]:
    """`text` with its strings blanked out, and what does not close in it."""
    kept: list[str] = []
    expected: list[str] = []
    at = 0
    while at < len(text):
        character = text[at]
        if escapes and character == "\\":
            # an escaped character is part of a name, such as `\:` in `#a\:b`
            kept.append("x")
            at += 2
            continue
        if character in "\"'":
            end = _string_end(text, at, escapes=escapes)
            if end is None:
                return "", f"the quote {character} is not closed"
            kept.append("s")
            at = end + 1
            continue
        if character in _OPENING:
            expected.append(_OPENING[character])
        elif character in ")]" and (not expected or expected.pop() != character):
            return "", f"`{character}` closes nothing"
        kept.append(character)
        at += 1
    return "".join(kept), f"`{expected[-1]}` is missing" if expected else None


def _string_end(text: str, start: int, *, escapes: bool) -> int | None:
    at = start + 1
    while at < len(text):
        if escapes and text[at] == "\\":
            at += 2
            continue
        if text[at] == text[start]:
            return at
        at += 1
    return None
