"""Each block through the real walk, on a page of a real browser."""

from collections.abc import AsyncGenerator

import pytest

from support.block_runner import BlockRunner, block_runner
from support.shared_browser import SharedBrowser


@pytest.fixture
async def runner(shared: SharedBrowser) -> AsyncGenerator[BlockRunner]:
    async with block_runner(shared) as runner:
        yield runner
