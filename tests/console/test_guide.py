"""The guide in a real browser: it is found by its search, and its policy is broken by none of its scripts."""

import fcntl
import subprocess
import sys

import pytest
from playwright.async_api import expect

from support.console import ROOT, Console
from support.service import Api

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    """The site as the pages are; several test processes take turns."""
    with (ROOT / "mkdocs.yml").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([sys.executable, str(ROOT / "scripts" / "build_guide.py")], check=True)  # noqa: S603 - our own script


async def test_a_page_is_found_by_search_and_nothing_is_against_the_policy(console: Console) -> None:
    page = await console.open("/guide/")
    requests: list[str] = []
    page.on("request", lambda sent: requests.append(sent.url))
    await page.get_by_role("textbox", name="Search").fill("second factor")
    found = page.locator(".md-search-result__item").filter(has_text="The second factor")
    await found.get_by_role("link").first.click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Logins")
    assert page.url.startswith(f"{console.url}/guide/logins.html")
    assert [url for url in requests if not url.startswith(console.url)] == []
    await console.assert_fits(page)
    await console.picture(page, "guide")


async def test_views_link_to_the_guide_and_a_block_to_its_own_section(console: Console, api: Api) -> None:
    workflow = api.create("Helped", {"type": "WaitForCondition", "data": {"condition": "true"}})
    page = await console.open(f"/workflows/{workflow['id']}")
    await expect(page.get_by_role("link", name="Guide", exact=True)).to_have_attribute("href", "/guide/")
    await page.get_by_role("treeitem").click()
    address = await page.get_by_role("link", name="More in the guide").get_attribute("href")
    guide = await console.open(address or "")
    section = guide.locator(f"id={(address or '').partition('#')[2]}")
    await expect(section).to_be_in_viewport()
