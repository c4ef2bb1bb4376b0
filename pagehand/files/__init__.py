"""The bytes of files: where they are stored, and signed URLs to download them."""

from pathlib import Path

from pagehand.files.local import LocalFiles
from pagehand.files.object_storage import ObjectStorage
from pagehand.files.signing import SignedResource, UrlSigner
from pagehand.ports import FileStore
from pagehand.settings import Settings

_FOLDER = "file://"


def file_store(settings: Settings) -> FileStore:
    """The store that the settings name."""
    if settings.files is None:
        return LocalFiles(settings.data_dir / "files")
    if settings.files.startswith(_FOLDER):
        return LocalFiles(Path(settings.files.removeprefix(_FOLDER)))
    # its library is loaded here only: most installations keep files in a folder
    return ObjectStorage(settings.files)
