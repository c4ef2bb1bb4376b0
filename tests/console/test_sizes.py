"""What the first load of each page weighs, as a browser with compression would fetch it."""

import gzip
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Response

from pagehand.api.console.pages import ADDRESSES
from support.console import Console

pytestmark = pytest.mark.anyio
SCRIPT_LIMIT = 100_000
STYLE_LIMIT = 20_000


@pytest.mark.parametrize("address", ADDRESSES)
async def test_first_load_stays_small(console: Console, address: str) -> None:
    fetched: list[Response] = []
    context = await console.context()
    context.on("response", lambda response: fetched.append(response))  # noqa: PLW0108 - Playwright marks its listeners
    page = await console.open(address.replace("{id}", "none_1"), context=context)
    await page.wait_for_load_state("load")

    sizes = {".js": 0, ".css": 0}
    for response in fetched:
        kind = urlsplit(response.url).path.rpartition(".")[2]
        if f".{kind}" in sizes:
            sizes[f".{kind}"] += len(gzip.compress(await response.body()))
    print(f"{address}: {sizes['.js'] / 1000:.1f} kB of scripts, {sizes['.css'] / 1000:.1f} kB of styles")  # noqa: T201 - the figures are what one wants to see
    assert 0 < sizes[".js"] <= SCRIPT_LIMIT
    assert 0 < sizes[".css"] <= STYLE_LIMIT
    console.expect_error("status of 404")
