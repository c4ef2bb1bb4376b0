"""Hashes, signatures and base64; regular expressions; CSV."""

import base64 as _pagehand_base64
import csv as _pagehand_csv
import hashlib as _pagehand_hashlib
import re as _pagehand_re
from typing import Any


def sha256(text: str) -> str:
    """The SHA-256 of a text, in hex."""
    return _pagehand_hashlib.sha256(text.encode("utf-8")).hexdigest()


def md5(text: str) -> str:
    """The MD5 of a text, in hex; for old interfaces, not for secrets."""
    return _pagehand_hashlib.md5(text.encode("utf-8")).hexdigest()  # noqa: S324 - asked for by name


def hmac_sha256(key: str, text: str) -> str:
    """The keyed SHA-256 of a text, in hex, as web services sign requests."""
    secret = key.encode("utf-8")
    if len(secret) > 64:  # noqa: PLR2004 - the block of SHA-256
        secret = _pagehand_hashlib.sha256(secret).digest()
    padded = [secret[n] if n < len(secret) else 0 for n in range(64)]
    inner = bytes.fromhex("".join([f"{byte ^ 0x36:02x}" for byte in padded]))
    outer = bytes.fromhex("".join([f"{byte ^ 0x5C:02x}" for byte in padded]))
    digest = _pagehand_hashlib.sha256(inner + text.encode("utf-8")).digest()
    return _pagehand_hashlib.sha256(outer + digest).hexdigest()


def base64_encode(text: str) -> str:
    """Text in base64."""
    return _pagehand_base64.b64encode(text.encode("utf-8")).decode()


def base64_decode(text: str) -> str:
    """The text in base64, of either alphabet, with or without its `=`."""
    plain = text.strip().replace("-", "+").replace("_", "/").rstrip("=")
    return _pagehand_base64.b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8", "replace")


def regex_test(pattern: str, text: str) -> bool:
    """True when the pattern is found anywhere in the text."""
    return _pagehand_re.search(pattern, text) is not None


def regex_find(pattern: str, text: str) -> Any:
    """The first match: its groups by name or in order, else its text; null when there is none."""
    found = _pagehand_re.search(pattern, text)
    return None if found is None else _pagehand_match(found)


def regex_find_all(pattern: str, text: str) -> list[Any]:
    """Every match, as `regex_find` gives one."""
    return [_pagehand_match(found) for found in _pagehand_re.finditer(pattern, text)]


def regex_replace(pattern: str, text: str, replacement: Any) -> str:
    """The text with every match replaced: by a text, or by what a function makes of the match."""
    if isinstance(replacement, str):
        return _pagehand_re.sub(pattern, replacement, text)
    pieces: list[str] = []
    end = 0
    for found in _pagehand_re.finditer(pattern, text):
        pieces += [text[end : found.start()], str(replacement(_pagehand_match(found)))]
        end = found.end()
    return "".join([*pieces, text[end:]])


def _pagehand_match(found: Any) -> Any:
    named = found.groupdict()
    if named:
        return named
    groups = list(found.groups())
    if not groups:
        return found.group(0)
    return groups[0] if len(groups) == 1 else groups


def csv_parse(text: str, delimiter: str = ",", header: bool = True) -> list[Any]:
    """Rows of a CSV text: objects named by its first row, or arrays with `header=False`."""
    lines = text.removeprefix("\ufeff").splitlines(True)
    rows = [row for row in _pagehand_csv.reader(lines, delimiter=delimiter) if row]
    if not header:
        return rows
    if not rows:
        return []
    return [dict(zip(rows[0], row)) for row in rows[1:]]  # noqa: B905 - a short row has fewer keys


def csv_write(rows: list[Any], columns: list[str] | None = None, delimiter: str = ",") -> str:
    """A CSV text of objects or arrays; `columns` picks and orders the keys."""
    names: Any = columns
    if names is None and rows and isinstance(rows[0], dict):
        names = list({key: None for row in rows for key in row})
    table: list[Any] = [] if names is None else [names]
    table += [_pagehand_cells(row, names) for row in rows]
    lines = [delimiter.join([_pagehand_cell(cell, delimiter) for cell in row]) for row in table]
    return "".join([line + "\r\n" for line in lines])


def _pagehand_cells(row: Any, names: Any) -> Any:
    return [row.get(name) for name in names] if isinstance(row, dict) else row  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - any JSON


def _pagehand_cell(value: Any, delimiter: str) -> str:
    text = "" if value is None else str(value)
    if any(mark in text for mark in (delimiter, '"', "\r", "\n")):
        return '"' + text.replace('"', '""') + '"'
    return text
