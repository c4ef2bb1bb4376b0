"""Changes a PDF: fills its form, or removes pages with everything that only they used."""

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from pypdf import PasswordType, PdfReader, PdfWriter
from pypdf.errors import PyPdfError
from pypdf.generic import ArrayObject, DictionaryObject, NameObject

from pagehand.documents.document import page_positions
from pagehand.documents.pdf_layout import pdfium
from pagehand.documents.tasks import SendFile, flatten_names, to_text
from pagehand.errors import BlockFailed
from pagehand.records import Json, is_array
from pagehand.workflow.words import read_yes_no

_RADIO, _PUSH_BUTTON, _EDITABLE, _MULTIPLE = 1 << 15, 1 << 16, 1 << 18, 1 << 21  # field flags of PDF
_MOST_PARENTS: Final = 30
_ON: Final = "/Yes"
"""The checked state of a checkbox without an appearance."""


def fill(content: bytes, options: Mapping[str, Any], send: SendFile) -> Json:
    """Send the filled form; the names of the fields that were filled, and of those that were not."""
    writer = open_for_change(content, options.get("password"))
    fields = _fields(writer)
    if not fields:
        raise BlockFailed("The PDF has no form to fill in: it has no fields.")
    wanted = {_find_field(name, fields): value for name, value in flatten_names(options["values"]).items()}
    for item, value in wanted.items():
        fields[item].write(writer, value)
    # programs that support XFA would show its old values
    cast("Any", writer.root_object["/AcroForm"]).get_object().pop("/XFA", None)
    unshown = [name for name, value in wanted.items() if fields[name].has_unshown_characters(value)]
    if unshown and options.get("flatten"):
        raise BlockFailed(
            f"The value for `{unshown[0]}` has letters that the font of the form does not have; "
            "leave `flatten` out, and readers will show them in a font of their own."
        )
    writer.set_need_appearances_writer(state=bool(unshown))
    filled = to_bytes(writer)
    send("", _flatten(filled) if options.get("flatten") else filled)
    return {"filled": list(wanted), "left": [name for name in fields if name not in wanted]}


@dataclass(slots=True)
class _Field:
    """A field and its widgets: the places on pages where it is shown."""

    name: str
    node: Any
    widgets: list[tuple[Any, Any]] = field(default_factory=list[tuple[Any, Any]])

    def inherited(self, key: str) -> Any:
        """A value of the field, or of the nearest parent that has it."""
        node = self.node
        # limited: in a damaged file a field may be its own parent
        for _ in range(_MOST_PARENTS):
            if key in node or "/Parent" not in node:
                break
            node = node["/Parent"].get_object()
        return node.get(key)

    @property
    def flags(self) -> int:
        return int(self.inherited("/Ff") or 0)

    @property
    def is_fillable(self) -> bool:
        kind = self.inherited("/FT")
        return kind in ("/Tx", "/Ch") or (kind == "/Btn" and not self.flags & _PUSH_BUTTON)

    def write(self, writer: PdfWriter, value: Any) -> None:
        """Set the value, converted for the type of the field."""
        if value is None:
            return
        match self.inherited("/FT"):
            case "/Btn":
                self._set_state(self._state(value))
            case "/Ch":
                self._set_text(writer, self._choice(value))
            case _:
                self._set_text(writer, self._check_length(to_text(value)))

    def has_unshown_characters(self, value: Any) -> bool:
        """Whether the appearance shows characters of the text as question marks."""
        if self.inherited("/FT") == "/Btn" or value is None:
            return False
        marks = to_text(value).count("?")
        shown = [widget["/AP"]["/N"].get_object() for _, widget in self.widgets if "/AP" in widget]
        return not to_text(value).isascii() and any(item.get_data().count(b"?") > marks for item in shown)

    def _set_text(self, writer: PdfWriter, value: str | list[str]) -> None:
        for page, _ in self.widgets:
            writer.update_page_form_field_values(page, {self.name: value}, auto_regenerate=None)

    def _check_length(self, text: str) -> str:
        longest = self.inherited("/MaxLen")
        if longest is not None and len(text) > int(longest):
            raise BlockFailed(f"`{self.name}` takes {longest} characters, and its value has {len(text)}.")
        return text

    def _set_state(self, state: str) -> None:
        self.node[NameObject("/V")] = NameObject(state)
        for _, widget in self.widgets:
            is_on = state in (_states_of(widget) or [_ON])
            widget[NameObject("/AS")] = NameObject(state if is_on else "/Off")

    def _state(self, value: Any) -> str:
        """The state of a checkbox or radio group for a value."""
        states = list(dict.fromkeys(state for _, widget in self.widgets for state in _states_of(widget)))
        states = states or [_ON]
        labels = [str(item) for item in cast("list[Any]", self.inherited("/Opt") or [])]
        word = to_text(value).strip().casefold()
        for at, state in enumerate(states):
            if word in (
                state.removeprefix("/").casefold(),
                labels[at].casefold() if at < len(labels) else None,
            ):
                return state
        # on paper a cross in the box means yes
        is_on = {"": False, "x": True}.get(word, read_yes_no(word))
        if is_on is False or (is_on and not self.flags & _RADIO):
            return states[0] if is_on else "/Off"
        allowed = [*labels, *(state.removeprefix("/") for state in states)] if self.flags & _RADIO else []
        raise self._refusal(value, allowed or ["true", "false"])

    def _choice(self, value: Any) -> str | list[str]:
        several = value if is_array(value) else [value]
        if len(several) > 1 and not self.flags & _MULTIPLE:
            raise BlockFailed(f"`{self.name}` takes one choice, and its value has {len(several)}.")
        options = [_option(item) for item in cast("list[Any]", self.inherited("/Opt") or [])]
        found: list[str] = []
        for candidate in several:
            word = to_text(candidate)
            match = [label for pair in options if word in pair for label in pair[:1]]
            match = match or [pair[0] for pair in options if word.casefold() in map(str.casefold, pair)]
            if not match and not self.flags & _EDITABLE:
                raise self._refusal(candidate, [shown for _, shown in options])
            found.append(match[0] if match else word)
        return found if len(found) > 1 else found[0] if found else ""

    def _refusal(self, value: Any, allowed: list[str]) -> BlockFailed:
        listed = ", ".join(f"`{choice}`" for choice in dict.fromkeys(allowed))
        return BlockFailed(f"`{self.name}` cannot be `{to_text(value)[:80]}`; it takes {listed}.")


def _fields(writer: PdfWriter) -> dict[str, _Field]:
    """All fillable fields by full name, in the order of the pages."""
    found: dict[str, _Field] = {}
    for page in writer.pages:
        for reference in cast("Any", page.get("/Annots") or []):
            widget = reference.get_object()
            if widget.get("/Subtype") != "/Widget":
                continue
            node = widget if "/T" in widget or "/Parent" not in widget else widget["/Parent"].get_object()
            name = ".".join(reversed(list(_names(node))))
            found.setdefault(name, _Field(name, node)).widgets.append((page, widget))
    return {name: value for name, value in found.items() if name and value.is_fillable}


def _names(node: Any) -> Iterator[str]:
    for _ in range(_MOST_PARENTS):
        if "/T" in node:
            yield str(node["/T"])
        if "/Parent" not in node:
            return
        node = node["/Parent"].get_object()


def _find_field(name: str, fields: Mapping[str, _Field]) -> str:
    """The full name of the field with that name, last part of a name, or tooltip."""
    if name in fields:
        return name
    near = [full for full in fields if full.rpartition(".")[2] == name]
    near = near or [full for full, value in fields.items() if str(value.inherited("/TU") or "") == name]
    if len(near) == 1:
        return near[0]
    listed = ", ".join(f"`{item}`" for item in (near or fields))
    problem = (
        f"stands for several fields: {listed}" if near else f"is not a field of the form, which has {listed}"
    )
    raise BlockFailed(f"`values`: `{name}` {problem}.")


def _states_of(widget: Any) -> list[str]:
    looks: Any = widget["/AP"].get_object() if "/AP" in widget else {}
    normal: Any = looks["/N"].get_object() if "/N" in looks else {}
    return [str(state) for state in normal if state != "/Off"]


def _option(raw: Any) -> tuple[str, str]:
    """The stored and the displayed value of an option."""
    option = raw.get_object()
    both = option if is_array(option) else [option, option]
    return str(both[0]), str(both[-1])


def _flatten(content: bytes) -> bytes:
    """The PDF with the values drawn on its pages, without the form."""
    with pdfium.PdfDocument(content) as file:
        file.init_forms()
        for page in file:
            page.flatten()
            page.close()
        out = io.BytesIO()
        file.save(out)
    writer = open_for_change(out.getvalue(), None)
    cast("Any", writer.root_object).pop("/AcroForm", None)
    writer.compress_identical_objects(remove_duplicates=False, remove_unreferenced=True)
    return to_bytes(writer)


def remove(content: bytes, options: Mapping[str, Any], send: SendFile) -> dict[str, int]:
    """Send the PDF without the named pages; how many were removed and how many are left."""
    writer = open_for_change(content, options.get("password"))
    count = len(writer.pages)
    removed = page_positions(str(options["pages"]), count)
    if len(removed) == count:
        raise BlockFailed(f"`pages` names all {count} pages; a PDF needs at least one.")
    ids = {cast("Any", writer.pages[at].indirect_reference).idnum for at in removed}
    for at in reversed(removed):
        writer.remove_page(at, clean=True)
    _remove_fields(writer, ids)
    writer.compress_identical_objects(remove_duplicates=False, remove_unreferenced=True)
    send("", to_bytes(writer))
    return {"removed": len(removed), "left": count - len(removed)}


def _remove_fields(writer: PdfWriter, pages: set[int]) -> None:
    """Remove form fields on removed pages: their references would keep the pages in the file."""
    form: Any = writer.root_object.get("/AcroForm")
    if form is not None:
        form = cast("DictionaryObject", form.get_object())
        form[NameObject("/Fields")] = _remaining_fields(form.get("/Fields", ArrayObject()), pages)


def _remaining_fields(fields: Any, pages: set[int]) -> ArrayObject:
    """The fields that are on at least one remaining page."""
    remaining = ArrayObject()
    for reference in fields.get_object():
        field = reference.get_object()
        page = field.raw_get("/P") if "/P" in field else None
        if page is not None and getattr(page, "idnum", None) in pages:
            continue
        if "/Kids" in field:
            field[NameObject("/Kids")] = _remaining_fields(field["/Kids"], pages)
            if not field["/Kids"]:
                continue
        remaining.append(reference)
    return remaining


def open_for_change(content: bytes, password: str | None) -> PdfWriter:
    """A writer with a copy of the PDF."""
    if b"%PDF" not in content[:1024]:
        raise BlockFailed("It is not a PDF.")
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and reader.decrypt(password or "") == PasswordType.NOT_DECRYPTED:
            advice = "`password` does not open it" if password else "give its `password`"
            raise BlockFailed(f"The PDF is encrypted: {advice}.")
        return PdfWriter(clone_from=reader)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BlockFailed(f"The PDF is damaged: {error}") from error


def to_bytes(writer: PdfWriter) -> bytes:
    """The changed PDF."""
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()
