"""Runs one task in a document process: receives the document, works on it and answers."""

import socket
from typing import Any, Final

import orjson

from pagehand.documents.frames import pack_frame, receive_frame
from pagehand.documents.tasks import TASKS
from pagehand.errors import BlockFailed

LARGEST_VALUE: Final = 32 * 1024 * 1024
_LONGEST_REASON: Final = 200


def run_task(task: str, connection: socket.socket) -> None:
    """Answer with files and a value, or with an error message."""
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
    if len(answer) > LARGEST_VALUE:
        raise BlockFailed(
            f"What it holds is more than {LARGEST_VALUE // 1024 // 1024} MB; choose some of its `pages`."
        )
    return answer
