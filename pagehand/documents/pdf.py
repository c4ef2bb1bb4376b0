"""Reads text, tables and form fields of a PDF; pages without text are read by OCR if it is installed."""

from collections.abc import Mapping
from typing import Any

from pagehand.documents.document import Document, Page, page_positions
from pagehand.documents.ocr import read_picture
from pagehand.documents.pdf_layout import lines_of_words, pdfium, raw, read_words
from pagehand.documents.pdf_tables import find_tables
from pagehand.documents.tasks import SendFile
from pagehand.errors import BlockFailed
from pagehand.records import Json

_OCR_DOTS_PER_INCH = 200
_MOST_PIXELS = 40_000_000
_PASSWORD_ERROR = 4
_PLACEHOLDER_TITLES = ("untitled", "(anonymous)")


def read(content: bytes, options: Mapping[str, Any], _: SendFile) -> Json:
    """The selected pages."""
    with _open(content, options.get("password")) as file:
        count = len(file)
        wanted = page_positions(options.get("pages"), count)
        fields = _FormFields(file)
        pages = [_read_page(file, at, fields, options) for at in wanted]
        title = str(file.get_metadata_value("Title")).strip()
        document = Document(pages, count, title="" if title in _PLACEHOLDER_TITLES else title)
    if fields.values:
        document.more["fields"] = fields.values
    unread = [number + 1 for number, page in zip(wanted, pages, strict=True) if not page.text.strip()]
    if unread and not options.get("tesseract"):
        document.notes.append(
            f"Page {', '.join(str(number) for number in unread[:10])} has no text; if it is a picture, "
            "install `tesseract` to have it read."
        )
    return document.to_json(options)


def _open(content: bytes, password: str | None) -> Any:
    try:
        return pdfium.PdfDocument(content, password=password or None)
    except pdfium.PdfiumError as error:
        if error.err_code != _PASSWORD_ERROR:
            raise BlockFailed("It is not a PDF, or a damaged one.") from error
        if password:
            raise BlockFailed("The PDF is encrypted, and `password` does not open it.") from error
        raise BlockFailed("The PDF is encrypted: give its `password`.") from error


def _read_page(file: Any, at: int, fields: "_FormFields", options: Mapping[str, Any]) -> Page:
    page = file[at]
    try:
        characters = page.get_textpage()
        text, words = read_words(characters)
        characters.close()
        fields.read(page)
        program = options.get("tesseract")
        if not text.strip() and program:
            text = read_picture(_render(page), program, options.get("language"))
            return Page(text, lines=[[line] for line in text.splitlines() if line.strip()])
        tables, rest = find_tables(page, words)
        return Page(text, tables, [line.texts for line in lines_of_words(rest)])
    finally:
        page.close()


def _render(page: Any) -> bytes:
    """The page as a greyscale image in PGM format."""
    scale = _OCR_DOTS_PER_INCH / 72
    width, height = page.get_size()
    # limited, because a page may have any size
    scale = min(scale, (_MOST_PIXELS / max(width * height, 1)) ** 0.5)
    bitmap = page.render(scale=scale, grayscale=True)
    pixels, stride = bytes(bitmap.buffer), bitmap.stride
    rows = (pixels[at * stride : at * stride + bitmap.width] for at in range(bitmap.height))
    return b"P5 %d %d 255\n" % (bitmap.width, bitmap.height) + b"".join(rows)


class _FormFields:
    """The names and values of form fields."""

    def __init__(self, file: Any) -> None:
        self._form: Any = None
        if file.get_formtype() in (raw.FORMTYPE_ACRO_FORM, raw.FORMTYPE_XFA_FOREGROUND):
            file.init_forms()
            self._form = file.formenv
        self.values: dict[str, str] = {}

    def read(self, page: Any) -> None:
        """Read the fields on one page; of a radio group the selected option."""
        if self._form is None:
            return
        for at in range(raw.FPDFPage_GetAnnotCount(page)):
            annotation = raw.FPDFPage_GetAnnot(page, at)
            if raw.FPDFAnnot_GetSubtype(annotation) == raw.FPDF_ANNOT_WIDGET:
                name = self._text(raw.FPDFAnnot_GetFormFieldName, annotation)
                value = self._text(raw.FPDFAnnot_GetFormFieldValue, annotation)
                if name:
                    self.values[name] = self.values.get(name) or value
            raw.FPDFPage_CloseAnnot(annotation)

    def _text(self, function: Any, annotation: Any) -> str:
        size = function(self._form, annotation, None, 0)
        buffer = (raw.FPDF_WCHAR * (size // 2))()
        function(self._form, annotation, buffer, size)
        return bytes(buffer)[: size - 2].decode("utf-16-le", errors="replace")
