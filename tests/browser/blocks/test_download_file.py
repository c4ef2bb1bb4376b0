"""DownloadFile keeps files of the site."""

import pytest

from pagehand.errors import BlockFailed
from support.block_runner import BlockRunner, examples_of
from support.site import Site

pytestmark = pytest.mark.anyio


async def test_examples_run_as_shown(runner: BlockRunner, site: Site) -> None:
    site.file(
        "/invoice.pdf", b"%PDF-1", "application/pdf", Content_Disposition="attachment; filename=invoice.pdf"
    )
    site.file("/files/report.csv", b"a,b\n1,2\n", "text/csv")
    await runner.session.goto(site.page("/", "<a href=/invoice.pdf>Invoice</a>"))
    clicked, fetched = [await runner.run_block(example) for example in examples_of("DownloadFile")]
    assert (clicked.output["name"], clicked.output["sizeBytes"]) == ("invoice.pdf", 6)
    assert fetched.output["name"] == "march.csv"
    assert await runner.harness.read_file(fetched.output) == b"a,b\n1,2\n"


async def test_an_address_is_fetched_with_the_cookies_of_the_browser(runner: BlockRunner, site: Site) -> None:
    await runner.session.goto(site.page("/", "x", headers={"Set-Cookie": "who=ada"}))
    site.file("/f.bin", b"1", "application/octet-stream")
    await runner.run("DownloadFile", {"url": "/f.bin"})
    assert site.cookies["/f.bin"] == "who=ada"


async def test_nothing_to_download_is_a_failure(runner: BlockRunner) -> None:
    block = {"type": "DownloadFile", "data": {"url": "{{params.url}}"}}
    with pytest.raises(BlockFailed, match="give `url`, or a locator"):
        await runner.run_block(block, params={"url": None})


async def test_a_clicked_file_gets_the_name_asked_for(runner: BlockRunner, site: Site) -> None:
    site.file("/x.csv", b"a", "text/csv", Content_Disposition="attachment; filename=x.csv")
    await runner.session.goto(site.page("/", "<a href=/x.csv>Get</a>"))
    outcome = await runner.run("DownloadFile", {"fileName": "march.csv"}, text="Get")
    assert (outcome.output["name"], outcome.output["sizeBytes"]) == ("march.csv", 1)


@pytest.mark.parametrize("target", ["", "target=_blank"])
async def test_a_file_that_the_browser_shows_instead_is_kept_as_well(
    runner: BlockRunner, site: Site, target: str
) -> None:
    site.file("/rows.json", b'{"rows": 1}', "application/json")
    await runner.session.goto(site.page("/", f"<a href=/rows.json {target}>Export</a>"))
    outcome = await runner.run("DownloadFile", {}, text="Export")
    assert (outcome.output["name"], outcome.output["mimeType"]) == ("rows.json", "application/json")
    assert await runner.harness.read_file(outcome.output) == b'{"rows": 1}'


@pytest.mark.slow
async def test_a_page_on_the_way_to_the_file_is_not_a_file(runner: BlockRunner, site: Site) -> None:
    site.file("/x.csv", b"a", "text/csv", Content_Disposition="attachment; filename=x.csv")
    site.page("/wait", "Your download begins soon <script>location = '/x.csv'</script>")
    await runner.session.goto(site.page("/", "<a href=/wait>Get</a>"))
    assert (await runner.run("DownloadFile", {}, text="Get")).output["name"] == "x.csv"
