"""SaveAsPdf prints the page into a file."""

import io
from typing import Any

import pypdf
import pytest

from support.block_runner import BlockRunner, examples_of

pytestmark = pytest.mark.anyio


async def test_examples_run_as_shown(runner: BlockRunner) -> None:
    await runner.open("<p>Confirmed</p>")
    for example in examples_of("SaveAsPdf"):
        outcome = await runner.run_block(example)
        assert outcome.output["name"] == "confirmation.pdf"
        assert outcome.output["mimeType"] == "application/pdf"
        assert (await runner.harness.read_file(outcome.output)).startswith(b"%PDF-")


async def test_the_title_names_the_file(runner: BlockRunner) -> None:
    await runner.open("<title>Order 7/8: done</title>")
    assert (await runner.run("SaveAsPdf", {})).output["name"] == "Order 7 8 done.pdf"


async def printed(runner: BlockRunner, **data: Any) -> pypdf.PdfReader:
    outcome = await runner.run("SaveAsPdf", data)
    return pypdf.PdfReader(io.BytesIO(await runner.harness.read_file(outcome.output)))


@pytest.mark.parametrize(
    ("data", "millimetres"),
    [({}, (210, 297)), ({"format": "A5", "landscape": True}, (210, 148)), ({"format": "Letter"}, (216, 279))],
)
async def test_paper_and_direction_are_as_asked(
    runner: BlockRunner, data: dict[str, Any], millimetres: tuple[int, int]
) -> None:
    await runner.open("<p>Confirmed</p>")
    box = (await printed(runner, **data)).pages[0].mediabox
    assert (round(float(box.width) / 72 * 25.4), round(float(box.height) / 72 * 25.4)) == millimetres


async def test_scale_decides_how_much_fits_on_a_page(runner: BlockRunner) -> None:
    await runner.open("<div style='height:1900px'>Long</div>")
    assert [len((await printed(runner, scale=scale)).pages) for scale in (0.5, 1, 2)] == [1, 2, 4]


async def test_backgrounds_are_printed_unless_switched_off(runner: BlockRunner) -> None:
    await runner.open("<div style='background:rgb(255,0,0);height:90px'>Red</div>")
    drawn = [
        (await printed(runner, printBackground=wanted)).pages[0].get_contents() for wanted in (True, False)
    ]
    assert [b"1 0 0 rg" in page.get_data() for page in drawn if page is not None] == [True, False]
