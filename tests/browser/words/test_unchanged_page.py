"""A look at a page serves again until something changes that it was made of, in whatever way."""

import pytest

from pagehand.browser import BrowserSession
from pagehand.errors import BlockFailed
from pagehand.page.phrases import resolve
from pagehand.workflow.locator import Locator

pytestmark = pytest.mark.anyio

HTML = """<style id=sheet>.away { visibility: hidden }</style><h2>Orders</h2><button id=save>Save</button>
<div id=host></div><div id=inner></div><div popover id=menu><button>Rename</button></div>
<label>Name <input id=name></label><label>Old <input id=old type=checkbox></label>
<select id=list><option>One<option>Two</select><img id=picture alt=Logo>
<div id=box style="height:50px;overflow:auto"><div style="height:400px"><a href=#>More</a></div></div>
<iframe title=Card srcdoc="<button>Pay</button>"></iframe>
<script>inner.attachShadow({mode: 'open'}).innerHTML = '<button>Send</button>'</script>"""
CHANGES = {
    "a text": "() => { save.firstChild.data = 'Store' }",
    "an element": "() => { document.body.append(document.createElement('button')) }",
    "an attribute": "() => { save.disabled = true }",
    "a text in a shadow root": "() => { inner.shadowRoot.firstChild.firstChild.data = 'Post' }",
    "a new shadow root": "() => { host.attachShadow({mode: 'open'}) }",
    "what a field holds": "() => { document.getElementById('name').value = 'Ann' }",
    "a tick": "() => { old.checked = true }",
    "a choice": "() => { list.selectedIndex = 1 }",
    "a rule that hides": "() => { sheet.sheet.insertRule('#save { visibility: hidden }') }",
    "a rule that removes": "() => { sheet.sheet.insertRule('#save { display: none }') }",
    "a rule that moves": "() => { sheet.sheet.insertRule('#save { position: absolute; left: 400px }') }",
    "scrolling in a box": "() => { box.scrollTop = 100 }",
    "a popover": "() => { menu.showPopover() }",
    "a frame": "() => { frames[0].document.body.innerHTML = '<button>Cancel</button>' }",
    "a frame removed": "() => { document.querySelector('iframe').remove() }",
}


@pytest.fixture
def session(kept_session: BrowserSession) -> BrowserSession:
    return kept_session


@pytest.mark.parametrize("change", CHANGES)
async def test_a_page_is_listed_again_only_after_a_change(session: BrowserSession, change: str) -> None:
    await session.page.set_content(HTML)
    first = await session.take_snapshot()
    assert await session.take_snapshot() is first
    await session.page.evaluate(CHANGES[change])
    assert await session.take_snapshot() is not first


async def test_scrolling_the_page_changes_nothing(session: BrowserSession) -> None:
    await session.page.set_content(HTML + "<p style='height:4000px'>")
    first = await session.take_snapshot()
    await session.page.evaluate("scrollTo(0, 500)")
    assert await session.take_snapshot() is first


async def test_another_tab_is_another_page(session: BrowserSession) -> None:
    await session.page.set_content(HTML)
    first = await session.take_snapshot()
    await session.tabs.open()
    assert await session.take_snapshot() is not first


async def test_what_narrows_the_words_is_looked_up_each_time(session: BrowserSession) -> None:
    await session.page.set_content("<p class=a><button>Save</button></p><p class=b><button>Save</button></p>")
    first = await session.take_snapshot()
    with pytest.raises(BlockFailed):
        resolve("Save", first)
    for place in ("a", "b"):
        wanted = Locator(words="Save", css=f".{place} button")
        found = await session.find(wanted, "see", kind="control", timeout_seconds=5)
        assert await found.element.evaluate("el => el.parentElement.className") == place
    assert await session.take_snapshot() is first
