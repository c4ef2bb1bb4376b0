"""File info as the API shows it."""

from dataclasses import dataclass

from pagehand.files.signing import UrlSigner
from pagehand.records import FileInfo, Json


@dataclass(slots=True, frozen=True)
class FileDescriber:
    """Describes stored files, each with a URL that works for a while."""

    signer: UrlSigner

    def __call__(self, info: FileInfo) -> Json:
        """The File info of `info`."""
        return {
            "id": info.id,
            "name": info.name,
            "mimeType": info.mime_type,
            "sizeBytes": info.size_bytes,
            "key": info.key,
            "downloadUrl": self.signer.url("file", info.organization_id, info.id),
        }
