"""SearchAndNavigate asks an engine and opens a result."""

from urllib.parse import quote

import pytest

from pagehand.errors import BlockFailed, InvalidRequest
from support.block_runner import BlockRunner, examples_of
from support.site import Site

pytestmark = pytest.mark.anyio


def serve_engine(site: Site) -> str:
    """Results on `localhost`, which is another host than the engine's 127.0.0.1."""
    other = site.url.replace("127.0.0.1", "localhost")
    site.page("/first", "<title>First</title>")
    site.page("/second", "<title>Second</title>")
    site.page(
        "/find",
        f"""<a href=/help>Help</a><a href="{other}/first">1</a><a href="{other}/first#again">1 again</a>
        <a href="/out?to={quote(other, safe="")}%2Fsecond">2</a><a href="mailto:a@b.example">m</a>""",
    )
    return f"{site.url}/find?q={{query}}"


async def test_examples_fit_the_kind(runner: BlockRunner, site: Site) -> None:
    runner.harness.settings.search_engine = serve_engine(site)
    await runner.run_block(examples_of("SearchAndNavigate")[0], params={"company": "Acme & Co"})
    assert "/find?q=Acme+%26+Co+annual+report" in site.hits
    assert await runner.value("document.title") == "First"


async def test_results_are_counted_once_and_unwrapped(runner: BlockRunner, site: Site) -> None:
    data = {"query": "x", "engine": serve_engine(site), "pick": {"index": 1}}
    await runner.run("SearchAndNavigate", data)
    assert await runner.value("document.title") == "Second"


@pytest.mark.slow
async def test_a_site_limits_the_query_and_the_results(runner: BlockRunner, site: Site) -> None:
    host = site.url.replace("http://127.0.0.1", "localhost")
    await runner.run("SearchAndNavigate", {"query": "x", "engine": serve_engine(site), "site": host})
    assert await runner.value("document.title") == "First"
    data = {"query": "x", "engine": serve_engine(site), "site": "else.example", "timeoutMs": 1500}
    with pytest.raises(BlockFailed, match="0 results"):
        await runner.run("SearchAndNavigate", data)
    assert any("site%3Aelse.example" in hit for hit in site.hits)


async def test_what_is_not_configured_is_named(runner: BlockRunner, site: Site) -> None:
    with pytest.raises(BlockFailed) as no_engine:
        await runner.run("SearchAndNavigate", {"query": "x"})
    assert "PAGEHAND_SEARCH_ENGINE" in no_engine.value.diagnosis.advice
    with pytest.raises(BlockFailed) as no_model:
        await runner.run(
            "SearchAndNavigate", {"query": "x", "engine": serve_engine(site), "pick": {"prompt": "best"}}
        )
    assert "PAGEHAND_MODEL" in no_model.value.diagnosis.advice


async def test_an_engine_without_a_place_for_the_query_is_refused(runner: BlockRunner) -> None:
    with pytest.raises(InvalidRequest, match="query"):
        await runner.run("SearchAndNavigate", {"query": "x", "engine": "https://find.example/"})


OWN = """<header><a href=/oak-chairs-about>About oak</a></header><nav><a href=/oak>Oak menu</a></nav>
<main><form><a href=/oak-help>oak help</a></form><p>For oak: <a href="/find?q=oak&page=2">more oak</a></p>
<ul><li><a href=/first>Oak chair</a> sturdy<li><a href=/second>Table</a> made of oak
<li><a href=/third>Lamp</a></ul><div class=pagination><a href=/oak-next>oak 2</a></div></main>
<footer><a href=/oak-legal>Oak legal</a></footer>"""


@pytest.mark.parametrize(("index", "title"), [(0, "First"), (1, "Second")])
async def test_a_sites_own_search_has_its_results_on_the_same_host(
    runner: BlockRunner, site: Site, index: int, title: str
) -> None:
    serve_engine(site)
    site.page("/find", OWN)
    data = {"query": "oak", "engine": f"{site.url}/find?q={{query}}", "pick": {"index": index}}
    await runner.run("SearchAndNavigate", data)
    assert await runner.value("document.title") == title
