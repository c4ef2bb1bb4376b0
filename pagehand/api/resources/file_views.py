"""Files as the API shows them, with a URL that works for a while."""

from typing import Annotated

from msgspec import Meta

from pagehand.api.fields import View
from pagehand.files.signing import UrlSigner
from pagehand.records import FileInfo, StoredFile

FILE = "file"
"""The kind of a signed URL whose resource is a file's id."""
PICTURE = "picture"
"""The kind of a signed URL whose resource is a screenshot's key."""


class FileView(View):
    """File info."""

    id: str
    name: str
    mime_type: str
    size_bytes: int
    download_url: Annotated[
        str,
        Meta(description="Works without a key until it expires or your access ends; ask for a new one."),
    ]
    key: Annotated[str, Meta(description="Where the bytes are kept.")]


def file_view(signer: UrlSigner, organization_id: str, file: FileInfo | StoredFile) -> FileView:
    """A file with a freshly signed URL."""
    return FileView(
        id=file.id,
        name=file.name,
        mime_type=file.mime_type,
        size_bytes=file.size_bytes,
        download_url=signer.url(FILE, organization_id, file.id),
        key=file.key,
    )
