"""Reads the text in images with the program `tesseract`, if it is installed."""

import re
import subprocess
from collections.abc import Mapping
from typing import Any, Final

from pagehand.documents.document import Document, Page, select_pages, split_lines
from pagehand.documents.tasks import SendFile
from pagehand.errors import BlockFailed
from pagehand.records import Json

_INSTALL: Final = (
    "Reading pictures needs `tesseract`, which is not installed: `apt-get install tesseract-ocr` on Debian "
    "and Ubuntu, `brew install tesseract` on macOS."
)
_LANGUAGE: Final = re.compile(r"[A-Za-z_]{3,20}(\+[A-Za-z_]{3,20}){0,5}")
_LONGEST_REASON: Final = 200


def read(content: bytes, options: Mapping[str, Any], _: SendFile) -> Json:
    """The text of an image."""
    text = read_picture(content, options.get("tesseract"), options.get("language"))
    return Document(select_pages([Page(text, lines=split_lines(text))], options)).to_json(options)


def read_picture(picture: bytes, program: str | None, language: str | None) -> str:
    """The text that `program` finds in an image."""
    if not program:
        raise BlockFailed(_INSTALL)
    if language is not None and not _LANGUAGE.fullmatch(language):
        raise BlockFailed(
            f"`language`: `{language[:40]}` is not a language of tesseract, such as `eng` or `deu+eng`."
        )
    command = [program, "stdin", "stdout", "-l", language or "eng"]
    # more threads would exceed the memory limit and take processors from others
    try:
        done = subprocess.run(  # noqa: S603 - the operator's own program, without a shell
            command, input=picture, capture_output=True, check=False, env={"OMP_THREAD_LIMIT": "1"}
        )
    except OSError as error:
        raise BlockFailed(
            f"`{program}` cannot be started where documents are opened; install it below `/usr`."
        ) from error
    if done.returncode:
        reason = " ".join(done.stderr.decode(errors="replace").split())[-_LONGEST_REASON:]
        raise BlockFailed(f"`tesseract` could not read the picture: {reason or done.returncode}")
    return done.stdout.decode(errors="replace").replace("\f", "").strip()
