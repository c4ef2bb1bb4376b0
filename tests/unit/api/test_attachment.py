"""Files that the API sends: saved by a browser, never run in the console's origin."""

from collections.abc import AsyncIterator

import pytest

from pagehand.api.attachment import attachment


async def content() -> AsyncIterator[bytes]:
    yield b"<script>alert(1)</script>"


@pytest.mark.parametrize("size", [None, 25])
def test_a_browser_saves_it_under_its_name_and_runs_nothing_of_it(size: int | None) -> None:
    headers = attachment(content(), 'Ünder "2".html', "text/html", size).headers
    assert headers["content-disposition"] == "attachment; filename*=UTF-8''%C3%9Cnder%20%222%22.html"
    assert headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers.get("content-length") == (None if size is None else str(size))
