"""Letters about a claim as one-page PDF files; a page of Helvetica needs no library."""

from pagehand.demo.claims import TODAY, Claim

_PAGE_HEIGHT = 842
_LEFT = 72
_NAVY = "0.07 0.18 0.29"
_GREY = "0.36 0.42 0.48"
_REGULAR, _BOLD = "F1", "F2"


def money(cents: int) -> str:
    """An amount as people write it: `$1,284.50`."""
    return f"${cents // 100:,}.{cents % 100:02}"


def claim_letter(claim: Claim) -> bytes:
    """The letter to the policy holder with the status of the claim."""
    text = _Text()
    text.line("Northwind Mutual", size=20, font=_BOLD, color=_NAVY, skip=28)
    text.line("Claims department · 12 Harbour Row · Northport", color=_GREY, skip=46)
    text.line(f"{TODAY:%d %B %Y}", skip=30)
    text.line(f"Your claim {claim.number}", size=15, font=_BOLD, color=_NAVY, skip=26)
    text.line(f"Dear {claim.holder},", skip=24)
    text.line(f"we have your claim under policy {claim.policy}, filed on {claim.filed:%d %B %Y}.", skip=17)
    text.line(f"Its status is: {claim.status}. {claim.adjuster} looks after it.", skip=34)
    for item in claim.items:
        text.pair(f"{item.text} ({item.quantity})", money(item.total_cents), skip=18)
    text.pair("Amount claimed", money(claim.total_cents), font=_BOLD, skip=40)
    text.line("Please keep receipts and photographs until the claim is closed.", skip=30)
    text.line(
        "Northwind Mutual is a made-up company. This letter is for trying things out.", size=9, color=_GREY
    )
    return _document(text.content(), title=f"Claim {claim.number}")


class _Text:
    """Lines of text from the top of the page down, as a PDF content stream."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._y = _PAGE_HEIGHT - 90

    def line(
        self, text: str, *, size: int = 11, font: str = _REGULAR, color: str = "0 0 0", skip: int = 17
    ) -> None:
        self._show(_LEFT, text, size, font, color)
        self._y -= skip

    def pair(self, left: str, right: str, *, font: str = _REGULAR, skip: int = 17) -> None:
        self._show(_LEFT, left, 11, font, "0 0 0")
        self._show(430, right, 11, font, "0 0 0")
        self._y -= skip

    def content(self) -> bytes:
        return b"\n".join(self._parts)

    def _show(self, x: int, text: str, size: int, font: str, color: str) -> None:
        place = f"BT {color} rg /{font} {size} Tf {x} {self._y} Td (".encode("ascii")
        self._parts.append(place + _literal(text) + b") Tj ET")


def _literal(text: str) -> bytes:
    # The built-in fonts know Windows' Western letters only; "ř" and the like become "?".
    raw = text.encode("cp1252", "replace")
    return raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _document(content: bytes, *, title: str) -> bytes:
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
            b"/Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>"
        ),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        (font % "Helvetica").encode("ascii"),
        (font % "Helvetica-Bold").encode("ascii"),
        b"<< /Title (" + _literal(title) + b") /Producer (Northwind Claims) >>",
    ]
    body = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets: list[int] = []
    for number, content_of in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content_of)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    body += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    body += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n" % (len(objects) + 1, len(objects))
    return bytes(body + b"startxref\n%d\n%%%%EOF\n" % start)
