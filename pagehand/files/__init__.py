"""The bytes of files: where they are stored, and signed URLs to download them."""

from pagehand.files.local import LocalFiles
from pagehand.files.signing import SignedResource, UrlSigner
from pagehand.ports import FileStore

__all__ = ["FileStore", "LocalFiles", "SignedResource", "UrlSigner"]
