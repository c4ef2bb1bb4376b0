"""The bytes of files: where they are kept, and signed URLs to fetch them."""

from pagehand.files.local import LocalFiles
from pagehand.files.signing import Signed, UrlSigner
from pagehand.ports import FileStore

__all__ = ["FileStore", "LocalFiles", "Signed", "UrlSigner"]
