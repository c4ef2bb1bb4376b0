"""Files: upload, list, download and delete them; files as the API shows them, with a URL for a while."""

import mimetypes
import re
from dataclasses import dataclass
from typing import Annotated, Final
from urllib.parse import parse_qs

from msgspec import Meta

from pagehand.api.attachment import attachment
from pagehand.api.auth import Access
from pagehand.api.body import MULTIPART, ReceivedFile
from pagehand.api.fields import (
    Answer,
    ById,
    EmptyRequest,
    Listing,
    Named,
    Page,
    Request,
    SearchText,
    View,
    convert,
    decode_content,
)
from pagehand.api.operation import Call, HttpRequest, Result, operation, public_get
from pagehand.api.request_limits import DOWNLOAD_BYTES
from pagehand.clock import now_ms
from pagehand.errors import Forbidden, InvalidRequest, NotFound, PagehandError
from pagehand.files import SignedResource, UrlSigner
from pagehand.ids import new_id
from pagehand.records import FileInfo, StoredFile

_MAX_NAME_LENGTH: Final = 255
_MEDIA_TYPE: Final = re.compile(r"[!-.0-~]{1,100}/[ -~]{1,200}")
MediaType = Annotated[str, Meta(pattern=f"^{_MEDIA_TYPE.pattern}$", examples=["text/plain"])]
FILE = "file"
"""The kind of a signed URL whose resource is a file's id."""
PICTURE = "picture"
"""The kind of a signed URL whose resource is a screenshot's key."""


class UploadFile(Request):
    """A file as JSON; or send multipart/form-data with a part `file`."""

    name: Annotated[
        str, Meta(min_length=1, max_length=_MAX_NAME_LENGTH, description="A file name without folders.")
    ]
    content_base64: Annotated[str, Meta(extra_json_schema={"contentEncoding": "base64"})]
    mime_type: Annotated[MediaType | None, Meta(description="Guessed from the name without one.")] = None


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


FileAnswer = Answer("FileAnswer", "file", FileView, "One file.")


@dataclass(slots=True, frozen=True)
class Upload:
    """An uploaded file: its bytes from JSON, or the temporary file of a form."""

    name: str
    mime_type: str
    content: bytes | ReceivedFile

    @property
    def size_bytes(self) -> int:
        """Its size in bytes."""
        return self.content.size_bytes if isinstance(self.content, ReceivedFile) else len(self.content)


def read_upload(http_request: HttpRequest) -> Upload:
    """The file in a JSON or a multipart body."""
    if http_request.file is not None:
        # some browsers send the full path
        name = http_request.file.name.replace("\\", "/").rpartition("/")[2]
        return _check(name, http_request.file.mime_type, http_request.file)
    request = convert(http_request.body, UploadFile)
    return _check(request.name, request.mime_type, decode_content(request.content_base64))


def _check(name: str, mime_type: str | None, content: bytes | ReceivedFile) -> Upload:
    if (
        not name.isprintable()
        or not 0 < len(name) <= _MAX_NAME_LENGTH
        or "/" in name
        or "\\" in name
        or name in (".", "..")
    ):
        raise InvalidRequest(
            f"`name`: expected a file name of at most {_MAX_NAME_LENGTH} characters, without folders"
        )
    # by the name alone: untrusted content is opened in the document process only
    kind = mime_type or mimetypes.guess_type(name)[0] or "application/octet-stream"
    if not _MEDIA_TYPE.fullmatch(kind):
        raise InvalidRequest("`mimeType`: expected a media type such as `text/plain`")
    return Upload(name, kind, content)


@operation(
    "/files/upload",
    scope="edit",
    response=FileAnswer,
    decode=read_upload,
    request_schema=UploadFile,
    accepts=(b"application/json", MULTIPART),
    example={"name": "note.txt", "mimeType": "text/plain", "contentBase64": "aGVsbG8="},
)
async def upload(call: Call[Upload]) -> Result:
    """Store a file; workflows can use it by its id.

    A form is written to the disk as it arrives, so it may be larger than other requests.
    """
    return await store_upload(call)


async def store_upload(call: Call[Upload]) -> View:
    """Store an upload as a file of the organization."""
    upload = call.request
    # before the bytes are stored: an organization over its quota must not fill the disk
    await call.services.stores.files.check_room(call.organization_id, upload.size_bytes)
    file_id = new_id("file")
    info = FileInfo(
        id=file_id,
        organization_id=call.organization_id,
        execution_id=None,
        name=upload.name,
        mime_type=upload.mime_type,
        size_bytes=upload.size_bytes,
        key=f"{call.organization_id}/uploads/{file_id}",
        created_at=now_ms(),
    )
    # the bytes before the row: a visible row always has its content
    if isinstance(upload.content, ReceivedFile):
        await call.services.files.put_file(info.key, upload.content.path)
    else:
        await call.services.files.put(info.key, upload.content)
    try:
        await call.services.stores.files.add(info)
    except PagehandError:
        await call.services.files.delete(info.key)
        raise
    return FileAnswer(file_view(call.signer, call.organization_id, info))


def _not_found() -> NotFound:
    return NotFound("There is no file with this `id` in this organization")


@operation("/files/get", scope="read", response=FileAnswer)
async def get(call: Call[ById]) -> Result:
    """One file, with a URL for its bytes."""
    info = await call.services.stores.files.get(call.organization_id, call.request.id)
    if info is None:
        raise _not_found()
    return FileAnswer(file_view(call.signer, call.organization_id, info))


class ListFiles(Page):
    """Which files."""

    execution_id: Annotated[str | None, Meta(description="Only those of this execution.")] = None
    search: Annotated[SearchText | None, Meta(description="Part of the name.")] = None
    without_responses: Annotated[
        bool, Meta(description="Leave out what executions keep as `response.json`.")
    ] = False


FileList = Listing("FileList", "files", FileView, "Newest first.")


@operation("/files/list", scope="read", response=FileList, example={"limit": 20})
async def list_all(call: Call[ListFiles]) -> Result:
    """Files of the organization."""
    request = call.request
    found, total = await call.services.stores.files.list(
        call.organization_id,
        execution_id=request.execution_id,
        search=request.search,
        without_responses=request.without_responses,
        limit=request.limit,
        offset=request.offset,
    )
    return FileList([file_view(call.signer, call.organization_id, file) for file in found], total=total)


DeletedFileAnswer = Answer("DeletedFileAnswer", "file", Named, "A file that is gone.")


@operation("/files/delete", scope="edit", response=DeletedFileAnswer)
async def delete(call: Call[ById]) -> Result:
    """Delete a file and its bytes."""
    # the row before the bytes: from now on nobody gets a link to them
    info = await call.services.stores.files.delete(call.organization_id, call.request.id)
    if info is None:
        raise _not_found()
    await call.services.files.delete(info.key)
    return DeletedFileAnswer(Named(id=info.id, name=info.name))


@public_get("/files/download")
async def download(call: Call[EmptyRequest]) -> Result:
    """The bytes behind a signed URL."""
    token = parse_qs(call.http_request.query.decode("latin-1")).get("t", [""])[0]
    signed = call.services.signer.open(token)
    # before anything is looked up: what is beyond the share must cost next to nothing
    call.usage.charge(signed.organization_id)
    call.usage.begin_stream(DOWNLOAD_BYTES)
    access = Access(call.services.authenticator, signed.holder, "read")
    async with call.usage.turn(download.path):
        await access.check()
        name, kind, key = await _signed_file(call, signed)
        size = await call.services.files.size(key)
    return attachment(access.guard(call.services.files.open(key)), name, kind, size)


async def _signed_file(call: Call[EmptyRequest], signed: SignedResource) -> tuple[str, str, str]:
    """Name, media type and key of the file or picture that a link leads to."""
    if signed.kind == PICTURE:
        return "screenshot.jpg", "image/jpeg", signed.resource
    if signed.kind != FILE:
        raise Forbidden("`t`: this is not a link to a file.")
    info = await call.services.stores.files.get(signed.organization_id, signed.resource)
    if info is None:
        raise NotFound("The file is no longer there")
    return info.name, info.mime_type, info.key
