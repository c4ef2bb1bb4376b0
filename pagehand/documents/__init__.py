"""Documents of unknown origin: read, filled, taken apart in limited processes apart from the service.

`DocumentProcess` hands the work out; everything else runs in those processes: plain functions over bytes.
"""

from pagehand.documents.kinds import reader_of
from pagehand.documents.process import LARGEST_DOCUMENT, DocumentProcess

__all__ = ["LARGEST_DOCUMENT", "DocumentProcess", "reader_of"]
