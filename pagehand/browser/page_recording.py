"""What the pages of an execution were answered, taken by Playwright, without what would let anybody in."""

import asyncio
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, cast

import orjson
from playwright.async_api import BrowserContext

from pagehand.errors import TooLarge
from pagehand.recordings.recording import Bodies, Exchange

Hide = Callable[[Any], Any]
"""JSON data without the execution's secrets."""
_ARCHIVE: Final = "pages.zip"
_INDEX: Final = "har.har"
_STOP_SECONDS: Final = 30
_MAX_BYTES: Final = 200_000_000
_HIDDEN: Final = "recorded"
_CREDENTIAL: Final = re.compile(r"token|secret|passw|jwt|api_?key|session_?id|credential", re.IGNORECASE)
_PRIVATE_HEADERS: Final = frozenset(("authorization", "proxy-authorization", "www-authenticate"))
_TEXT_TYPES: Final = ("text/", "application/json", "application/javascript", "application/xml", "image/svg")


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
        if sum(entry.file_size for entry in archive.infolist()) > _MAX_BYTES:
            raise TooLarge(f"A recording may have {_MAX_BYTES // 1_000_000} MB.")
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
    if content and kind.lower().startswith(_TEXT_TYPES):
        text = _without_credentials(content).decode("utf-8", "surrogateescape")
        content = str(hide(text)).encode("utf-8", "surrogateescape")
    kept = [(name, _without_cookie(name, hide(value))) for name, value in headers if not _is_private(name)]
    return Exchange(method, str(hide(url)), status, kept, bodies.add(content))


def _without_credentials(content: bytes) -> bytes:
    """JSON without the values of fields that are named like credentials: no redactor knows a new token."""
    if content.lstrip()[:1] not in (b"{", b"["):
        return content
    try:
        return orjson.dumps(_masked(orjson.loads(content)))
    except orjson.JSONDecodeError:
        return content


def _masked(value: Any) -> Any:
    if isinstance(value, list):
        return [_masked(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    given = cast("dict[str, Any]", value)
    return {
        key: _HIDDEN if isinstance(item, str) and _CREDENTIAL.search(key) else _masked(item)
        for key, item in given.items()
    }


def _is_private(name: str) -> bool:
    return name.lower() in _PRIVATE_HEADERS


def _without_cookie(name: str, value: str) -> str:
    """A cookie keeps its name, path and lifetime: pages look whether it is there."""
    if name.lower() != "set-cookie":
        return value
    # several cookies may stand in one value, a line each
    return "\n".join(_cookie_without_value(line) for line in value.split("\n"))


def _cookie_without_value(line: str) -> str:
    pair, separator, attributes = line.partition(";")
    return f"{pair.partition('=')[0]}={_HIDDEN}{separator}{attributes}"
