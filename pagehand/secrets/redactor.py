"""Replaces secrets in everything that is shown, stored or sent: logs, events, prompts, responses."""

import base64
import html
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast
from urllib.parse import quote, quote_plus

import orjson
from ahocorasick_rs import AhoCorasick

from pagehand.secrets.vault import HIDDEN, Secret

SHORTEST: Final = 4
"""Shorter secrets are replaced only as whole words: anywhere else they would destroy most texts."""
# Browsers and scripts leave different characters of a URL unescaped; Python's `quote` escapes most of them.
_UNESCAPED_IN_URLS: Final = (
    "",
    "/",
    "!'()*",  # encodeURIComponent
    ";,/?:@&=+$#!'()*",  # encodeURI
    "!$%&'()*+,/:;=@[\\]|",  # the path of an address, as a browser writes it
    "!$%&()*+,/:;=?@[\\]^`{|}",  # its query
    "!#$%&'()*+,/:;=?@[\\]^{|}",  # its fragment
    "!$%&'()*+,",  # its user name and password
)


class Redactor:
    """Replaces secrets by `***`, also where they are escaped or encoded."""

    def __init__(self, secrets: Iterable[str | Secret] = ()) -> None:
        self._secrets: set[str] = set()
        self._finder: AhoCorasick | None = None
        self._finder_in_json: AhoCorasick | None = None
        self._short: set[str] = set()
        self._short_words: re.Pattern[str] | None = None
        for secret in secrets:
            self.add(secret)

    @property
    def count(self) -> int:
        """How many secrets it knows."""
        return len(self._secrets)

    def add(self, secret: str | Secret) -> None:
        """Replace this too from now on, such as what a block has typed as sensitive."""
        plain = _without_half_surrogates(secret.reveal() if isinstance(secret, Secret) else secret)
        if plain in self._secrets or not plain.strip():
            return
        self._secrets.add(plain)
        if len(plain) >= SHORTEST:
            long = (secret for secret in self._secrets if len(secret) >= SHORTEST)
            forms = {form for item in long for form in _forms(item)}
            self._finder = AhoCorasick(sorted(forms))
            self._finder_in_json = AhoCorasick(sorted({*forms, *map(_within_json, forms)}))
        if len(plain.strip()) < SHORTEST:  # pages and people drop the blanks around a secret
            self._short.add(plain.strip())
            words = "|".join(re.escape(item) for item in self._short if len(item) > 1)
            self._short_words = re.compile(rf"(?<!\w)(?:{words})(?!\w)") if words else None

    def text(self, text: str) -> str:
        """`text` without secrets."""
        if self._short and text.strip() in self._short:
            return HIDDEN
        if self._short_words is not None:
            text = self._short_words.sub(HIDDEN, text)
        if self._finder is None:
            return text
        text = _without_half_surrogates(text)
        # overlapping: a short secret inside a long one must not hide the long one
        found = self._finder.find_matches_as_indexes(text, overlapping=True)
        if not found:
            return text
        pieces: list[str] = []
        end = 0
        for start, stop in _merged(found):
            pieces += (text[end:start], HIDDEN)
            end = stop
        return "".join((*pieces, text[end:]))

    def value(self, value: Any) -> Any:
        """A copy of JSON data without secrets in keys and values."""
        if isinstance(value, str):
            return self.text(value)
        return value if self._is_free_of_secrets(value) else self._redact_each(value)

    def _is_free_of_secrets(self, value: Any) -> bool:
        """Whether it has no secret at all: one search in its JSON is far faster than one in each text."""
        if not self._secrets:
            return True
        if self._short:
            return False
        try:
            text = orjson.dumps(value).decode()
        except (TypeError, ValueError, RecursionError):  # not JSON: each part is searched instead
            return False
        return self._finder_in_json is None or not self._finder_in_json.find_matches_as_indexes(text)

    def _redact_each(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int | float):
            # a number that merely contains the secret's digits is left: amounts and ids would be lost
            return HIDDEN if str(value) in self._secrets else value
        if isinstance(value, list | tuple):
            return [self._redact_each(item) for item in cast("Iterable[Any]", value)]
        if isinstance(value, Mapping):
            items = cast("Mapping[Any, Any]", value).items()
            return {self._redact_each(key): self._redact_each(item) for key, item in items}
        return value


def _without_half_surrogates(text: str) -> str:
    """Pages may contain half a surrogate pair, which neither the finder nor a store takes: it becomes `?`."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _merged(matches: Iterable[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Spans to replace; secrets that overlap each other become one span, so that no rest remains."""
    spans: list[tuple[int, int]] = []
    for start, stop in sorted((start, stop) for _, start, stop in matches):
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(stop, spans[-1][1]))
        else:
            spans.append((start, stop))
    return spans


def _forms(secret: str) -> set[str]:
    """The secret in plain text and encoded in JSON, HTML, URLs, base64 and hex."""
    encoded = secret.encode()
    urls = {quote(secret, safe=raw) for raw in _UNESCAPED_IN_URLS}
    urls |= {quote_plus(secret), quote_plus(secret, safe="*").replace("~", "%7E")}
    forms = {
        secret,
        secret.strip(),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        json.dumps(secret)[1:-1].replace("/", "\\/"),
        *_html_forms(secret),
        *_escaped_for_scripts(secret),
        encoded.hex(),
        encoded.hex().upper(),
        *urls,
        *(_lower_escapes(url) for url in urls),
        *_base64_forms(encoded),
    }
    return {form for form in forms if len(form) >= SHORTEST}


def _html_forms(secret: str) -> set[str]:
    """As browsers and common template engines write texts and attributes."""
    text = html.escape(secret, quote=False)
    quotes = (
        ("&quot;", "'"),
        ("&quot;", "&#x27;"),
        ("&quot;", "&#39;"),
        ("&quot;", "&#039;"),
        ("&#34;", "&#39;"),
    )
    escaped = {text.replace('"', double).replace("'", single) for double, single in quotes}
    return {text, secret.replace("&", "&amp;").replace('"', "&quot;"), *escaped}


def _escaped_for_scripts(secret: str) -> set[str]:
    """JSON with escaped HTML characters, as many servers embed it in pages."""
    forms: set[str] = set()
    for escaped in ("<>&", "<>&'"):
        for style in ("04x", "04X"):
            text = json.dumps(secret, ensure_ascii=False)[1:-1]
            forms.add("".join(f"\\u{ord(char):{style}}" if char in escaped else char for char in text))
    return forms


def _within_json(form: str) -> str:
    return json.dumps(form, ensure_ascii=False)[1:-1]


def _lower_escapes(url: str) -> str:
    head, *rest = url.split("%")
    return head + "".join(f"%{part[:2].lower()}{part[2:]}" for part in rest)


def _base64_forms(encoded: bytes) -> set[str]:
    """The base64 characters that do not depend on what stands before and after, as in `user:password`."""
    forms: set[str] = set()
    for before in range(3):
        text = base64.b64encode(bytes(before) + encoded).decode()
        first_whole = (0, 2, 3)[before]
        last_whole = (before + len(encoded)) * 8 // 6
        core = text[first_whole:last_whole]
        forms |= {core, core.translate(str.maketrans("+/", "-_"))}
    return forms
