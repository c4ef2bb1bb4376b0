"""What an API block makes of an answer: is its status the expected one, and what does its body say."""

import re
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import orjson

from pagehand.clock import now_ms
from pagehand.errors import BlockFailed, Diagnosis, SiteDown
from pagehand.loop import without_blocking
from pagehand.ports import HttpAnswer, RunFiles
from pagehand.records import Json, is_array, is_object

LARGEST_DATA: Final = 10 * 1024 * 1024
"""Bytes of an answer that become data; larger ones have to be saved as a file."""

_DEEPEST: Final = 100
_SHOWN: Final = 300
_SERVER_ERROR: Final = 500
_RANGE: Final = re.compile(r"([1-5]\d\d)(?:-([1-5]\d\d))?|([1-5])xx")
_TEXT: Final = re.compile(
    r"text/|application/(xml|javascript|x-ndjson|x-www-form-urlencoded|graphql|yaml)|.*\+(xml|text)$"
)

Statuses = list[range]


def read_statuses(given: Any) -> Statuses:
    """`200`, `[200, 404]`, `"200-299"`, `"2xx,404"`; 200 to 399 when nothing is given."""
    if given is None:
        return [range(200, 400)]
    items: list[Any] = given if is_array(given) else [given]
    return [_one_range(part.strip()) for item in items for part in str(item).split(",")]


def _one_range(text: str) -> range:
    found = _RANGE.fullmatch(text)
    if found is None:
        raise ValueError(f"`{text[:40]}` is not a status: write 200, 200-299 or 2xx")
    if found[3]:
        return range(int(found[3]) * 100, int(found[3]) * 100 + 100)
    first, last = int(found[1]), int(found[2] or found[1])
    if first > last:
        raise ValueError(f"`{text}` runs backwards; write the smaller status first")
    return range(first, last + 1)


def is_expected(status: int, expected: Statuses) -> bool:
    """True when the status is one of them."""
    return any(status in item for item in expected)


def unexpected(answer: HttpAnswer, expected: Statuses, request: str) -> BlockFailed | SiteDown:
    """The failure for an unexpected status; 5xx counts as the outside being down."""
    # four bytes are the most that one character takes: enough is decoded, and no more
    body_text = answer.body[: _SHOWN * 4].decode("utf-8", "replace")[:_SHOWN].strip()
    sentence = f"{request} answered with status {answer.status}" + (f": {body_text}" if body_text else ".")
    # their trouble may pass, so the execution may be tried again; a 4xx is a mistake in the call
    if answer.status >= _SERVER_ERROR:
        return SiteDown(sentence)
    wanted = ", ".join(str(item[0]) if len(item) == 1 else f"{item[0]} to {item[-1]}" for item in expected)
    return BlockFailed(
        sentence,
        Diagnosis(
            expected=f"a status of {wanted}",
            found=f"{answer.status}, {body_text or 'nothing in the body'}",
            advice="Check address, body and credentials, or name the status in `expectStatus`.",
        ),
    )


def retry_after(answer: HttpAnswer, tries: int) -> float:
    """Seconds to wait before asking again: what the server says, else 1, 2, 4 and so on."""
    retry_after = (answer.header("retry-after") or "").strip()
    if retry_after.isascii() and retry_after.isdigit() and len(retry_after) < 10:  # noqa: PLR2004 - more seconds than anyone waits
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - now_ms() / 1000)
    except ValueError:
        return float(2**tries)


async def read_data(answer: HttpAnswer, save_as: str | None, files: RunFiles) -> Any:
    """The body by its content type: JSON as data, text as text, anything else as a file."""
    mime_type = _mime_type(answer)
    if save_as is not None:
        return await _saved(answer, save_as, mime_type, files)
    # 204 and HEAD have a content type at times, and never a body
    if not answer.body:
        return None
    is_json = mime_type == "application/json" or mime_type.endswith("+json")
    if not (is_json or _TEXT.match(mime_type)) and not _looks_like_text(answer, mime_type):
        return await _saved(answer, _name(answer), mime_type, files)
    if len(answer.body) > LARGEST_DATA:
        raise BlockFailed(
            f"The answer has {len(answer.body):,} bytes; more than {LARGEST_DATA:,} are kept only as a file. "
            "Name one in `saveAs`."
        )
    return await without_blocking(_json, answer.body) if is_json else _text(answer)


async def _saved(answer: HttpAnswer, name: str, mime_type: str, files: RunFiles) -> Json:
    return files.describe(await files.save(name, mime_type or "application/octet-stream", answer.body))


def _json(body: bytes) -> Any:
    """The data; text when it is not the JSON it says it is, or nested deeper than anything can keep."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body.decode("utf-8", "replace")
    return value if _depth(value) <= _DEEPEST else body.decode("utf-8", "replace")


def _depth(value: Any) -> int:
    level: list[Any] = [value]
    depth = 0
    while level:
        depth += 1
        level = [
            inner
            for item in level
            for inner in (item.values() if is_object(item) else item if is_array(item) else ())
        ]
    return depth


def _text(answer: HttpAnswer) -> str:
    charset = _content_type(answer).get_content_charset("utf-8")
    try:
        return answer.body.decode(charset, "replace")
    # a charset that Python does not know; most such servers mean UTF-8 by it
    except LookupError:
        return answer.body.decode("utf-8", "replace")


def _looks_like_text(answer: HttpAnswer, mime_type: str) -> bool:
    """An answer that does not say what it is may still plainly be text."""
    if mime_type:
        return False
    try:
        return b"\x00" not in answer.body and bool(answer.body.decode())
    except UnicodeDecodeError:
        return False


def _content_type(answer: HttpAnswer) -> Message:
    message = Message()
    message["content-type"] = answer.header("content-type") or ""
    return message


def _mime_type(answer: HttpAnswer) -> str:
    return (answer.header("content-type") or "").partition(";")[0].strip().lower()


def _name(answer: HttpAnswer) -> str:
    """What the server calls the file, else the last part of its address."""
    message = Message()
    message["content-disposition"] = answer.header("content-disposition") or ""
    offered = message.get_filename() or unquote(urlsplit(answer.url).path)
    last = re.split(r"[/\\]", offered)[-1]
    return re.sub(r'[\x00-\x1f\x7f<>:"|?*]+', "_", last).strip(" .")[:150] or "answer"
