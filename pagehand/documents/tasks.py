"""The tasks on documents, their memory limits, and the values they fill in.

The modules of tasks are loaded only in the document process.
"""

import json
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, cast

import orjson

from pagehand.documents.frames import pack_frame, receive_frame
from pagehand.errors import BlockFailed

SendFile = Callable[[str, bytes], None]
"""Sends a file with that name back to the service."""
Work = Callable[[bytes, Mapping[str, Any], SendFile], Any]
"""Works on a document; returns JSON."""

_MB: Final = 1024 * 1024
_LARGEST_VALUE: Final = 32 * _MB
_LONGEST_REASON: Final = 200


@dataclass(frozen=True, slots=True)
class Task:
    """The function of a task, and the memory it may use in addition to the document's size."""

    module: str
    function: str
    memory_bytes: int

    def load(self) -> Work:
        """Import the function and its libraries."""
        return getattr(import_module(f"pagehand.documents.{self.module}"), self.function)


TASKS: Final = {
    "readPdf": Task("pdf", "read", 192 * _MB),
    "readWord": Task("word", "read", 256 * _MB),
    "readSheets": Task("sheets", "read", 256 * _MB),
    "readRows": Task("sheets", "read_rows", 256 * _MB),
    "sendRows": Task("sheets", "send_rows", 512 * _MB),
    "readHtml": Task("html", "read", 256 * _MB),
    "readText": Task("text", "read", 256 * _MB),
    "readCsv": Task("text", "read_table", 256 * _MB),
    "readMail": Task("mail", "read", 256 * _MB),
    "readImage": Task("ocr", "read", 256 * _MB),
    "fillPdf": Task("pdf_changes", "fill", 384 * _MB),
    "fillWord": Task("word_template", "fill", 384 * _MB),
    "fillSheet": Task("sheet_filling", "fill", 640 * _MB),
    "removePages": Task("pdf_changes", "remove", 384 * _MB),
    "unzip": Task("archive", "unzip", 192 * _MB),
}


def run_task(task: str, connection: socket.socket) -> None:
    """Receive a document and answer with files and a value, or with an error message."""
    request, content = receive_frame(connection)

    def send(kind: str, name: str, content: bytes) -> None:
        for piece in pack_frame({"kind": kind, "name": name}, content):
            connection.sendall(piece)

    try:
        value = TASKS[task].load()(
            content, request["options"], lambda name, content: send("file", name, content)
        )
        send("value", "", _encode(value))
    except BlockFailed as problem:
        send("error", "", problem.message.encode())
    except MemoryError:
        send("error", "memory", b"")
    # a library that reads hostile bytes can raise anything
    except Exception as error:  # noqa: BLE001 - see above
        reason = f"{type(error).__name__}: {error}"[:_LONGEST_REASON]
        send("error", "", f"It is damaged, or not what its name says ({reason}).".encode(errors="replace"))


def _encode(value: Any) -> bytes:
    answer = orjson.dumps(value)
    if len(answer) > _LARGEST_VALUE:
        raise BlockFailed(
            f"What it holds is more than {_LARGEST_VALUE // _MB} MB; choose some of its `pages`."
        )
    return answer


def flatten_names(values: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """Nested objects as dotted names: `{"address": {"city": …}}` is `address.city`."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        full = f"{path}{name}"
        if isinstance(value, dict):
            found |= flatten_names(cast("dict[str, Any]", value), f"{full}.")
        else:
            found[full] = value
    return found


def to_text(value: Any) -> str:
    """A value as a document shows it: empty for null, a list with commas."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(to_text(item) for item in cast("list[Any]", value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
