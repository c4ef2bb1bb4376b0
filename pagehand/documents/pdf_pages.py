"""Takes pages out of a PDF, and everything that only they used."""

from collections.abc import Mapping
from typing import Any, cast

from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject

from pagehand.documents.page_ranges import positions
from pagehand.documents.pdf_opening import opened_for_change, written
from pagehand.documents.tasks import SendFile
from pagehand.errors import BlockFailed


def remove(content: bytes, options: Mapping[str, Any], send: SendFile) -> dict[str, int]:
    """The same PDF without the named pages; how many went and how many are left."""
    writer = opened_for_change(content, options.get("password"))
    count = len(writer.pages)
    gone = positions(str(options["pages"]), count)
    if len(gone) == count:
        raise BlockFailed(f"`pages` names all {count} pages; a PDF needs at least one.")
    ids = {cast("Any", writer.pages[at].indirect_reference).idnum for at in gone}
    for at in reversed(gone):
        writer.remove_page(at, clean=True)
    _forget_fields(writer, ids)
    writer.compress_identical_objects(remove_duplicates=False, remove_unreferenced=True)
    send("", written(writer))
    return {"removed": len(gone), "left": count - len(gone)}


def _forget_fields(writer: PdfWriter, pages: set[int]) -> None:
    """Form fields hold on to the pages they stand on, and so to what was removed."""
    form: Any = writer.root_object.get("/AcroForm")
    if form is not None:
        form = cast("DictionaryObject", form.get_object())
        form[NameObject("/Fields")] = _kept(form.get("/Fields", ArrayObject()), pages)


def _kept(fields: Any, pages: set[int]) -> ArrayObject:
    """Fields with at least one place on a page that is left; the others with all below them go."""
    left = ArrayObject()
    for reference in fields.get_object():
        field = reference.get_object()
        page = field.raw_get("/P") if "/P" in field else None
        if page is not None and getattr(page, "idnum", None) in pages:
            continue
        if "/Kids" in field:
            field[NameObject("/Kids")] = _kept(field["/Kids"], pages)
            if not field["/Kids"]:
                continue
        left.append(reference)
    return left
