"""The grammar of the fragments of a block: expressions, code, selectors and JSON Schemas."""

import ast
import builtins
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

import jsonschema_rs

from pagehand.blocks.base import CodeFragment
from pagehand.checks.fragments import Fragment, Name, names_in_expression, names_in_template
from pagehand.errors import BlockFailed
from pagehand.loop import OneThread
from pagehand.page.phrases import LONGEST_PHRASE
from pagehand.python_code import parse_python_expression
from pagehand.records import Json, is_array, is_object
from pagehand.sandbox.program import helper_names, write_program
from pagehand.sandbox.syntax import check_syntax
from pagehand.workflow.locator import LONGEST_SELECTOR
from pagehand.workflow.templates import TEMPLATE

CHECKING: Final = OneThread("checks")
"""Checks workflows one at a time: Python's warnings are silenced for the whole process meanwhile."""
_LONGEST_TEXT: Final = 2000
"""Of what a locator quotes from the page."""
_PYTHON_SIGNS: Final = {"===": "==", "!==": "!=", "&&": "and", "||": "or", "!": "not"}
_BUILT_IN: Final = frozenset((*dir(builtins), "true", "false", "null"))
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
_KNOWN_PSEUDO: Final = frozenset(
    re.findall(
        r"[\w-]+",
        """
    active any-link autofill blank buffering checked current default defined dir disabled empty enabled
    first-child first-of-type focus focus-visible focus-within fullscreen future has host host-context hover
    in-range indeterminate invalid is lang last-child last-of-type link local-link modal muted not nth-child
    nth-col nth-last-child nth-last-col nth-last-of-type nth-of-type only-child only-of-type open optional
    out-of-range past paused picture-in-picture placeholder-shown playing popover-open read-only read-write
    required root scope seeking stalled state target target-within user-invalid user-valid valid visited
    volume-locked where before after
    visible light has-text text text-is text-matches nth-match near above below left-of right-of
    """,
    )
)
"""Of CSS; those in the last line are Playwright's."""
_NAME: Final = r"-?(?:[^\W\d]|-)[\w-]*"
_ATTRIBUTE: Final = re.compile(
    rf"\s*(?:[\w*-]*\|)?{_NAME}\s*(?:[~|^$*]?=\s*{_NAME}(?:\s+[is])?)?\s*", re.IGNORECASE
)
_ESCAPE: Final = re.compile(r"\\(?:[0-9a-fA-F]{1,6}\s?|.|$)", re.DOTALL)
_WRONG_CSS: Final = (
    (re.compile(r"[{}<;!?%^&$@`]"), "`{}` cannot stand in a CSS selector"),
    (
        re.compile(r"[.#](?=$|[\s.#>+~,:\[\]()*])|(?<!:):(?=$|[\s.#>+~,\[\]()])"),
        "a name is missing after `{}`",
    ),
    (re.compile(r"^[+~,]|[>+~,]$|[>+~,]\s*,|,\s*[>+~,]"), "a part is missing beside `{}`"),
    (
        re.compile(r"(?:^|[.#\s>+~,])\d"),
        "`{}`: a name in CSS cannot begin with a digit; write `[id=…]` with quotes",
    ),
    (re.compile(r":(?:not|is|where|has)\(\s*\)", re.IGNORECASE), "`{}` holds no selector"),
)
_DATA_KEYWORDS: Final = frozenset(("enum", "const", "default", "examples"))
_WRONG_XPATH: Final = (
    (re.compile(r"^$"), "an XPath is empty"),
    (re.compile(r"\[\s*\]"), "`[]` holds no condition"),
    (re.compile(r"/{3}"), "`///` is one slash too many"),
    (re.compile(r"@(?=$|[\s\]\[=()/,])"), "a name is missing after `@`"),
    (re.compile(r"(/|::|\bor|\band|[=<>|+])\s*$"), "it ends in the middle"),
)


def problem_of(fragment: Fragment) -> str | None:
    """What is wrong with a fragment by itself, or None; templates were checked when the block was parsed."""
    match fragment.grammar:
        case "expression":
            return expression_problem(fragment.value)
        # what a template will put in is not known: the page refuses it at run time, if need be
        case "css" if "{{" not in fragment.value:
            return css_problem(fragment.value)
        case "xpath" if "{{" not in fragment.value:
            return xpath_problem(fragment.value)
        case "words" | "text":
            return _length_problem(
                fragment.value, LONGEST_PHRASE if fragment.grammar == "words" else _LONGEST_TEXT
            )
        case "schema":
            return schema_problem(fragment.value)
        case _:
            return None


def _length_problem(text: str, longest: int) -> str | None:
    return f"it has {len(text)} characters; at most {longest} are allowed" if len(text) > longest else None


def expression_problem(text: str) -> str | None:
    """Why an expression cannot be judged, with what to write instead."""
    if template := TEMPLATE.search(text):
        path = template[0][2:-2].strip()
        return f"an expression takes names as they are: write `{path}`, not `{template[0]}`"
    problem = _without_python_warnings(lambda: check_syntax(text, "expression"))
    # JavaScript's signs are easily written here, and Python says only where it stopped reading
    wrong = next((sign for sign in _PYTHON_SIGNS if sign in text), None)
    if problem is not None and wrong is not None:
        return f"{problem}; it is Python: write `{_PYTHON_SIGNS[wrong]}` for `{wrong}`"
    return problem


def names_of(fragment: Fragment) -> Iterator[Name]:
    """The names a fragment uses; call it only for one without a problem."""
    if fragment.grammar == "template":
        yield from names_in_template(fragment.value)
    elif fragment.grammar == "expression":
        yield from _external_names(fragment.value)


def code_problem(code: CodeFragment) -> str | None:
    """Why Python code cannot run; JavaScript is left to the browser."""
    if code.language != "python":
        return None

    def write() -> str | None:
        try:
            write_program(code.text, "code", code.arguments, code.names)
        except BlockFailed as mistake:
            return mistake.message.rstrip(".")
        return None

    return _without_python_warnings(write)


def names_in_code(code: CodeFragment) -> Iterator[Name]:
    """What an expression reads; what functions read of their arguments is their own."""
    # a function names its arguments as it likes, so its names say nothing about the workflow
    if code.language == "python" and code.names and _is_expression(code.text):
        yield from _external_names(code.text)


def javascript_warning(text: str) -> str | None:
    """What looks wrong in JavaScript, judged by its brackets and quotes alone."""
    if "`" in text or "/" in text:
        return None  # template strings, comments and patterns would have to be understood
    _, problem = without_strings(text.replace("{", "(").replace("}", ")"))
    return problem and "the brackets or quotes of this JavaScript do not close"


def schema_problem(schema: Json) -> str | None:
    """Why this is not a JSON Schema, or None. It is compared with the standard, nothing in it is followed."""
    try:
        # against the meta-schema only: a `$ref` to an address must not make the service fetch it
        jsonschema_rs.meta.validate(schema)
    except jsonschema_rs.ValidationError as error:
        where = ".".join(str(step) for step in error.instance_path)
        return f"this is not a JSON Schema: {error.message[:200]}{f' (at `{where}`)' if where else ''}"
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        return f"this is not a JSON Schema: {str(error)[:200]}"
    return next(_pattern_problems(schema, ""), None)


def _pattern_problems(schema: Any, at: str) -> Iterator[str]:
    """Patterns that are not regular expressions: the standard's own schema does not look into them."""
    if is_array(schema):
        for position, item in enumerate(schema):
            yield from _pattern_problems(item, f"{at}[{position}]")
    if not is_object(schema):
        return
    written = [(f"{at}.pattern", schema["pattern"])] if isinstance(schema.get("pattern"), str) else []
    if is_object(named := schema.get("patternProperties")):
        written += [(f"{at}.patternProperties", key) for key in named]
    for where, text in written:
        if not _is_pattern(text):
            yield (
                f"`{text[:80]}` (at `{where.lstrip('.')}`) is not a regular expression; close its "
                "brackets, and write `\\` before a sign that is meant as it is"
            )
    for key, item in schema.items():
        # what stands there is data, in which `pattern` has no meaning
        if key not in _DATA_KEYWORDS:
            yield from _pattern_problems(item, f"{at}.{key}")


def _is_pattern(text: str) -> bool:
    try:
        # the same engine that checks data against the schema
        jsonschema_rs.validator_for({"pattern": text})
    except (ValueError, jsonschema_rs.ValidationError):
        return False
    return True


def _external_names(text: str) -> Iterator[Name]:
    """The names in an expression that neither Python nor the sandbox brings along."""
    known = _BUILT_IN | helper_names()
    return (name for name in names_in_expression(_parsed(text)) if name.root not in known)


def _is_expression(text: str) -> bool:
    try:
        return not isinstance(_parsed(text).body, ast.Lambda)
    except SyntaxError:
        return False


def _parsed(text: str) -> ast.Expression:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # in brackets, so that an expression may go over several lines; the line end closes a comment
        return parse_python_expression(f"({text.strip()}\n)")


def _without_python_warnings(check: Callable[[], str | None]) -> str | None:
    """Python's own warnings about user code (odd escapes) are not ours to print."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem = check()
    return problem and problem.rstrip(".")


def css_problem(css: str) -> str | None:
    """What is certainly wrong with a CSS selector, or None."""
    text = css.strip()
    if not text:
        return "a CSS selector is empty"
    if len(text) > LONGEST_SELECTOR:
        return f"a CSS selector has {len(text)} characters; at most {LONGEST_SELECTOR} are allowed"
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
    if re.search(r"\[\s*[]=~|^$*]", bare):
        return "`[]` holds no attribute name"
    for attribute in re.findall(r"\[([^][]*)\]", bare):
        if not _ATTRIBUTE.fullmatch(attribute):
            return (
                f'`[{attribute}]` is not an attribute and its value; write the value in quotes: `[a="b c"]`'
            )
    # what stands in an attribute selector, or counts children, follows other rules
    outside = re.sub(r"\[[^][]*\]", "[]", bare)
    outside = re.sub(r":(nth-[a-z-]+|lang|dir|state)\([^()]*\)", r":\1(x)", outside, flags=re.IGNORECASE)
    wrong = ((found, problem) for pattern, problem in _WRONG_CSS if (found := pattern.search(outside)))
    unknown = (name for name in _PSEUDO.findall(bare) if name.lower() not in _KNOWN_PSEUDO and name[0] != "-")
    return next(
        iter(
            (
                *(problem.format(found[0].strip()) for found, problem in wrong),
                *(f"no browser knows `:{pseudo}`" for pseudo in unknown),
                None,
            )
        )
    )


def _instead_of(pseudo: str) -> str:
    if pseudo == "contains":
        return "write the text as `text` beside `css`"
    if pseudo in ("first", "last", "eq", "gt", "lt", "even", "odd"):
        return "use `:nth-child(…)`, or words such as “the first row”"
    return "name the element's attribute, such as `[type=submit]`"


def xpath_problem(xpath: str) -> str | None:
    """What is certainly wrong with an XPath, or None."""
    text = xpath.strip()
    if len(text) > LONGEST_SELECTOR:
        return f"an XPath has {len(text)} characters; at most {LONGEST_SELECTOR} are allowed"
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
            escape = _ESCAPE.match(text, at)
            at = escape.end() if escape else at + 1
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
