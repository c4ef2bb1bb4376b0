"""Text, tables and form fields of a PDF; pages that are pictures are read by OCR where it is installed."""

from collections.abc import Mapping
from typing import Any

from pagehand.documents.document import Document, Page
from pagehand.documents.ocr import read_picture
from pagehand.documents.page_ranges import positions
from pagehand.documents.pdf_layout import lines_of_words, read_words
from pagehand.documents.pdf_tables import find_tables
from pagehand.documents.pdfium import pdfium, raw
from pagehand.documents.tasks import SendFile
from pagehand.errors import BlockFailed
from pagehand.records import Json

_OCR_DOTS_PER_INCH = 200
_LARGEST_PICTURE = 40_000_000
_PASSWORD_ERROR = 4
_NO_TITLES = ("untitled", "(anonymous)")


def read(content: bytes, options: Mapping[str, Any], _: SendFile) -> Json:
    """The pages that were asked for."""
    with _opened(content, options.get("password")) as file:
        count = len(file)
        wanted = positions(options.get("pages"), count)
        fields = _FormFields(file)
        pages = [_page(file, at, fields, options) for at in wanted]
        title = str(file.get_metadata_value("Title")).strip()
        document = Document(pages, count, title="" if title in _NO_TITLES else title)
    if fields.values:
        document.more["fields"] = fields.values
    unread = [number + 1 for number, page in zip(wanted, pages, strict=True) if not page.text.strip()]
    if unread and not options.get("tesseract"):
        document.notes.append(
            f"Page {', '.join(str(number) for number in unread[:10])} has no text; if it is a picture, "
            "install `tesseract` to have it read."
        )
    return document.to_json(options)


def _opened(content: bytes, password: str | None) -> Any:
    try:
        return pdfium.PdfDocument(content, password=password or None)
    except pdfium.PdfiumError as error:
        if error.err_code != _PASSWORD_ERROR:
            raise BlockFailed("It is not a PDF, or a damaged one.") from error
        if password:
            raise BlockFailed("The PDF is encrypted, and `password` does not open it.") from error
        raise BlockFailed("The PDF is encrypted: give its `password`.") from error


def _page(file: Any, at: int, fields: "_FormFields", options: Mapping[str, Any]) -> Page:
    page = file[at]
    try:
        characters = page.get_textpage()
        text, words = read_words(characters)
        characters.close()
        fields.read(page)
        program = options.get("tesseract")
        if not text.strip() and program:
            text = read_picture(_picture(page), program, options.get("language"))
            return Page(text, lines=[[line] for line in text.splitlines() if line.strip()])
        tables, rest = find_tables(page, words)
        return Page(text, tables, [line.texts for line in lines_of_words(rest)])
    finally:
        page.close()


def _picture(page: Any) -> bytes:
    """The page in shades of grey, as the plainest format there is."""
    scale = _OCR_DOTS_PER_INCH / 72
    width, height = page.get_size()
    # a page may claim any size
    scale = min(scale, (_LARGEST_PICTURE / max(width * height, 1)) ** 0.5)
    bitmap = page.render(scale=scale, grayscale=True)
    pixels, stride = bytes(bitmap.buffer), bitmap.stride
    rows = (pixels[at * stride : at * stride + bitmap.width] for at in range(bitmap.height))
    return b"P5 %d %d 255\n" % (bitmap.width, bitmap.height) + b"".join(rows)


class _FormFields:
    """Names and values of the fields that a filled form shows."""

    def __init__(self, file: Any) -> None:
        self._form: Any = None
        if file.get_formtype() in (raw.FORMTYPE_ACRO_FORM, raw.FORMTYPE_XFA_FOREGROUND):
            file.init_forms()
            self._form = file.formenv
        self.values: dict[str, str] = {}

    def read(self, page: Any) -> None:
        """Those on one page; of a radio group the choice that is on."""
        if self._form is None:
            return
        for at in range(raw.FPDFPage_GetAnnotCount(page)):
            note = raw.FPDFPage_GetAnnot(page, at)
            if raw.FPDFAnnot_GetSubtype(note) == raw.FPDF_ANNOT_WIDGET:
                name = self._text(raw.FPDFAnnot_GetFormFieldName, note)
                value = self._text(raw.FPDFAnnot_GetFormFieldValue, note)
                if name:
                    self.values[name] = self.values.get(name) or value
            raw.FPDFPage_CloseAnnot(note)

    def _text(self, ask: Any, note: Any) -> str:
        size = ask(self._form, note, None, 0)
        buffer = (raw.FPDF_WCHAR * (size // 2))()
        ask(self._form, note, buffer, size)
        return bytes(buffer)[: size - 2].decode("utf-16-le", errors="replace")
