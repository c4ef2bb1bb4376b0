"""Opens a PDF to change it, and writes the result."""

import io

from pypdf import PasswordType, PdfReader, PdfWriter
from pypdf.errors import PyPdfError

from pagehand.errors import BlockFailed


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
