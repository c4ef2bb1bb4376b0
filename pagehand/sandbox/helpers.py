"""Functions that user code may call without importing anything: CSV, addresses, hashes, dates, patterns.

They run inside the sandbox like the code that calls them, under the same limits; the service itself never
calls them. So they are written in the sandbox's subset of Python, and nothing here outlasts a call. Names
that begin with `_pagehand_` are theirs alone: user code cannot take them.
"""
# ruff: noqa: DTZ007 - dates are as users write them, with or without a zone

import base64 as _pagehand_base64
import csv as _pagehand_csv
import datetime as _pagehand_datetime  # noqa: ICN001 - see above
import hashlib as _pagehand_hashlib
import re as _pagehand_re
from typing import Any


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


def url_parse(url: str) -> dict[str, Any]:
    """The parts of an address: scheme, user, host, port, path, query (an object) and fragment."""
    rest, _, fragment = url.partition("#")
    rest, _, query = rest.partition("?")
    scheme, there, after = rest.partition("://")
    if not there:
        scheme, after = "", rest
    authority, slash, path = after.partition("/") if there else ("", "", after)
    user, _, place = authority.rpartition("@")
    found = _pagehand_re.match(r"^(\[[^\]]*\]|[^:]*)(?::(\d*))?$", place)
    if found is None:
        raise ValueError("`" + url[:100] + "` is not an address")
    port = found.group(2)
    return {
        "scheme": scheme.lower(),
        "user": url_unquote(user),
        "host": found.group(1).lower(),
        "port": int(port) if port else None,
        "path": slash + path,
        "query": _pagehand_pairs(query),
        "fragment": url_unquote(fragment),
    }


def _pagehand_pairs(query: str) -> dict[str, Any]:
    """Names and values; a name that comes several times has a list."""
    found: dict[str, Any] = {}
    for pair in query.split("&"):
        name, _, value = pair.replace("+", " ").partition("=")
        name, value = url_unquote(name), url_unquote(value)
        if name in found:
            before = found[name]
            found[name] = [*before, value] if isinstance(before, list) else [before, value]
        elif pair:
            found[name] = value
    return found


def url_quote(text: Any, safe: str = "") -> str:
    """Text made safe for an address; characters in `safe` stay as they are."""
    plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~" + safe
    return "".join(
        [
            character
            if character in plain
            else "".join([f"%{byte:02X}" for byte in character.encode("utf-8")])
            for character in str(text)
        ]
    )


def url_unquote(text: str) -> str:
    """The text that was made safe; what is not an escape stays as it is."""
    first, *pieces = text.split("%")
    if not pieces:
        return text
    codes = first.encode("utf-8").hex()
    for piece in pieces:
        if _pagehand_re.match(r"^[0-9A-Fa-f]{2}", piece):
            codes += piece[:2] + piece[2:].encode("utf-8").hex()
        else:
            codes += ("%" + piece).encode("utf-8").hex()
    return bytes.fromhex(codes).decode("utf-8", "replace")


def url_query(values: dict[str, Any]) -> str:
    """An object as the query of an address; a list repeats its name, null is left out."""
    listed: dict[str, list[Any]] = {
        name: value if isinstance(value, list) else [value] for name, value in values.items()
    }
    pairs = [(name, item) for name, ones in listed.items() for item in ones if item is not None]
    return "&".join([url_quote(name) + "=" + url_quote(pair) for name, pair in pairs])


def url_join(base: str, path: str) -> str:
    """The address that a link `path` on the page `base` leads to."""
    if _pagehand_re.match(r"^[A-Za-z][A-Za-z0-9+.-]*:", path):
        return path
    page = base.partition("#")[0]
    scheme, there, after = page.partition("://")
    if not there:
        raise ValueError("`" + base[:100] + "` is not a whole address")
    if path.startswith("//"):
        return scheme + ":" + path
    authority, slash, rest = after.partition("?")[0].partition("/")
    start = scheme + "://" + authority
    if not path:
        return base
    if path.startswith("#"):
        return page + path
    if path.startswith("?"):
        return start + slash + rest + path
    target, mark, query = path.partition("?")
    whole = target if target.startswith("/") else "/" + rest.rpartition("/")[0] + "/" + target
    return start + _pagehand_without_dots(whole) + mark + query


def _pagehand_without_dots(path: str) -> str:
    kept: list[str] = []
    parts = [part for place, part in enumerate(path.split("/")) if place > 0]
    for place, part in enumerate(parts):
        if part == "..":
            kept = kept[:-1]
        elif part != "." and (part or place == len(parts) - 1 or kept):
            kept.append(part)
    tail = "/" if parts and parts[-1] in (".", "..") and kept else ""
    return "/" + "/".join(kept) + tail


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


def date_parse(text: str, format: str = "") -> str:  # noqa: A002 - the word users look for
    """A date or moment as ISO text; `format` such as `DD/MM/YYYY` says how it is written.

    Without one it reads what can mean one thing only: ISO, 2 January 2024, Jan 2, 2024, 02.01.2024.
    """
    moment, has_time = _pagehand_moment(text, format)
    return moment.isoformat() if has_time else moment.isoformat()[:10]


def date_format(date: str, format: str) -> str:  # noqa: A002 - as above
    """A date in another form: YYYY, YY, MMMM (January), MMM, MM, DD, dddd (Monday), HH, mm, ss."""
    moment, _ = _pagehand_moment(date, "")
    return moment.strftime(_pagehand_codes(format))


def date_add(
    date: str,
    years: int = 0,
    months: int = 0,
    weeks: int = 0,
    days: int = 0,
    hours: int = 0,
    minutes: int = 0,
    seconds: int = 0,
) -> str:
    """A date moved by so much; the end of a month stays within the month."""
    moment, has_time = _pagehand_moment(date, "")
    month = moment.year * 12 + moment.month - 1 + years * 12 + months
    year, month = month // 12, month % 12 + 1
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = [31, 29 if is_leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    moment = moment.replace(year=year, month=month, day=min(moment.day, lengths[int(month) - 1]))
    moment += _pagehand_datetime.timedelta(
        days=days + weeks * 7, hours=hours, minutes=minutes, seconds=seconds
    )
    has_time = has_time or bool(hours or minutes or seconds)
    return moment.isoformat() if has_time else moment.isoformat()[:10]


def date_diff(start: str, end: str, unit: str = "days") -> float:
    """How long from one to the other, in `days`, `hours`, `minutes` or `seconds`."""
    sizes = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}
    if unit not in sizes:
        raise ValueError("`" + unit + "` is not a unit; there is: days, hours, minutes, seconds")
    first, _ = _pagehand_moment(start, "")
    last, _ = _pagehand_moment(end, "")
    if (first.utcoffset() is None) != (last.utcoffset() is None):
        zone = _pagehand_datetime.timezone.utc  # noqa: UP017 - the subset knows no other name for it
        first = first if first.utcoffset() is not None else first.replace(tzinfo=zone)
        last = last if last.utcoffset() is not None else last.replace(tzinfo=zone)
    return (last - first).total_seconds() / sizes[unit]


def _pagehand_moment(text: str, written: str) -> tuple[Any, bool]:
    """The moment, and whether the text said a time of day."""
    text = " ".join(str(text).split())
    if written:
        codes = _pagehand_codes(written)
        has_time = any(code in codes for code in ("%H", "%M", "%S"))
        return _pagehand_datetime.datetime.strptime(text, codes), has_time
    try:
        return _pagehand_datetime.datetime.fromisoformat(text), ":" in text
    except ValueError:
        pass
    for codes in (
        "%Y/%m/%d",
        "%d.%m.%Y",
        "%d %B %Y",
        "%d %b %Y",
        "%B %d, %Y",
        "%b %d, %Y",
        "%d-%b-%Y",
        "%d.%m.%Y %H:%M",
        "%Y/%m/%d %H:%M",
        "%a, %d %b %Y %H:%M:%S %z",
    ):
        try:
            return _pagehand_datetime.datetime.strptime(text, codes), "%H" in codes
        except ValueError:
            continue
    raise ValueError(
        "`" + text[:60] + "` is not a date that can mean one thing only; say its format: DD/MM/YYYY"
    )


def _pagehand_codes(written: str) -> str:
    """`DD/MM/YYYY` as the `%d/%m/%Y` that the language knows; what has a `%` is taken as it is."""
    if "%" in written:
        return written
    codes = ""
    known = [
        *[("YYYY", "%Y"), ("MMMM", "%B"), ("dddd", "%A"), ("MMM", "%b"), ("ddd", "%a")],
        *[("YY", "%y"), ("MM", "%m"), ("DD", "%d"), ("HH", "%H"), ("mm", "%M"), ("ss", "%S")],
    ]
    while written:
        code = [(token, item) for token, item in known if written.startswith(token)]
        token, one = code[0] if code else (written[0], written[0])
        codes += one
        written = written[len(token) :]
    return codes


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
