"""A browser, a bank, and a run that takes note of what a sign-in reports."""

from collections.abc import AsyncGenerator, Generator

import pytest

from pagehand.browser import BrowserSession, SessionOptions
from support.bank import Bank, no_file, serve_bank
from support.logins import FakeSignInContext
from support.shared_browser import SharedBrowser


@pytest.fixture
def bank() -> Generator[Bank]:
    bank = Bank()
    server = serve_bank(bank)
    yield bank
    server.stop()


@pytest.fixture
def run() -> FakeSignInContext:
    return FakeSignInContext()


@pytest.fixture
async def session(shared: SharedBrowser) -> AsyncGenerator[BrowserSession]:
    session = await shared.take(SessionOptions(save_file=no_file))
    yield session
    await session.end()
