"""Parts of URLs, quoting, queries and relative links."""

import re as _pagehand_re
from typing import Any


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
    """The text that was made safe; what is not an escape stays unchanged."""
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
