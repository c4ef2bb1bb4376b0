"""PDFium, whose Python package has no types."""

from typing import Any, Final, cast

import pypdfium2  # pyright: ignore[reportMissingTypeStubs] - see above
import pypdfium2.raw  # pyright: ignore[reportMissingTypeStubs] - as above

pdfium: Final = cast("Any", pypdfium2)
"""Documents and pages."""
raw: Final = cast("Any", pypdfium2.raw)
"""The C functions."""
