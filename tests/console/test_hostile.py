"""Whatever automated sites, files and callers bring along shows as text, and nothing of it runs."""

import pytest
from playwright.async_api import Page

from support.console import Console
from support.service import Api, Json
from support.site import Site

pytestmark = pytest.mark.anyio
ATTACK = '<img src=x onerror="window.hit=1"><script>window.hit=2</script>'
LINK = "javascript:window.hit=3"


@pytest.fixture(scope="module")
def execution(api: Api) -> Json:
    """A run whose name, workflow, output and error are hostile."""
    workflow = api.create(
        f"Workflow {ATTACK}",
        {
            "type": "Transform",
            "name": f"Block {ATTACK}",
            "data": {"input": [{"title": ATTACK, "link": LINK}], "code": "lambda x: x"},
        },
        tags=[f"tag {ATTACK}"],
    )
    fields = {"workflowId": workflow["id"], "name": f"Name {ATTACK}"}
    return api.call("/workflows/executeSync", fields)["execution"]


@pytest.fixture(scope="module")
def failed(api: Api) -> Json:
    code = f"def main(input):\n    raise ValueError({ATTACK!r})"
    workflow = api.create(f"Fails {ATTACK}", {"type": "Transform", "data": {"input": 1, "code": code}})
    return api.call("/workflows/executeSync", {"workflowId": workflow["id"]})["execution"]


@pytest.mark.parametrize("address", ["/", "/executions", "/workflows", "/files", "/attention"])
async def test_lists_show_hostile_names_as_text(
    console: Console, api: Api, execution: Json, failed: Json, address: str
) -> None:
    assert (execution["status"], failed["status"]) == ("Completed", "Failed")
    file = ("x<img src=y onerror='window.hit=4'>.txt", b"<script>window.hit=5</script>", "text/html")
    api.http.post("/files/upload", files={"file": file}).raise_for_status()

    page = await console.open(address)

    await _nothing_ran(page)


async def test_execution_shows_hostile_outputs_as_text(console: Console, execution: Json) -> None:
    page = await console.open(f"/executions/{execution['id']}")

    await page.get_by_text("onerror").first.wait_for()

    await _nothing_ran(page)
    assert await page.locator('a[href^="javascript:"]').count() == 0


async def test_failure_shows_a_hostile_message_as_text(console: Console, failed: Json) -> None:
    page = await console.open(f"/executions/{failed['id']}")

    await page.get_by_text("onerror").first.wait_for()

    await _nothing_ran(page)


@pytest.mark.slow
async def test_page_title_of_an_automated_site_is_text(console: Console, api: Api, site: Site) -> None:
    site.page(
        "/hostile", f"<title>{ATTACK.replace('<', '&lt;')}</title><h1>{ATTACK.replace('<', '&lt;')}</h1>"
    )
    steps = [
        {"type": "Navigate", "data": {"url": f"{site.url}/hostile"}},
        {"type": "Mouse", "data": {"timeoutMs": 1000}, "locator": {"css": "#missing"}},
    ]
    execution = api.run(*steps)
    page = await console.open(f"/executions/{execution['id']}")

    await _nothing_ran(page)


async def _nothing_ran(page: Page) -> None:
    assert await page.evaluate("window.hit") is None
    assert await page.locator("main script, main img[src='x'], main img[src='y']").count() == 0
