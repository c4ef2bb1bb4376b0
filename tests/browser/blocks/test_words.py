"""`locator.words` in every kind that takes a locator: looked up each time, refused rather than guessed."""

import pytest

from browser.blocks.conftest import Desk
from pagehand.errors import NotPresent
from pagehand.page.phrases import NotClear
from pagehand.workflow.locator import Locator

pytestmark = pytest.mark.anyio

CLAIMS = """<h1>Claims</h1>
<table><thead><tr><th>Claim</th><th>Status</th><th>Note</th><th></th></tr></thead><tbody>
<tr><td>ACME-16</td><td>open</td><td><input></td><td><button onclick="clicked(this)">Delete</button></td></tr>
<tr><td>ACME-17</td><td>paid</td><td><input></td><td><button onclick="clicked(this)">Delete</button></td></tr>
<tr><td>ACME-18</td><td>new</td><td><input></td><td><button onclick="clicked(this)">Delete</button></td></tr>
</tbody></table><p id=log></p>
<script>function clicked(el) { log.textContent = el.closest('tr').cells[0].textContent }</script>"""


async def _log(desk: Desk) -> str:
    return await desk.session.page.inner_text("#log")


async def test_a_click_means_the_row_that_the_words_name(desk: Desk) -> None:
    await desk.open(CLAIMS)
    await desk.run("Mouse", {}, words="the Delete button in the row of ACME-17")
    assert await _log(desk) == "ACME-17"


async def test_words_are_a_template(desk: Desk) -> None:
    await desk.open(CLAIMS)
    block = {"type": "Mouse", "data": {}, "locator": {"words": "Delete in the row of {{params.claim}}"}}
    await desk.run_block(block, params={"claim": "ACME-18"})
    assert await _log(desk) == "ACME-18"


async def test_words_that_fit_several_are_refused_with_their_names(desk: Desk) -> None:
    await desk.open(CLAIMS)
    with pytest.raises(NotClear, match="button `Delete` in the row of `acme 16`"):
        await desk.run("Mouse", {}, words="the Delete button")
    assert await _log(desk) == ""


async def test_a_row_that_is_gone_is_not_present(desk: Desk) -> None:
    await desk.open(CLAIMS)
    with pytest.raises(NotPresent):
        await desk.run("Mouse", {"timeoutMs": 300}, words="the Delete button in the row of ACME-99")
    assert await _log(desk) == ""


async def test_other_fields_narrow_the_words(desk: Desk) -> None:
    await desk.open(
        "<button class=a>Save</button><button class=b onclick='log.textContent=1'>Save</button><p id=log>"
    )
    await desk.run("Mouse", {}, words="Save", css=".b")
    assert await _log(desk) == "1"
    with pytest.raises(NotPresent, match=r"Nothing on the page matches css `\.c`"):
        await desk.run("Mouse", {"timeoutMs": 200}, words="Save", css=".c")


async def test_a_late_element_is_waited_for(desk: Desk) -> None:
    await desk.open(
        "<p id=log></p><script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', "
        "'<button onclick=\"log.textContent=1\">Send</button>'), 400)</script>"
    )
    await desk.run("Mouse", {}, words="the Send button")
    assert await _log(desk) == "1"


async def test_a_row_that_moves_after_it_was_found_is_not_taken_for_another(desk: Desk) -> None:
    rows = "".join(
        f"<div class=item><b>{name}</b> <i>x</i><button>Go</button></div>"
        for name in ("Alpha", "Beta", "Gamma")
    )
    await desk.open(f"<div>{rows}</div>")
    found = await desk.session.find(Locator(words="Go in the row of Beta"), "act", timeout_seconds=2)
    await desk.session.page.evaluate("document.querySelector('.item').remove()")
    assert await found.element.count() == 0
