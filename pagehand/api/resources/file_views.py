"""Files as the API shows them, with a URL that works for a while."""

from typing import Annotated

from msgspec import Meta

from pagehand.api.fields import View
from pagehand.files.signing import UrlSigner
from pagehand.records import FileInfo, Json

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
        str, Meta(description="Works without a key until it expires; ask again for a new one.")
    ]
    key: Annotated[str, Meta(description="Where the bytes are kept.")]


def file_view(signer: UrlSigner, info: FileInfo) -> FileView:
    """A file with a freshly signed URL."""
    return FileView(
        id=info.id,
        name=info.name,
        mime_type=info.mime_type,
        size_bytes=info.size_bytes,
        download_url=signer.url(FILE, info.organization_id, info.id),
        key=info.key,
    )


def stored_file(signer: UrlSigner, organization_id: str, stored: Json) -> FileView:
    """What an execution's row keeps of a file, with a freshly signed URL."""
    return FileView(
        id=stored["id"],
        name=stored["name"],
        mime_type=stored["mimeType"],
        size_bytes=stored["sizeBytes"],
        download_url=signer.url(FILE, organization_id, stored["id"]),
        key=stored["key"],
    )
