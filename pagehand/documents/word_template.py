"""Fills a DOCX template: `{{name}}` in text, tables, headers and footers; rows that repeat for a list."""

import copy
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from docx.document import Document as WordDocument
from docx.oxml import OxmlElement  # pyright: ignore[reportUnknownVariableType] - typed in part
from docx.oxml.ns import qn

from pagehand.documents.tasks import SendFile, to_text
from pagehand.documents.word import open_word
from pagehand.errors import BlockFailed
from pagehand.records import Json

_PLACEHOLDER: Final = re.compile(r"\{\{\s*+([^{}]*[^{}\s])\s*+\}\}")
_TEXT, _PARAGRAPH, _ROW = qn("w:t"), qn("w:p"), qn("w:tr")
_ROOTS: Final = re.compile(r"/word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml")
_MISSING: Final = object()


def fill(content: bytes, options: Mapping[str, Any], send: SendFile) -> Json:
    """Send the filled document; the names that were filled, and those that were not."""
    document = open_word(content)
    roots = list(_roots(document))
    known = list(dict.fromkeys(name for root in roots for name in _placeholders(root)))
    values: Mapping[str, Any] = options["values"]
    _refuse_unknown(values, known)
    filler = _Filler(values)
    for root in roots:
        filler.repeat_rows(root)
        filler.fill(root, values)
    out = io.BytesIO()
    document.save(out)
    send("", out.getvalue())
    return {"filled": list(filler.filled), "left": list(filler.left)}


def _roots(document: WordDocument) -> Iterator[Any]:
    """The root elements of all parts with text."""
    for part in cast("Any", document.part.package).iter_parts():
        element = getattr(part, "element", None)
        if element is not None and _ROOTS.fullmatch(str(part.partname)):
            yield element


def _placeholders(root: Any) -> Iterator[str]:
    for paragraph in root.iter(_PARAGRAPH):
        yield from (match[1] for match in _PLACEHOLDER.finditer(_join(_own_texts(paragraph))))


def _refuse_unknown(values: Mapping[str, Any], known: list[str]) -> None:
    for name in values:
        if not any(item == name or item.startswith(f"{name}.") for item in known):
            listed = ", ".join(f"`{item}`" for item in known) or "no placeholders such as `{{name}}`"
            raise BlockFailed(f"`values`: `{name}` is not a field of the template, which has {listed}.")


@dataclass(slots=True)
class _Filler:
    """Replaces placeholders by values, and collects their names."""

    values: Mapping[str, Any]
    filled: dict[str, None] = field(default_factory=dict[str, None])
    left: dict[str, None] = field(default_factory=dict[str, None])

    def repeat_rows(self, root: Any) -> None:
        """Repeat each table row with placeholders of a list, once for each item."""
        for row in list(root.iter(_ROW)):
            name = self._list_in(row)
            if name is None:
                continue
            for item in cast("list[Any]", _value_at(self.values, name)):
                twin = copy.deepcopy(row)
                row.addprevious(twin)
                self.fill(twin, _replace_value(self.values, name, item))
            row.getparent().remove(row)

    def fill(self, root: Any, values: Mapping[str, Any]) -> None:
        """Replace the placeholders below `root`."""
        for paragraph in root.iter(_PARAGRAPH):
            texts = _own_texts(paragraph)
            # from the end, so that the positions of those before stay valid
            for match in reversed(list(_PLACEHOLDER.finditer(_join(texts)))):
                value = _value_at(values, match[1])
                if value is _MISSING:
                    self.left[match[1]] = None
                else:
                    self.filled[match[1]] = None
                    self._put(texts, match, to_text(value))

    def _put(self, texts: list[Any], match: re.Match[str], text: str) -> None:
        try:
            _replace(texts, match.start(), match.end(), text.replace("\r\n", "\n"))
        except ValueError as error:
            raise BlockFailed(
                f"The value for `{match[1]}` has control characters, which no document can hold."
            ) from error

    def _list_in(self, row: Any) -> str | None:
        """The name of the list whose placeholders a row has."""
        lists = {
            name: None
            for placeholder in _placeholders(row)
            if (name := self._list_above(placeholder)) is not None
        }
        if len(lists) > 1:
            listed = " and ".join(f"`{item}`" for item in lists)
            raise BlockFailed(
                f"A table row of the template speaks of {listed}; it can repeat over one list only."
            )
        return next(iter(lists), None)

    def _list_above(self, placeholder: str) -> str | None:
        parts = placeholder.split(".")
        for length in range(1, len(parts)):
            name = ".".join(parts[:length])
            if isinstance(_value_at(self.values, name), list):
                return name
        return None


def _own_texts(paragraph: Any) -> list[Any]:
    """The text nodes of a paragraph, without those of text boxes anchored in it."""
    return [
        node
        for node in paragraph.iter(_TEXT)
        if next(above for above in node.iterancestors() if above.tag == _PARAGRAPH) is paragraph
    ]


def _join(texts: list[Any]) -> str:
    return "".join(node.text or "" for node in texts)


def _value_at(values: Any, path: str) -> Any:
    here = values
    for name in path.split("."):
        if not isinstance(here, dict) or name not in here:
            return _MISSING
        here = cast("Any", here[name])
    return here


def _replace_value(values: Mapping[str, Any], path: str, item: Any) -> Json:
    """The values with one list replaced by one of its items."""
    name, _, rest = path.partition(".")
    inner = _replace_value(values[name], rest, item) if rest else item
    return {**values, name: inner}


def _replace(texts: list[Any], start: int, end: int, value: str) -> None:
    """Replace the characters from start to end by `value`, across text nodes."""
    at = 0
    for node in texts:
        text = node.text or ""
        first, last = max(start - at, 0), min(end - at, len(text))
        if first < last:
            _write(node, text[:first] + (value if start >= at else "") + text[last:])
        at += len(text)


def _write(node: Any, text: str) -> None:
    """Set the text of a node; further lines follow it with line breaks."""
    first, *others = text.split("\n")
    node.text = first
    # otherwise programs drop spaces at both ends
    node.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    for line in reversed(others):
        twin = cast("Any", OxmlElement("w:t"))
        _write(twin, line)
        node.addnext(twin)
        node.addnext(OxmlElement("w:br"))
