"""One sandbox for all tests of a module: its workers are what is expensive."""

from collections.abc import AsyncIterator

import pytest

from pagehand.sandbox.python import PythonSandbox


@pytest.fixture(scope="module")
async def sandbox() -> AsyncIterator[PythonSandbox]:
    sandbox = PythonSandbox(processes=2, seconds=1, memory_bytes=64 * 1024 * 1024, output_bytes=1024 * 1024)
    yield sandbox
    await sandbox.close()
