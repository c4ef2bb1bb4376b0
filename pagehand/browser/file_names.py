"""Names and types of files that sites offer: safe for a file system, whatever the site sends."""

import mimetypes
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote, urlsplit

_UNSAFE: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')
_NAME_BYTES: Final = 200
_LONGEST_ENDING: Final = 10


def safe_name(name: str, fallback: str = "download") -> str:
    """A file name without path parts or characters that file systems refuse."""
    last = re.split(r"[/\\]", name.strip())[-1]
    cleaned = _UNSAFE.sub("_", last).strip(" .")
    if not cleaned or set(cleaned) <= {"_", "."}:
        return fallback
    stem, dot, ending = cleaned.rpartition(".")
    if dot and len(ending) <= _LONGEST_ENDING:
        return _cut(stem, _NAME_BYTES - len(ending.encode()) - 1) + "." + ending
    return _cut(cleaned, _NAME_BYTES)


def _cut(text: str, limit: int) -> str:
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")


def mime_type_of(name: str) -> str:
    """The type that a file's ending promises."""
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def offered_name(headers: Mapping[str, str], url: str) -> str:
    """The name that a response gives its file, or the last part of the address; not safe yet."""
    disposition = headers.get("content-disposition", "")
    if extended := re.search(r"filename\*\s*=\s*([\w-]+)'[^']*'([^;]+)", disposition, re.IGNORECASE):
        return _decode(extended.group(2).strip(), extended.group(1))
    if plain := re.search(r'filename\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;]+))', disposition, re.IGNORECASE):
        return re.sub(r"\\(.)", r"\1", plain.group(1) or "") or (plain.group(2) or "").strip()
    return unquote(urlsplit(url).path.rsplit("/", 1)[-1])


def _decode(text: str, charset: str) -> str:
    try:
        return unquote(text, charset)
    except LookupError:
        return unquote(text)  # a character set that Python does not know: nearly all sites mean UTF-8
