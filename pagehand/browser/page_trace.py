"""A Playwright trace of an execution, for Playwright's own viewer, without what would let anybody in.

Secrets are replaced in every text. Cookies, credentials and bodies of requests and answers are left out: they
may hold a session that no redactor knows. What pages need to be shown again is kept.
"""

import asyncio
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any, Final

import orjson
from playwright.async_api import BrowserContext

from pagehand import temporary_files
from pagehand.errors import TooLarge
from pagehand.records import is_array, is_object
from pagehand.secrets.vault import HIDDEN

Hide = Callable[[Any], Any]
"""JSON data without the execution's secrets."""
_STOP_SECONDS: Final = 30
_MAX_BYTES: Final = 200_000_000
_PRIVATE_KEYS: Final = frozenset(
    (
        *("cookies", "storageState", "origins", "postData", "proxy"),
        *("httpCredentials", "clientCertificates", "extraHTTPHeaders"),
    )
)
_PRIVATE_HEADERS: Final = frozenset(
    ("cookie", "set-cookie", "authorization", "proxy-authorization", "www-authenticate")
)
_LOGS: Final = frozenset((".trace", ".network"))
_TEXTS: Final = frozenset((".html", ".css", ".js", ".mjs", ".svg"))
_IMAGES: Final = frozenset((".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico"))
_FONTS: Final = frozenset((".woff", ".woff2", ".ttf", ".otf"))


async def start_trace(context: BrowserContext) -> None:
    """Begin to record; without a film of the screen, in which a typed secret could not be replaced."""
    await context.tracing.start(snapshots=True, screenshots=False, sources=False)


async def stop_trace(context: BrowserContext, hide: Hide) -> Path:
    """The recorded trace without secrets; the caller deletes its folder. `TooLarge` if pages made it huge."""
    folder = Path(tempfile.mkdtemp(prefix=temporary_files.prefix("trace")))
    recorded, kept = folder / "recorded.zip", folder / "trace.zip"
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await context.tracing.stop(path=recorded)
        # in a thread: a trace may have a hundred megabytes
        await asyncio.to_thread(_copy_without_secrets, recorded, kept, hide)
    except BaseException:
        await asyncio.to_thread(temporary_files.remove, folder)
        raise
    return kept


def _copy_without_secrets(recorded: Path, kept: Path, hide: Hide) -> None:
    with zipfile.ZipFile(recorded) as source, zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as target:
        if sum(entry.file_size for entry in source.infolist()) > _MAX_BYTES:
            raise TooLarge(f"A trace may have {_MAX_BYTES // 1_000_000} MB.")
        for entry in source.infolist():
            content = _without_secrets(entry.filename, source.read(entry), hide)
            if content is not None:
                target.writestr(entry.filename, content)


def _without_secrets(name: str, content: bytes, hide: Hide) -> bytes | None:
    """The entry as it may be kept; None for bodies that the viewer does not need."""
    kind = PurePosixPath(name).suffix.lower()
    if kind in _LOGS:
        return b"\n".join(_hide_in_line(line, hide) for line in content.splitlines() if line)
    if kind in _TEXTS:
        return str(hide(content.decode("utf-8", "replace"))).encode()
    return content if kind in _IMAGES or kind in _FONTS else None


def _hide_in_line(line: bytes, hide: Hide) -> bytes:
    return orjson.dumps(hide(_without_private(orjson.loads(line))))


def _without_private(value: Any) -> Any:
    if is_array(value):
        return [_without_private(item) for item in value]
    if not is_object(value):
        return value
    if str(value.get("name", "")).lower() in _PRIVATE_HEADERS:
        return {**value, "value": HIDDEN}
    # emptied and not removed: the viewer expects them
    return {
        key: type(item)() if key in _PRIVATE_KEYS and item is not None else _without_private(item)
        for key, item in value.items()
    }
