"""File info as the API shows it."""

from dataclasses import dataclass

from msgspec import to_builtins

from pagehand.files.signing import UrlSigner
from pagehand.records import FileInfo, Json, StoredFile


@dataclass(slots=True, frozen=True)
class FileDescriber:
    """Describes stored files, each with a signed download URL."""

    signer: UrlSigner

    def __call__(self, info: FileInfo) -> Json:
        """The File info of `info`."""
        url = self.signer.url("file", info.organization_id, info.id)
        return {**to_builtins(StoredFile.of(info)), "downloadUrl": url}
