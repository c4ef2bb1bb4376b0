"""ExtractImages keeps the pictures of a page."""

import base64
from typing import Any

import pytest

from pagehand.errors import BlockFailed
from support.block_runner import BlockRunner, examples_of
from support.site import Site

pytestmark = pytest.mark.anyio

DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def svg(size: int, mark: str = "") -> bytes:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}"><!--{mark}--></svg>'.encode()
    )


def serve_pictures(site: Site) -> None:
    site.file("/small.png", DOT, "image/png")
    site.file("/a.svg", svg(40), "image/svg+xml")
    site.file("/b.svg", svg(60), "image/svg+xml")


async def names(runner: BlockRunner, data: dict[str, Any], **locator: Any) -> list[str]:
    return [item["name"] for item in (await runner.run("ExtractImages", data, **locator)).output]


async def opened(runner: BlockRunner, site: Site, html: str, **more: Any) -> None:
    serve_pictures(site)
    await runner.session.goto(site.page("/", html, **more), wait_until="load")


async def test_examples_run_as_shown(runner: BlockRunner, site: Site) -> None:
    await opened(runner, site, "<img src=/b.svg><div id=gallery><img src=/a.svg><img src=/small.png></div>")
    area, page = [await runner.run_block(example) for example in examples_of("ExtractImages")]
    assert [item["name"] for item in area.output] == ["a.svg"]
    assert [item["name"] for item in page.output] == ["b.svg", "a.svg", "small.png"]
    assert page.output[2]["mimeType"] == "image/png"
    assert await runner.harness.read_file(page.output[2]) == DOT


async def test_each_address_is_kept_once_and_no_more_than_the_limit(runner: BlockRunner, site: Site) -> None:
    await opened(runner, site, "<img src=/a.svg><img src=/a.svg><img src=/b.svg><img src=/small.png>")
    assert await names(runner, {}) == ["a.svg", "b.svg", "small.png"]
    assert await names(runner, {"limit": 2}) == ["a.svg", "b.svg"]
    assert await names(runner, {"minWidth": 10, "minHeight": 50}) == ["b.svg"]


async def test_backgrounds_and_the_chosen_source_of_a_picture_count(runner: BlockRunner, site: Site) -> None:
    await opened(
        runner,
        site,
        """<div style="background:url('/a.svg');width:9px;height:9px"></div>
        <picture><source srcset=/b.svg><img src=/small.png></picture>""",
    )
    assert await names(runner, {}) == ["a.svg", "b.svg"]


async def test_drawings_canvases_and_inline_images_are_decoded(runner: BlockRunner, site: Site) -> None:
    inline = base64.b64encode(DOT).decode()
    await opened(
        runner,
        site,
        f"""<svg aria-label="My chart" width=20 height=10><rect width=5 height=5 /></svg>
        <canvas width=30 height=30></canvas><img src="data:image/png;base64,{inline}" alt="A dot">""",
    )
    output = (await runner.run("ExtractImages", {})).output
    assert [(item["name"], item["mimeType"]) for item in output] == [
        ("my-chart.svg", "image/svg+xml"),
        ("image-2.png", "image/png"),
        ("a-dot.png", "image/png"),
    ]
    drawing, painting, dot = [await runner.harness.read_file(item) for item in output]
    assert b"<rect" in drawing
    assert painting.startswith(b"\x89PNG")
    assert dot == DOT


async def test_pictures_are_fetched_with_the_cookies_of_the_browser(runner: BlockRunner, site: Site) -> None:
    await opened(runner, site, "<img src=/a.svg>", headers={"Set-Cookie": "who=ada"})
    site.cookies.clear()
    await names(runner, {})
    assert site.cookies["/a.svg"] == "who=ada"


async def test_hidden_pictures_do_not_count(runner: BlockRunner, site: Site) -> None:
    await opened(runner, site, "<div style='display:none'><img src=/a.svg></div><img src=/b.svg>")
    assert await names(runner, {}) == ["b.svg"]


async def test_no_pictures_are_an_empty_array(runner: BlockRunner) -> None:
    await runner.open("<p>words</p>")
    assert await names(runner, {}) == []


async def test_a_picture_that_cannot_be_had_is_left_out_with_a_note(runner: BlockRunner, site: Site) -> None:
    gone = "<div style='background:url(/gone.png);width:9px;height:9px'></div>"
    await opened(runner, site, gone + "<img src=/a.svg>")
    outcome = await runner.run("ExtractImages", {})
    assert [item["name"] for item in outcome.output] == ["a.svg"]
    assert "/gone.png" in outcome.details["failed"][0]
    await opened(runner, site, gone)
    with pytest.raises(BlockFailed, match="404"):
        await runner.run("ExtractImages", {})
