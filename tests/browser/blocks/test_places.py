"""Blocks act where the element is: in frames within frames, in tabs that clicks opened, on what moves."""

import time

import pytest

from pagehand.workflow.locator import Locator
from support.block_runner import BlockRunner
from support.site import Site

pytestmark = pytest.mark.anyio


async def test_a_form_in_a_frame_within_a_frame_is_filled_in_by_labels(
    runner: BlockRunner, site: Site
) -> None:
    site.page(
        "/inner",
        "<form><label>Name <input id=n></label><label>Size <select id=s><option>S<option>L</select></label>"
        "<label><input type=checkbox id=c> Agree</label><button>Send</button></form>"
        "<script>document.forms[0].onsubmit = (e) => { e.preventDefault();"
        "top.document.title = [n.value, s.value, c.checked].join() }</script>",
    )
    site.page("/outer", "<p>Outer</p><iframe src=/inner width=500 height=200></iframe>")
    await runner.session.goto(site.page("/", "<h1>Top</h1><iframe src=/outer width=600 height=300></iframe>"))
    fields = [
        {"key": "Name", "value": "Ada"},
        {"key": "Size", "inputType": "NativeDropdown", "value": "L"},
        {"key": "Agree", "inputType": "Checkbox", "value": "true"},
    ]
    await runner.run("Form", {"fields": fields, "submit": True})
    assert await runner.value("document.title") == "Ada,L,true"
    found = await runner.session.find(
        Locator(words="the Send button"), "act", kind="control", timeout_seconds=5
    )
    assert await found.element.inner_text() == "Send"


async def test_blocks_go_on_in_a_tab_that_a_click_opened_and_back_when_it_closes(
    runner: BlockRunner, site: Site
) -> None:
    site.page("/pick", "<label>Colour <input id=c></label><button onclick='window.close()'>Done</button>")
    await runner.session.goto(
        site.page("/", "<title>Main</title><button onclick=\"window.open('/pick')\">Choose</button>")
    )
    await runner.run("Mouse", {}, text="Choose")
    await runner.run("Input", {"key": "Colour", "inputType": "TextInput", "value": "Blue"})
    assert await runner.value("c.value") == "Blue"
    await runner.run("Mouse", {}, text="Done")
    assert await runner.value("document.title") == "Main"


@pytest.mark.slow
async def test_what_moves_is_clicked_once_it_stands_still(runner: BlockRunner) -> None:
    await runner.open("""<style>@keyframes in { from { margin-left: 900px } }
      button { animation: in 700ms linear }</style>
      <button onclick="document.title = 'clicked ' + this.getAnimations().length">Go</button>""")
    await runner.run("Mouse", {}, text="Go")
    assert await runner.value("document.title") == "clicked 0"


async def test_what_is_covered_for_a_while_is_clicked_when_it_is_free(runner: BlockRunner) -> None:
    await runner.open("""<button onclick="document.title = 'clicked'">Go</button>
      <div id=veil style='position:fixed;inset:0'>wait</div>
      <script>setTimeout(() => veil.remove(), 800)</script>""")
    began = time.monotonic()
    await runner.run("Mouse", {}, text="Go")
    assert await runner.value("document.title") == "clicked"
    assert time.monotonic() - began > 0.5
