"""Blocks run through the real walk, over one sandbox and one document process for each test file."""

from collections.abc import AsyncIterator

import pytest

from pagehand.documents import DocumentProcess
from pagehand.sandbox.python import PythonSandbox
from pagehand.testing import Harness, Seams


@pytest.fixture(scope="module")
async def sandbox() -> AsyncIterator[PythonSandbox]:
    sandbox = PythonSandbox(processes=1, seconds=2)
    yield sandbox
    await sandbox.close()


@pytest.fixture(scope="module")
async def documents_process() -> AsyncIterator[DocumentProcess]:
    process = DocumentProcess()
    yield process
    await process.close()


@pytest.fixture
async def harness(sandbox: PythonSandbox, documents_process: DocumentProcess) -> AsyncIterator[Harness]:
    async with Harness(Seams(sandbox=sandbox, documents=documents_process)) as harness:
        yield harness
