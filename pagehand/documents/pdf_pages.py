"""Removes pages from a PDF, with everything that only they used."""

import io
from collections.abc import Mapping
from typing import Any, cast

from pypdf import PasswordType, PdfReader, PdfWriter
from pypdf.errors import PyPdfError
from pypdf.generic import ArrayObject, DictionaryObject, NameObject

from pagehand.documents.document import page_positions
from pagehand.documents.tasks import SendFile
from pagehand.errors import BlockFailed


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
