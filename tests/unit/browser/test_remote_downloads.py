"""A download on the disk of another machine that cannot be read through the browser."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.async_api import Download

from pagehand.browser.downloads import Downloads
from pagehand.records import FileInfo

pytestmark = pytest.mark.anyio


class Unreachable:
    """A page whose browser is not there any more."""

    browser = None

    @property
    def context(self) -> "Unreachable":
        return self


class WrittenElsewhere:
    """A finished download whose path leads to nothing here."""

    page = Unreachable()

    suggested_filename = "claims.pdf"
    url = "https://portal.example/claims.pdf"

    async def path(self) -> Path:
        return Path("/nonexistent/of-another-machine")


async def test_it_is_said_that_it_cannot_be_read() -> None:
    told: list[tuple[str, str]] = []

    async def save(_content: Path | bytes, _name: str, _mime: str) -> FileInfo:
        raise AssertionError("there is nothing to keep")

    def report(event: str, message: str, _data: Mapping[str, Any]) -> None:
        told.append((event, message))

    downloads = Downloads(None, save, report)
    downloads.began(cast("Download", WrittenElsewhere()))
    await downloads.settle(30)
    assert told[-1][0] == "download.failed"
    assert "disk of the remote browser" in told[-1][1]
    assert "DownloadFile with `url`" in told[-1][1]
