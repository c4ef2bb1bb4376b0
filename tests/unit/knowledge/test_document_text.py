"""The text of a stored document is that of all its pages, or a sentence about why it cannot be read."""

from typing import Any, cast

import pytest

from pagehand.documents import text as plain_text
from pagehand.errors import BlockFailed, InvalidRequest
from pagehand.knowledge.base import DocumentText
from pagehand.ports import Documents
from support.documents import done

pytestmark = pytest.mark.anyio


class InThisProcess:
    """Reads plain text without a process apart; remembers what it was asked to do."""

    def __init__(self) -> None:
        self.tasks: list[str] = []

    async def perform(self, task: str, content: bytes, options: dict[str, Any], **_: Any) -> Any:
        self.tasks.append(task)
        return done(plain_text.read, content, **options)[0]


async def read(documents: InThisProcess, content: bytes, name: str) -> str:
    return await DocumentText(cast("Documents", documents))(content, name, "")


async def test_all_pages_are_read_and_kept_apart() -> None:
    assert await read(InThisProcess(), b"one\ftwo\f", "notes.txt") == "one\n\ntwo"


@pytest.mark.parametrize(
    ("name", "task"), [("a.csv", "readCsv"), ("a.eml", "readMail"), ("a.html", "readHtml"), ("a", "readText")]
)
async def test_the_reader_goes_by_the_name(name: str, task: str) -> None:
    documents = InThisProcess()
    await read(documents, b"words", name)
    assert documents.tasks == [task]


async def test_what_cannot_be_read_is_the_callers_to_mend() -> None:
    with pytest.raises(InvalidRequest, match=r"`fileId`: `a\.bin` cannot be read: It is not text") as refused:
        await read(InThisProcess(), b"\x00\x01\x02", "a.bin")
    assert isinstance(refused.value.__cause__, BlockFailed)
