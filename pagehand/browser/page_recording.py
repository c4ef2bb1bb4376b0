"""What the pages of an execution were answered, taken by Playwright, without what would let anybody in."""

import asyncio
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import orjson
from playwright.async_api import BrowserContext

from pagehand.errors import TooLarge
from pagehand.recordings.recording import (
    HIDDEN,
    MAX_BYTES,
    Bodies,
    Exchange,
    is_credential,
    without_credentials,
)
from pagehand.records import is_array, is_object

Hide = Callable[[Any], Any]
"""JSON data without the execution's secrets."""
_ARCHIVE: Final = "pages.zip"
_INDEX: Final = "har.har"
_STOP_SECONDS: Final = 30
_PRIVATE_HEADERS: Final = frozenset(("authorization", "proxy-authorization", "www-authenticate"))


async def start_recording(context: BrowserContext, folder: Path) -> None:
    """Begin to record into a folder."""
    await context.tracing.start_har(folder / _ARCHIVE, mode="minimal")


async def stop_recording(
    context: BrowserContext, folder: Path, bodies: Bodies, hide: Hide
) -> list[tuple[Exchange, bool]]:
    """The answers in order, each with whether it is a file whose body the browser did not give.

    `TooLarge` if pages made it huge.
    """
    async with asyncio.timeout(_STOP_SECONDS):
        await context.tracing.stop_har()
    # in a thread: it may have a hundred megabytes
    return await asyncio.to_thread(lambda: list(_read(folder / _ARCHIVE, bodies, hide)))


def _read(path: Path, bodies: Bodies, hide: Hide) -> Iterator[tuple[Exchange, bool]]:
    with zipfile.ZipFile(path) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > MAX_BYTES:
            raise TooLarge(f"A recording may have {MAX_BYTES // 1_000_000} MB.")
        for entry in orjson.loads(archive.read(_INDEX))["log"]["entries"]:
            request, answer = entry["request"], entry["response"]
            # -1 where the connection failed; other schemes need no server
            if answer["status"] <= 0 or not request["url"].startswith(("http://", "https://")):
                continue
            file = answer["content"].get("_file")
            content = archive.read(file) if file else b""
            headers = [(header["name"], header["value"]) for header in answer["headers"]]
            exchange = kept_exchange(
                request["method"], request["url"], answer["status"], headers, content, bodies, hide
            )
            yield exchange, not file and "_failureText" in answer


def kept_exchange(
    method: str,
    url: str,
    status: int,
    headers: list[tuple[str, str]],
    content: bytes,
    bodies: Bodies,
    hide: Hide,
) -> Exchange:
    """An answer as it may be kept: secrets replaced in texts, no cookie and no credential."""
    kind = next((value for name, value in headers if name.lower() == "content-type"), "")
    # whatever its type is called: a secret may stand in all of them
    content = _redacted(_without_credentials(content, kind), hide)
    kept = [(name, _kept_value(name, hide(value))) for name, value in headers if not _is_private(name)]
    return Exchange(method, without_credentials(str(hide(url))), status, kept, bodies.add(content))


def _redacted(content: bytes, hide: Hide) -> bytes:
    try:
        text, encoding = content.decode(), "utf-8"
    except UnicodeDecodeError:
        text, encoding = content.decode("latin-1"), "latin-1"
    hidden = str(hide(text))
    return content if hidden == text else hidden.encode(encoding)


def _without_credentials(content: bytes, kind: str) -> bytes:
    """JSON and forms without the values of what is named like a credential."""
    if kind.lower().startswith("application/x-www-form-urlencoded"):
        return without_credentials(content.decode("latin-1")).encode("latin-1")
    if content.lstrip()[:1] not in (b"{", b"["):
        return content
    try:
        value = orjson.loads(content)
        return orjson.dumps(value) if _mask(value) else content
    except orjson.JSONDecodeError:
        return content
    except orjson.JSONEncodeError:  # nested too deeply to be written without them
        return b""


def _mask(value: Any) -> bool:
    """Replace the credentials in JSON data; whether there were any."""
    remaining, found = [value], False
    while remaining:  # not a recursion: what a site answers may be nested very deeply
        item: Any = remaining.pop()
        if is_array(item):
            remaining += item
        elif is_object(item):
            names = [name for name, inner in item.items() if isinstance(inner, str) and is_credential(name)]
            item.update(dict.fromkeys(names, HIDDEN))
            found = found or bool(names)
            remaining += item.values()
    return found


def _is_private(name: str) -> bool:
    return name.lower() in _PRIVATE_HEADERS


def _kept_value(name: str, value: str) -> str:
    """A cookie keeps its name, path and lifetime: pages look whether it is there."""
    if name.lower() != "set-cookie":
        return HIDDEN if is_credential(name) else without_credentials(value)
    # several cookies may stand in one value, a line each
    return "\n".join(_cookie_without_value(line) for line in value.split("\n"))


def _cookie_without_value(line: str) -> str:
    pair, separator, attributes = line.partition(";")
    return f"{pair.partition('=')[0]}={HIDDEN}{separator}{attributes}"
