"""Listing what words can mean takes an effort in proportion to the page."""

from collections.abc import AsyncGenerator

import pytest
from playwright.async_api import Page

from browser.conftest import CapturedOutput
from pagehand.browser import BrowserPool, live_snapshot
from pagehand.browser.live_snapshot import take_live_snapshot
from pagehand.errors import NotPresent

pytestmark = pytest.mark.anyio

# the script runs in the page's own world, so the page can count what it asks for
COUNT = """() => {
  window.asked = 0;
  const count = (owner, name) => {
    const {value, get, ...rest} = Object.getOwnPropertyDescriptor(owner, name);
    const counted = function (...given) { window.asked++; return (value || get).apply(this, given); };
    Object.defineProperty(owner, name, value ? {...rest, value: counted} : {...rest, get: counted});
  };
  for (const name of ['matches', 'closest', 'querySelector', 'querySelectorAll', 'getBoundingClientRect',
    'getAttribute', 'tagName', 'previousElementSibling']) count(Element.prototype, name);
  count(Map.prototype, 'get');
}"""
PAGES = {
    "rows": "<table><tr><th>No<th>Note</tr>{}</table>|<tr><td>A-{}</td><td><input><button>Go</button></tr>",
    "cards": "<h2>Offers</h2>{}|<div class=card><h3>Offer {}</h3><p>Cheap</p><button>Book</button></div>",
    "titled boxes": "<h2>Offers</h2>{}|<div class=card><h3>Offer {}</h3><p>Cheap</p></div>",
    "fields": "<form><h2>Settings</h2>{}</form>|<div><label>Setting {}<input></label></div>",
    "fields beside words": "<form><h2>Settings</h2>{}</form>|<div>Setting {} <input></div>",
    "pairs": "<div>{}</div>|<span>Label</span><span>{}</span>",
    "bold lines": "<div>{}</div>|<div><b>Line {}</b></div><p><a href=#>More</a></p>",
    "lists": "<nav><ul>{}</ul></nav>|<li><a href=#>Topic {}</a></li>",
    "columns": "<style>main>div{{float:left}}</style><main>{}</main>|<div><b>{}</b><a href=#>Open</a></div>",
}


@pytest.fixture(scope="module")
async def page(pool: BrowserPool, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Page]:
    session = await pool.take(CapturedOutput(tmp_path_factory.mktemp("kept")).options())
    await session.page.goto("about:blank")
    await session.page.evaluate(COUNT)
    yield session.page
    await session.end()


async def asked(page: Page, html: str, many: int) -> int:
    """How often a listing asks the page for something."""
    around, _, each = html.partition("|")
    parts = "".join(each.format(number) for number in range(many))
    await page.evaluate("html => { document.body.innerHTML = html; window.asked = 0 }", around.format(parts))
    await (await take_live_snapshot(page)).dispose()
    return await page.evaluate("window.asked")


@pytest.mark.parametrize("kind", PAGES)
async def test_four_times_the_elements_take_four_times_the_questions(page: Page, kind: str) -> None:
    few, many = await asked(page, PAGES[kind], 60), await asked(page, PAGES[kind], 240)
    assert many < few * 5


async def test_the_labels_of_many_fields_are_looked_up_at_once(page: Page) -> None:
    fields = "".join(
        f"<label for=f{number}>Setting {number}</label><input id=f{number}>" for number in range(200)
    )
    # a browser walks through the whole document for the labels of one field
    reads = """html => {
      document.body.innerHTML = html;
      const known = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'labels');
      window.labelReads = 0;
      const get = function () { window.labelReads++; return known.get.call(this); };
      Object.defineProperty(HTMLInputElement.prototype, 'labels', {...known, get});
    }"""
    await page.evaluate(reads, fields)
    live = await take_live_snapshot(page)
    assert [one.name for one in live.snapshot.candidates] == [f"Setting {number}" for number in range(200)]
    assert await page.evaluate("window.labelReads") < 20
    await live.dispose()


async def test_a_page_that_does_not_list_its_elements_in_time_says_so(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_snapshot, "_PAGE_SECONDS", 0.2)
    busy = "setTimeout(() => { for (const end = Date.now() + 3000; Date.now() < end;); })"
    await page.evaluate(busy)
    with pytest.raises(NotPresent, match=r"did not list its elements within 0\.2 s"):
        await take_live_snapshot(page)
