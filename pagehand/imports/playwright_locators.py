"""Playwright's locators, read from the syntax tree of a program and written in our own terms."""

import ast
import re
from dataclasses import dataclass, replace
from typing import Any, Final

from pagehand.imports.locators import (
    attribute_css,
    css_xpath,
    role_xpath,
    strict,
    text_xpath,
    xpath_text,
)
from pagehand.imports.steps import NotMapped, literal
from pagehand.records import Json

_GETTERS: Final = {
    "get_by_text": "text",
    "get_by_label": "label",
    "get_by_placeholder": "placeholder",
    "get_by_title": "title",
    "get_by_alt_text": "altText",
    "get_by_test_id": "test id",
}
_ATTRIBUTES: Final = {"placeholder": "placeholder", "title": "title", "altText": "alt"}
_PLAIN_REGEX: Final = re.compile(r"\^?((?:[^\\^$.|?*+()\[\]{}]|\\[^A-Za-z0-9])*)\$?")
_HAS_TEXT: Final = re.compile(r"""(?P<css>[^:]+):has-text\((?P<quote>["'])(?P<text>[^"']*)(?P=quote)\)""")
_ENGINE: Final = re.compile(
    r"(?P<engine>css|xpath|text|id|data-testid|internal:[\w-]+|role)=(?P<rest>.*)", re.DOTALL
)


@dataclass(slots=True, frozen=True)
class Part:
    """One link of a chain of locators."""

    kind: str
    value: str = ""
    name: str | None = None
    exact: bool = False
    inner: "Element | None" = None


@dataclass(slots=True, frozen=True)
class Element:
    """An element of a page, as a program names it."""

    page: str
    parts: tuple[Part, ...] = ()
    frame: str | None = None

    def narrowed(self, part: Part) -> "Element":
        """With another link of the chain."""
        return replace(self, parts=(*self.parts, part))

    def in_frame(self) -> "Element":
        """What stands in the frame that the chain so far names."""
        if self.frame is not None or any(part.kind not in ("css", "first") for part in self.parts):
            raise NotMapped("frames are named by CSS, and not inside each other")
        return Element(self.page, frame=" ".join(part.value for part in self.parts if part.kind == "css"))

    def locator(self) -> Json:
        """The locator; raises NotMapped where none says the same."""
        if not self.parts:
            raise NotMapped("it names no element")
        found = _alone(self.parts) or _as_css(self.parts) or {"xpath": _as_xpath(self.parts)}
        # `.first` is the one place where a program says that any of several will do
        is_first = self.parts[-1].kind == "first" and "xpath" not in found
        made = found if is_first else {**strict(), **found, "strict": True}
        return {**made, "frame": self.frame} if self.frame else made


def narrow(element: Element, method: str, call: "Arguments") -> Element | None:
    """The element that a method of a locator or page names; None for a method that names none."""
    if method == "get_by_role":
        return element.narrowed(Part("role", call.text(0), call.optional("name"), exact=call.flag("exact")))
    if method in _GETTERS:
        return element.narrowed(Part(_GETTERS[method], call.text(0), exact=call.flag("exact")))
    if method == "locator":
        return _filtered(by_selector(element, call.text(0)), call)
    if method == "frame_locator":
        return by_selector(element, call.text(0)).in_frame()
    if method == "nth":
        return element.narrowed(Part("nth", str(call.whole_number(0))))
    return _filtered(element, call) if method == "filter" else None


def by_selector(element: Element, selector: str) -> Element:
    """An element by one of Playwright's selectors."""
    for piece in selector.split(" >> "):
        element = element.narrowed(_selected(piece.strip()))
    return element


def _selected(selector: str) -> Part:
    found = _ENGINE.fullmatch(selector)
    engine, rest = (found["engine"], found["rest"]) if found else ("css", selector)
    if engine == "css" and rest.startswith(("//", "..", "(//")):
        return Part("xpath", rest)
    if engine in ("css", "xpath"):
        return Part(engine, rest)
    if engine == "id":
        return Part("css", attribute_css("id", rest))
    if engine == "data-testid":
        return Part("test id", rest)
    if engine == "text":
        is_exact = rest[:1] in "\"'" and rest[:1] == rest[-1:]
        return Part("text", rest[1:-1] if is_exact else rest, exact=is_exact)
    raise NotMapped(f"selectors of `{engine}=` are not read")


def _filtered(element: Element, call: "Arguments") -> Element:
    if (has_text := call.optional("has_text")) is not None:
        element = element.narrowed(Part("has text", has_text))
    if (inner := call.optional_element("has")) is not None:
        element = element.narrowed(Part("has", inner=inner))
    if unknown := call.named - {"has_text", "has", "exact", "name"}:
        raise NotMapped(f"`{min(unknown)}` has no counterpart")
    return element


def _alone(parts: tuple[Part, ...]) -> Json | None:
    """One link, perhaps with `.first` or a text: the fields of our locators say the same."""
    first, rest = parts[0], [part for part in parts[1:] if part.kind != "first"]
    if rest and not (len(rest) == 1 and rest[0].kind == "has text" and first.kind == "css"):
        return None
    text = rest[0].value if rest else None
    if first.kind == "role":
        return {"role": first.value, **({"text": first.name} if first.name else {})}
    if first.kind == "css":
        found = _HAS_TEXT.fullmatch(first.value)
        css, text = (found["css"], text or found["text"]) if found else (first.value, text)
        return {"css": css, **({"text": text} if text else {})}
    if first.kind == "test id":
        return {"css": attribute_css("data-testid", first.value)}
    return {first.kind: first.value} if first.kind in (*_ATTRIBUTES, "text", "label", "xpath") else None


def _as_css(parts: tuple[Part, ...]) -> Json | None:
    links = [part for part in parts if part.kind != "first"]
    if any(part.kind not in ("css", "test id") or "," in part.value for part in links):
        return None
    written = [attribute_css("data-testid", p.value) if p.kind == "test id" else p.value for p in links]
    return {"css": " ".join(written)}


def _as_xpath(parts: tuple[Part, ...]) -> str:
    path = ""
    for part in parts:
        match part.kind:
            case "nth":
                number = int(part.value)
                path = f"({path})[{number + 1 if number >= 0 else f'last(){number + 1:+}'}]"
            case "first":
                path = f"({path})[1]"
            case "last":
                path = f"({path})[last()]"
            case "has text":
                path = f"{path}[contains(normalize-space(.), {xpath_text(part.value)})]"
            case "has":
                inner = part.inner.parts if part.inner else ()
                path = f"{path}[.{_as_xpath(inner)}]"
            case _:
                path = f"{path}//{_step(part)}"
    return path


def _step(part: Part) -> str:
    made = None
    if part.kind == "role":
        made = role_xpath(part.value, part.name, exact=part.exact)
    elif part.kind == "text":
        made = text_xpath(part.value, exact=part.exact)
    elif part.kind == "css":
        found = _HAS_TEXT.fullmatch(part.value)
        made = css_xpath(found["css"] if found else part.value)
        made = (
            f"{made}[contains(normalize-space(.), {xpath_text(found['text'])})]" if made and found else made
        )
    elif part.kind == "test id":
        made = f"*[@data-testid={xpath_text(part.value)}]"
    elif part.kind in _ATTRIBUTES:
        made = f"*[@{_ATTRIBUTES[part.kind]}={xpath_text(part.value)}]"
    elif part.kind == "label":
        label = f"label[contains(normalize-space(.), {xpath_text(part.value)})]"
        made = (
            f"*[@aria-label={xpath_text(part.value)} or @id=//{label}/@for or "
            f"(ancestor::{label} and (self::input or self::select or self::textarea))]"
        )
    elif part.kind == "xpath" and part.value.startswith("//"):
        made = part.value[2:]
    if made is None:
        raise NotMapped(f"`{part.value}` cannot be narrowed further")
    return made


class Arguments:
    """The arguments of a call, of which only texts, numbers and the like are read."""

    def __init__(self, call: ast.Call, reader: Any) -> None:
        self._given = call.args
        self._by_name = {word.arg: word.value for word in call.keywords if word.arg}
        self._reader = reader
        if any(isinstance(item, ast.Starred) for item in call.args) or len(self._by_name) < len(
            call.keywords
        ):
            raise NotMapped("its arguments are not written out")

    @property
    def named(self) -> set[str]:
        """The names of arguments."""
        return set(self._by_name)

    @property
    def count(self) -> int:
        """How many arguments have no name."""
        return len(self._given)

    def node(self, at: int | str) -> ast.expr | None:
        """The expression given there."""
        if isinstance(at, str):
            return self._by_name.get(at)
        return self._given[at] if at < len(self._given) else None

    def text(self, at: int | str) -> str:
        """A text; raises NotMapped for anything else."""
        node = self.node(at)
        if node is None:
            raise NotMapped("an argument is missing")
        return self._reader.text(node)

    def optional(self, at: int | str) -> str | None:
        """A text, if there is one."""
        return None if self.node(at) is None else self.text(at)

    def flag(self, at: str) -> bool:
        """True where it says so."""
        node = self._by_name.get(at)
        return isinstance(node, ast.Constant) and node.value is True

    def whole_number(self, at: int | str) -> int:
        """A whole number; raises NotMapped for anything else."""
        node = self.node(at)
        sign = 1
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            sign, node = -1, node.operand
        if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
            raise NotMapped("a number is not written out")
        return sign * int(node.value)  # pyright: ignore[reportArgumentType] - it is a number

    def optional_element(self, at: str) -> Element | None:
        """An element, if there is one."""
        node = self._by_name.get(at)
        return None if node is None else self._reader.element(node)


def plain_pattern(pattern: str) -> str:
    """The text that a regular expression stands for; raises NotMapped if it means more than one."""
    found = _PLAIN_REGEX.fullmatch(pattern)
    if found is None:
        raise NotMapped(f"the pattern `{pattern}` has no counterpart")
    return literal(re.sub(r"\\(.)", r"\1", found[1]))
