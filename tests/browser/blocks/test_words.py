"""`locator.words` in every kind that takes a locator: looked up each time, refused rather than guessed."""

import pytest

from pagehand.errors import NotPresent
from pagehand.page.phrases import NotClear
from pagehand.workflow.locator import Locator
from support.block_runner import BlockRunner

pytestmark = pytest.mark.anyio

CLAIMS = """<h1>Claims</h1>
<table><thead><tr><th>Claim</th><th>Status</th><th>Note</th><th></th></tr></thead><tbody>
<tr><td>ACME-16</td><td>open</td><td><input></td><td><button onclick="clicked(this)">Delete</button></td></tr>
<tr><td>ACME-17</td><td>paid</td><td><input></td><td><button onclick="clicked(this)">Delete</button></td></tr>
<tr><td>ACME-18</td><td>new</td><td><input></td><td><button onclick="clicked(this)">Delete</button></td></tr>
</tbody></table><p id=log></p>
<script>function clicked(el) { log.textContent = el.closest('tr').cells[0].textContent }</script>"""


async def _log(runner: BlockRunner) -> str:
    return await runner.session.page.inner_text("#log")


async def test_a_click_means_the_row_that_the_words_name(runner: BlockRunner) -> None:
    await runner.open(CLAIMS)
    await runner.run("Mouse", {}, words="the Delete button in the row of ACME-17")
    assert await _log(runner) == "ACME-17"


async def test_words_are_a_template(runner: BlockRunner) -> None:
    await runner.open(CLAIMS)
    block = {"type": "Mouse", "data": {}, "locator": {"words": "Delete in the row of {{params.claim}}"}}
    await runner.run_block(block, params={"claim": "ACME-18"})
    assert await _log(runner) == "ACME-18"


@pytest.mark.slow
async def test_words_that_fit_several_are_refused_with_their_names(runner: BlockRunner) -> None:
    await runner.open(CLAIMS)
    with pytest.raises(NotClear, match="button `Delete` in the row of `acme 16`"):
        await runner.run("Mouse", {}, words="the Delete button")
    assert await _log(runner) == ""


async def test_a_row_that_is_gone_is_not_present(runner: BlockRunner) -> None:
    await runner.open(CLAIMS)
    with pytest.raises(NotPresent):
        await runner.run("Mouse", {"timeoutMs": 300}, words="the Delete button in the row of ACME-99")
    assert await _log(runner) == ""


async def test_other_fields_narrow_the_words(runner: BlockRunner) -> None:
    await runner.open(
        "<button class=a>Save</button><button class=b onclick='log.textContent=1'>Save</button><p id=log>"
    )
    await runner.run("Mouse", {}, words="Save", css=".b")
    assert await _log(runner) == "1"
    with pytest.raises(NotPresent, match=r"Nothing on the page matches css `\.c`"):
        await runner.run("Mouse", {"timeoutMs": 200}, words="Save", css=".c")


async def test_a_late_element_is_waited_for(runner: BlockRunner) -> None:
    await runner.open(
        "<p id=log></p><script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', "
        "'<button onclick=\"log.textContent=1\">Send</button>'), 400)</script>"
    )
    await runner.run("Mouse", {}, words="the Send button")
    assert await _log(runner) == "1"


async def test_a_row_that_moves_after_it_was_found_is_not_taken_for_another(runner: BlockRunner) -> None:
    rows = "".join(
        f"<div class=item><b>{name}</b> <i>x</i><button>Go</button></div>"
        for name in ("Alpha", "Beta", "Gamma")
    )
    await runner.open(f"<div>{rows}</div>")
    found = await runner.session.find(Locator(words="Go in the row of Beta"), "act", timeout_seconds=2)
    await runner.session.page.evaluate("document.querySelector('.item').remove()")
    assert await found.element.count() == 0
