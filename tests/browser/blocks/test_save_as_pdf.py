"""SaveAsPdf prints the page into a file."""

import pytest

from .conftest import Desk, examples_of

pytestmark = pytest.mark.anyio


async def test_examples_run_as_shown(desk: Desk) -> None:
    await desk.open("<p>Confirmed</p>")
    for example in examples_of("SaveAsPdf"):
        outcome = await desk.run_block(example)
        assert outcome.output["name"] == "confirmation.pdf"
        assert outcome.output["mimeType"] == "application/pdf"
        assert (await desk.files.read(await desk.files.find(outcome.output))).startswith(b"%PDF-")


async def test_the_title_names_the_file(desk: Desk) -> None:
    await desk.open("<title>Order 7/8: done</title>")
    assert (await desk.run("SaveAsPdf", {})).output["name"] == "Order 7 8 done.pdf"
