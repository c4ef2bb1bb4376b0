"""Documents made on the spot: invoices, forms, templates, workbooks, archives, and hostile ones."""

import hashlib
import hmac
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import docx
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet
from pypdf import PdfReader, PdfWriter
from reportlab.lib import colors, pagesizes
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen import canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table, TableStyle

_FONT = b"<< /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"

ITEMS = [
    ["Description", "Quantity", "Unit price", "Amount"],
    ["Analytical engine, brass", "2", "$1,000.00", "$2,000.00"],
    ["Punched cards", "500", "$0.10", "$50.00"],
    ["Oil", "1", "$4.50", "$4.50"],
    ["Total", "", "", "$2,054.50"],
]
MOVEMENTS = [
    ["Date", "Description", "Amount"],
    ["2026-01-02", "Coffee shop", "-3.50"],
    ["2026-01-03", "Salary payment", "2,500.00"],
    ["2026-01-09", "Rent", "-900.00"],
]


def invoice(number: str = "INV-0042") -> bytes:
    """A PDF with labels and a table drawn with lines."""
    style = getSampleStyleSheet()
    table = Table(ITEMS, style=TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)]))
    lines = ["Invoice number: " + number, "Invoice date: 3 March 2026", "Customer: Ada Lovelace"]
    story = [Paragraph("Invoice", style["Title"]), *(Paragraph(line, style["Normal"]) for line in lines)]
    return _built([*story, Paragraph("Items", style["Heading2"]), table])


def long_invoice(rows: int) -> bytes:
    """The table goes on over several pages, with its header repeated."""
    items = [["Item", "Price"], *([f"Part {at}", f"{at}.50"] for at in range(rows))]
    table = Table(items, repeatRows=1, style=TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)]))
    return _built([table])


def _built(story: Sequence[Any]) -> bytes:
    out = io.BytesIO()
    SimpleDocTemplate(out, pagesize=pagesizes.A4).build(list(story))
    return out.getvalue()


def statement() -> bytes:
    """A PDF whose table is set in columns without lines, and whose labels stand side by side."""
    out = io.BytesIO()
    page = canvas.Canvas(out)
    page.drawString(72, 800, "Statement of account")
    page.drawString(72, 780, "Account number: 12-345")
    page.drawString(300, 780, "Statement date: 2026-03-04")
    page.drawString(72, 764, "Closing balance")
    page.drawString(300, 764, "1,596.50")
    for at, (day, text, amount) in enumerate(MOVEMENTS):
        page.drawString(72, 720 - 16 * at, day)
        page.drawString(180, 720 - 16 * at, text)
        page.drawRightString(400, 720 - 16 * at, amount)
    page.save()
    return out.getvalue()


def pages(count: int, words: int = 0) -> bytes:
    """A PDF whose pages say which they are, with as much prose as wanted."""
    out = io.BytesIO()
    page = canvas.Canvas(out)
    for number in range(1, count + 1):
        page.drawString(72, 800, f"This is page {number}")
        for line in range(words // 10):
            page.drawString(72, 780 - 14 * line, f"Line {line} has ten words that say nothing of note here")
        page.showPage()
    page.save()
    return out.getvalue()


def encrypted(content: bytes, password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
    writer.encrypt(password, algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def tax_form() -> bytes:
    """A PDF form: text, a tick, radio buttons, a list; a second page with one more field."""
    out = io.BytesIO()
    page = canvas.Canvas(out)
    form = cast("Any", page).acroForm
    page.drawString(72, 760, "Annual return")
    form.textfield(name="name", tooltip="Full name", x=72, y=700, width=200, maxlen=40)
    form.textfield(name="income", x=72, y=670, width=200)
    form.checkbox(name="resident", x=72, y=640)
    form.radio(name="status", value="single", x=72, y=610, selected=True)
    form.radio(name="status", value="married", x=102, y=610)
    form.choice(
        name="country", x=72, y=580, width=120, height=20, value="France", options=["France", "Norway"]
    )
    page.showPage()
    page.drawString(72, 760, "Declaration")
    form.textfield(name="place", x=72, y=700, width=200)
    page.save()
    return out.getvalue()


def form(*names: str) -> bytes:
    """A PDF form with text fields of these names; `agreed` is a tick."""
    out = io.BytesIO()
    page = canvas.Canvas(out)
    page.drawString(72, 760, "Form")
    fields = cast("Any", page).acroForm
    for at, name in enumerate(names):
        if name == "agreed":
            fields.checkbox(name=name, x=72, y=700 - 40 * at)
        else:
            fields.textfield(name=name, x=72, y=700 - 40 * at, width=200)
    page.save()
    return out.getvalue()


def offer_template_of(greeting: str, *cells: str) -> bytes:
    """A Word template with a line of text and a table of one row."""
    document = docx.Document()
    document.add_paragraph(greeting)
    for cell, text in zip(document.add_table(rows=1, cols=len(cells)).rows[0].cells, cells, strict=True):
        cell.text = text
    return saved_word(document)


def offer_template() -> bytes:
    """A Word template: names in text, split over runs, in a header, in a table, and a row that repeats."""
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Offer {{number}}"
    document.add_paragraph("Dear {{customer.name}}, thank you.")
    split = document.add_paragraph()
    for piece in ("Valid until {", "{val", "id}", "} at noon"):
        split.add_run(piece).bold = piece == "id}"
    table = document.add_table(rows=3, cols=2)
    for row, texts in zip(
        table.rows,
        (("Item", "Price"), ("{{rows.item}}", "{{rows.price}} EUR"), ("Sum", "{{total}}")),
        strict=True,
    ):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    return saved_word(document)


def letter() -> bytes:
    """A Word file with prose, labels, a table, and a second page."""
    document = docx.Document()
    document.core_properties.title = "Delivery note"
    document.add_heading("Delivery note")
    document.add_paragraph("Order number: A-17")
    table = document.add_table(rows=2, cols=3)
    for row, texts in zip(
        table.rows, (("Article", "Pieces", "Weight"), ("Screws", "100", "2.5")), strict=True
    ):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    document.add_page_break()
    document.add_paragraph("Signed on the second page")
    return saved_word(document)


def saved_word(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def workbook(rows: Sequence[Sequence[Any]], **more: Sequence[Sequence[Any]]) -> bytes:
    """A workbook with a sheet `Data`, and further ones by name."""
    book = Workbook()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.title = "Data"
    for row in rows:
        sheet.append(list(row))
    for name, others in more.items():
        second = book.create_sheet(name)
        for row in others:
            second.append(list(row))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def archive(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return out.getvalue()


def with_part(package: bytes, part: str, content: bytes) -> bytes:
    """A DOCX or XLSX file with one of its parts replaced."""
    with zipfile.ZipFile(io.BytesIO(package)) as packed:
        parts = {item: packed.read(item) for item in packed.namelist()}
    return archive({**parts, part: content})


def xml_bomb(root: str, namespace: str) -> bytes:
    """A few hundred bytes that stand for a thousand million letters."""
    levels = "".join(f'<!ENTITY l{at} "{f"&l{at - 1};" * 10}">' for at in range(1, 10))
    text = f'<!DOCTYPE x [<!ENTITY l0 "lol">{levels}]><{root} xmlns="{namespace}">&l9;</{root}>'
    return b'<?xml version="1.0" encoding="UTF-8"?>' + text.encode()


def zip_crypto(name: str, content: bytes, password: bytes) -> bytes:
    """An archive encrypted in the old way, which the standard library only reads."""
    key = [0x12345678, 0x23456789, 0x34567890]
    table = [_crc(at) for at in range(256)]

    def update(byte: int) -> None:
        key[0] = table[(key[0] ^ byte) & 0xFF] ^ (key[0] >> 8)
        key[1] = ((key[1] + (key[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        key[2] = table[(key[2] ^ (key[1] >> 24)) & 0xFF] ^ (key[2] >> 8)

    for byte in password:
        update(byte)
    sealed = bytearray()
    checksum = zlib.crc32(content)
    for byte in bytes(11) + bytes([checksum >> 24]) + content:
        mixer = (key[2] | 2) & 0xFFFF
        sealed.append(byte ^ (((mixer * (mixer ^ 1)) >> 8) & 0xFF))
        update(byte)
    return raw_zip(name, bytes(sealed), checksum, len(content), flags=1)


def aes_zip(name: str, content: bytes, password: bytes, strength: int, *, method: int = 8) -> bytes:
    """As the format's description says, with counters made one by one."""
    packer = zlib.compressobj(wbits=-15)
    packed = content if method == zipfile.ZIP_STORED else packer.compress(content) + packer.flush()
    key_size, salt = 8 + 8 * strength, bytes(range(4 + 4 * strength))
    keys = hashlib.pbkdf2_hmac("sha1", password, salt, 1000, 2 * key_size + 2)
    block = Cipher(algorithms.AES(keys[:key_size]), modes.ECB()).encryptor()  # noqa: S305 - the format's own way
    sealed = bytearray()
    for at in range(0, len(packed), 16):
        stream = block.update(struct.pack("<QQ", at // 16 + 1, 0))
        sealed += bytes(a ^ b for a, b in zip(packed[at : at + 16], stream, strict=False))
    seal = hmac.new(keys[key_size : 2 * key_size], sealed, "sha1").digest()[:10]
    extra = struct.pack("<HHH2sBH", 0x9901, 7, 2, b"AE", strength, method)
    body = salt + keys[-2:] + bytes(sealed) + seal
    return raw_zip(name, body, 0, len(content), flags=1, method=99, extra=extra)


def _crc(at: int) -> int:
    for _ in range(8):
        at = (at >> 1) ^ 0xEDB88320 if at & 1 else at >> 1
    return at


def raw_zip(
    name: str, packed: bytes, checksum: int, size: int, *, flags: int = 0, method: int = 0, extra: bytes = b""
) -> bytes:
    """An archive with one member, byte by byte, so that it can claim anything."""
    path = name.encode()
    facts = struct.pack(
        "<HHHHIIIHH", flags, method, 0, 0x21, checksum, len(packed), size, len(path), len(extra)
    )
    local = b"PK\x03\x04" + struct.pack("<H", 20) + facts + path + extra + packed
    entry = (
        b"PK\x01\x02"
        + struct.pack("<HH", 20, 20)
        + facts
        + struct.pack("<HHHII", 0, 0, 0, 0, 0)
        + path
        + extra
    )
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(local), 0)
    return local + entry + end


Work = Callable[[bytes, Mapping[str, Any], Callable[[str, bytes], None]], Any]


def done(work: Work, content: bytes, **options: Any) -> tuple[Any, dict[str, bytes]]:
    """What one of the document tasks answers, in this process, and the files it hands back."""
    files: dict[str, bytes] = {}
    answer = work(content, options, files.__setitem__)
    return answer, files


def pages_of(work: Work, content: bytes, **options: Any) -> list[dict[str, Any]]:
    """The pages that a reader finds."""
    return done(work, content, **options)[0]["pages"]


def tables_of(work: Work, content: bytes, **options: Any) -> list[list[list[Any]]]:
    """The rows of every table on every page."""
    return [table["rows"] for page in pages_of(work, content, **options) for table in page["tables"]]


def text_of_pdf(content: bytes) -> str:
    """What each page says, by another library than the one under test."""
    return "\n".join(page.extract_text().strip() for page in PdfReader(io.BytesIO(content)).pages)


def text_of_word(content: bytes) -> str:
    document = docx.Document(io.BytesIO(content))
    tables = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    header = [paragraph.text for paragraph in document.sections[0].header.paragraphs]
    return "\n".join([*header, *(paragraph.text for paragraph in document.paragraphs), *tables])


def pdf_with(content: bytes, more: bytes = b"") -> bytes:
    """A hand-written PDF of one page that shows the stream `content`."""
    stream = b"<< /Length %d %s >> stream\n%s\nendstream" % (len(content), more, content)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources " + _FONT + b" >>",
        stream,
    ]
    out = b"%PDF-1.4\n"
    places: list[int] = []
    for number, item in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, item)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    return out + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (size, start)


def flate_bomb(megabytes: int) -> bytes:
    """A packed stream of so many megabytes of spaces."""
    packer = zlib.compressobj(1)
    spaces = b" " * 1024 * 1024
    return b"".join(packer.compress(spaces) for _ in range(megabytes)) + packer.flush()
