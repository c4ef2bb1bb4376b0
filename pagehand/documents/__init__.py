"""Reads, fills and unpacks documents of unknown origin, in isolated processes with limits.

`DocumentProcess` runs in the service. The tasks run in those processes: plain functions over bytes.
"""

from pagehand.documents.kinds import reader_of
from pagehand.documents.process import LARGEST_DOCUMENT, DocumentProcess

__all__ = ["LARGEST_DOCUMENT", "DocumentProcess", "reader_of"]
