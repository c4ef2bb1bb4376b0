"""Where the bytes of files are: a folder of this machine, or object storage."""

from pagehand.files.local import LocalFiles
from pagehand.files.object_storage import ObjectStorage
from pagehand.ports import FileStore
from pagehand.settings import Settings


def file_store(settings: Settings) -> FileStore:
    """The store that the settings name."""
    return ObjectStorage(settings.files) if settings.files else LocalFiles(settings.data_dir / "files")
