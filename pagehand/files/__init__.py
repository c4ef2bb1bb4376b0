"""The bytes of files: where they are stored, responses that are read from rows, and signed URLs."""

import binascii
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson
from msgspec import to_builtins

from pagehand.clock import now_ms
from pagehand.errors import Forbidden, NotFound
from pagehand.files.local import LocalFiles
from pagehand.files.object_storage import ObjectStorage
from pagehand.ports import FileStore
from pagehand.records import Execution, FileInfo, Json, StoredFile
from pagehand.settings import Settings

_FOLDER = "file://"
_CHUNK_BYTES = 256 * 1024
_PARTS_OF_KEY = 3
FindExecution = Callable[[str, str], Awaitable[Execution | None]]
_DIGEST_BYTES: Final = 32


def file_store(settings: Settings) -> FileStore:
    """The store that the settings name."""
    if settings.files is None:
        return LocalFiles(settings.data_dir / "files")
    if settings.files.startswith(_FOLDER):
        return LocalFiles(Path(settings.files.removeprefix(_FOLDER)))
    # its library is loaded here only: most installations keep files in a folder
    return ObjectStorage(settings.files)


class FilesAndResponses:
    """A file store that also serves the response files of executions."""

    def __init__(self, files: FileStore, find_execution: FindExecution) -> None:
        """`find_execution` takes an organization's id and an execution's."""
        self._files = files
        self._find = find_execution

    async def put(self, key: str, content: bytes) -> None:
        """Store `content` under `key`."""
        await self._files.put(key, content)

    async def put_file(self, key: str, path: Path) -> None:
        """Move the file at `path` to `key`."""
        await self._files.put_file(key, path)

    async def read(self, key: str) -> bytes:
        """All bytes; raises NotFound."""
        try:
            return await self._files.read(key)
        except NotFound:
            return bytes(await self._response(key))

    async def open(self, key: str) -> AsyncIterator[bytes]:
        """The bytes in chunks; raises NotFound at the first one."""
        try:
            async for chunk in self._files.open(key):
                yield chunk
        except NotFound:
            content = await self._response(key)
            for start in range(0, len(content), _CHUNK_BYTES):
                yield bytes(content[start : start + _CHUNK_BYTES])

    async def size(self, key: str) -> int:
        """How many bytes there are; raises NotFound."""
        try:
            return await self._files.size(key)
        except NotFound:
            return len(await self._response(key))

    async def delete(self, key: str) -> None:
        """Delete a file if it exists."""
        await self._files.delete(key)

    async def delete_folder(self, folder: str) -> None:
        """Delete every file whose key begins with `folder` and a slash."""
        await self._files.delete_folder(folder)

    async def _response(self, key: str) -> memoryview:
        parts = key.split("/")
        # keys are `<organization>/<execution>/<id>`
        execution = await self._find(parts[0], parts[1]) if len(parts) == _PARTS_OF_KEY else None
        if execution is None or execution.response_file is None or execution.response_file.key != key:
            raise NotFound(f"`key`: there is no stored file `{key}`.")
        return memoryview(execution.response or b"null")


@dataclass(slots=True, frozen=True)
class SignedResource:
    """The resource that a token gives access to; `mode` is the kind of access."""

    kind: str
    organization_id: str
    resource: str
    mode: str = "read"
    holder: str = ""
    """The id of the API key or console session that the link was made for, and ends with; or empty."""


class UrlSigner:
    """Creates and checks the tokens in URLs."""

    def __init__(self, secret: bytes, base_url: str, lifetime_seconds: int, holder: str = "") -> None:
        """`holder` is the id of the API key or session whose end is also the end of the URLs."""
        self._secret = secret
        self._base_url = base_url.rstrip("/")
        self._lifetime_seconds = lifetime_seconds
        self._holder = holder

    def for_holder(self, holder: str) -> "UrlSigner":
        """The same signer, for URLs that end with this API key or session."""
        return UrlSigner(self._secret, self._base_url, self._lifetime_seconds, holder)

    def url(self, kind: str, organization_id: str, resource: str) -> str:
        """A URL to download the resource until it expires."""
        return self.address("/files/download", self.token(kind, organization_id, resource))

    def address(self, path: str, token: str) -> str:
        """The URL of a path of this service with a token."""
        return f"{self._base_url}{path}?t={token}"

    def token(
        self,
        kind: str,
        organization_id: str,
        resource: str,
        *,
        mode: str = "read",
        lifetime_seconds: int | None = None,
    ) -> str:
        """The token alone, for other URLs such as that of the live view."""
        seconds = self._lifetime_seconds if lifetime_seconds is None else lifetime_seconds
        # the kind is signed too: a link to a file must not open a live view, or the other way round
        expires_at = now_ms() + seconds * 1000
        payload = orjson.dumps([kind, organization_id, resource, mode, expires_at, self._holder])
        return urlsafe_b64encode(self._sign(payload) + payload).decode().rstrip("=")

    def open(self, token: str) -> SignedResource:
        """The resource of a token; raises Forbidden if it is not ours, NotFound if it has expired."""
        try:
            raw = urlsafe_b64decode(token + "=" * (-len(token) % 4))
        except (binascii.Error, ValueError) as error:
            raise Forbidden("`t`: this is not a link of this service.") from error
        if urlsafe_b64encode(raw).decode().rstrip("=") != token:
            # base64 is ambiguous: unused bits at the end, and ignored characters outside the alphabet
            raise Forbidden("`t`: this is not a link of this service.")
        signature, payload = raw[:_DIGEST_BYTES], raw[_DIGEST_BYTES:]
        if not hmac.compare_digest(signature, self._sign(payload)):
            raise Forbidden("`t`: this is not a link of this service.")
        kind, organization_id, resource, mode, expires_at, *holder = orjson.loads(payload)
        if now_ms() >= expires_at:
            # checked after the signature, so that only our links are reported as expired
            raise NotFound("`t`: this link has expired; ask for a new one.")
        return SignedResource(kind, organization_id, resource, mode, *holder)

    def _sign(self, payload: bytes) -> bytes:
        return hmac.digest(self._secret, payload, "sha256")


@dataclass(slots=True, frozen=True)
class FileDescriber:
    """Describes stored files, each with a signed download URL."""

    signer: UrlSigner

    def __call__(self, info: FileInfo) -> Json:
        """The File info of `info`."""
        url = self.signer.url("file", info.organization_id, info.id)
        return {**to_builtins(StoredFile.of(info)), "downloadUrl": url}
