"""Locators of other tools in our own terms."""

import re
from typing import Final

from pagehand.records import Json

_LONGEST_NAME: Final = 80
_NAMING: Final = ("text", "label", "placeholder", "title", "altText", "words", "css", "xpath")
_ID: Final = re.compile(r"[#.]?([A-Za-z][\w-]*)|\[name=[\"']?([\w-]+)[\"']?\]")
_ROLES: Final = {
    "button": "self::button or @role='button' or self::summary or self::input[@type='submit' or "
    "@type='button' or @type='reset' or @type='image']",
    "link": "self::a[@href] or self::area[@href] or @role='link'",
    "row": "self::tr or @role='row'",
    "cell": "self::td or @role='cell' or @role='gridcell'",
    "gridcell": "self::td or @role='cell' or @role='gridcell'",
    "columnheader": "self::th or @role='columnheader'",
    "rowheader": "self::th or @role='rowheader'",
    "listitem": "self::li or @role='listitem'",
    "list": "self::ul or self::ol or @role='list'",
    "table": "self::table or @role='table' or @role='grid'",
    "heading": "self::h1 or self::h2 or self::h3 or self::h4 or self::h5 or self::h6 or @role='heading'",
    "checkbox": "self::input[@type='checkbox'] or @role='checkbox'",
    "radio": "self::input[@type='radio'] or @role='radio'",
    "textbox": "self::textarea or @role='textbox' or self::input[not(@type) or @type='text' or @type='email' "
    "or @type='tel' or @type='url']",
    "searchbox": "self::input[@type='search'] or @role='searchbox'",
    "spinbutton": "self::input[@type='number'] or @role='spinbutton'",
    "combobox": "self::select or @role='combobox' or self::input[@list]",
    "option": "self::option or @role='option'",
    "img": "self::img or @role='img'",
    "article": "self::article or @role='article'",
    "navigation": "self::nav or @role='navigation'",
    "main": "self::main or @role='main'",
    "form": "self::form or @role='form'",
    "group": "self::fieldset or @role='group'",
    "paragraph": "self::p or @role='paragraph'",
    "dialog": "self::dialog or @role='dialog'",
}
"""What has a role, as XPath says it."""
_SIMPLE: Final = re.compile(
    r"""(?P<combinator> ?> ?| )?(?P<tag>[A-Za-z][\w-]*|\*)?(?P<rest>(?:[#.][\w-]+|"""
    r"""\[[\w-]+(?:[~^$*]?=(?:"[^"]*"|'[^']*'|[\w-]+))?\])*)"""
)
_SIMPLE_PART: Final = re.compile(
    r"""[#.][\w-]+|\[(?P<name>[\w-]+)(?:(?P<how>[~^$*]?)=(?:"(?P<a>[^"]*)"|'(?P<b>[^']*)'|(?P<c>[\w-]+)))?\]"""
)


def strict(**fields: str | None) -> Json:
    """A locator that must fit exactly one element."""
    return {**{key: value for key, value in fields.items() if value}, "strict": True}


def any_of(locator: Json) -> Json:
    """The locator for a condition, which looks at whatever there is."""
    return {key: value for key, value in locator.items() if key != "strict"}


def name_of(locator: Json | None) -> str:
    """What the element is called, as far as its locator says."""
    for key in _NAMING:
        text = str((locator or {}).get(key) or "")
        if text and key not in ("css", "xpath"):
            return " ".join(text.split())[:_LONGEST_NAME]
        if text and (found := _ID.fullmatch(text)):
            return found[1] or found[2]
    return ""


def attribute_css(name: str, value: str) -> str:
    """A CSS selector of elements with that attribute."""
    quoted = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\a ")
    return f'[{name}="{quoted}"]'


def xpath_text(text: str) -> str:
    """A text as XPath writes it: it knows no escapes."""
    if "'" not in text:
        return f"'{text}'"
    if '"' not in text:
        return f'"{text}"'
    parts = "', \"'\", '".join(text.split("'"))
    return f"concat('{parts}')"


def role_xpath(role: str, name: str | None, *, exact: bool = False) -> str | None:
    """The step of an XPath to elements of a role and accessible name; None for a role it does not know."""
    test = _ROLES.get(role)
    if test is None:
        return None
    return f"*[{test}]" + (f"[{_called(name, exact=exact)}]" if name else "")


def _called(name: str, *, exact: bool) -> str:
    wanted = xpath_text(name)
    has_text = f"normalize-space(.)={wanted}" if exact else f"contains(normalize-space(.), {wanted})"
    label = f"//label[contains(normalize-space(.), {wanted})]"
    return (
        f"{has_text} or @aria-label={wanted} or @title={wanted} or @alt={wanted} or @placeholder={wanted} or "
        f"(self::input and @value={wanted}) or @id={label}/@for or ancestor::label[{has_text}]"
    )


def text_xpath(text: str, *, exact: bool = False) -> str:
    """The step of an XPath to the innermost elements with a text."""
    wanted = xpath_text(" ".join(text.split()))
    has = f"normalize-space(.)={wanted}" if exact else f"contains(normalize-space(.), {wanted})"
    return f"*[{has}][not(*[{has}])]"


def css_xpath(css: str) -> str | None:
    """The steps of an XPath for a plain selector: tags, ids, classes, attributes; None for any other."""
    steps: list[str] = []
    at = 0
    css = " ".join(css.split())
    while at < len(css):
        found = _SIMPLE.match(css, at)
        if found is None or found.end() == at or not (found["tag"] or found["rest"]):
            return None
        tests = "".join(_test(part) for part in _SIMPLE_PART.finditer(found["rest"]))
        between = "" if not steps else "/" if ">" in (found["combinator"] or "") else "//"
        steps.append(f"{between}{found['tag'] or '*'}{tests}")
        at = found.end()
    return "".join(steps) or None


def _test(part: re.Match[str]) -> str:
    if part[0][0] == "#":
        return f"[@id={xpath_text(part[0][1:])}]"
    if part[0][0] == ".":
        return f"[contains(concat(' ', normalize-space(@class), ' '), {xpath_text(f' {part[0][1:]} ')})]"
    value = next((part[key] for key in "abc" if part[key] is not None), None)
    if value is None:
        return f"[@{part['name']}]"
    wanted, attribute = xpath_text(value), f"@{part['name']}"
    return {
        "": f"[{attribute}={wanted}]",
        "^": f"[starts-with({attribute}, {wanted})]",
        "*": f"[contains({attribute}, {wanted})]",
        "$": f"[substring({attribute}, string-length({attribute}) - {len(value) - 1})={wanted}]",
        "~": f"[contains(concat(' ', {attribute}, ' '), {xpath_text(f' {value} ')})]",
    }[part["how"]]
