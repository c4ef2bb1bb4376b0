"""Pages that hold on to their browser: the block ends by its time, and others run meanwhile."""

import time
from collections.abc import Callable

import pytest

from support.blocks import click, navigate, value
from support.service import FINAL
from support.site import Site
from support.workers import Fleet

BLOCK_SECONDS = 4.0
AFTER_SECONDS = 5.0
BUSY_SECONDS = 20.0
"""To start a browser, open the page and end the execution, on a machine that is busy with other tests."""
PAGES = {
    "endless script": "setTimeout(() => { while (1); }, 200)",
    "arrays without end": "Array.prototype[Symbol.iterator] = function* () { while (1) yield 1; }",
    "address flood": "setInterval(() => { for (let i = 500; i--; ) history.pushState(0, '', '?' + i); }, 5)",
    "frames without end": "setInterval(() => { for (let i = 30; i--; )"
    " document.body.append(document.createElement('iframe')); }, 50)",
    "errors without end": "setInterval(() => { for (let i = 300; i--; )"
    " setTimeout(() => { throw Error('x'.repeat(5000)); }); }, 5)",
    "storm of dialogs": "setInterval(() => { while (1) alert('again'); }, 10)",
    "a thousand windows": "go.onclick = () => { for (let i = 0; i < 1000; i++) open('/'); while (1); }",
    "heap exhausted": "go.onclick = () => { const all = []; while (1) all.push(new Array(1e6).fill(0.5)); }",
}


@pytest.mark.parametrize("name", PAGES)
def test_the_block_ends_by_its_time_and_others_run(
    both: Fleet, site: Site, name: str, record_property: Callable[[str, object], None]
) -> None:
    api = both.nodes[0].api()
    page = site.page("/", f"<button id=go>Go</button><script>{PAGES[name]}</script>")
    # the second click finds a page that does not answer any more
    blocks = [click("button", "Go", timeoutMs=int(BLOCK_SECONDS * 1000)) for _ in range(2)]
    hostile = api.start(api.create(name, navigate(page), *blocks)["id"])["id"]
    began = time.monotonic()
    api.wait_for(hostile, "InProgress", *FINAL)
    assert api.run(value("beside"))["response"] == {"beside": 1}
    ended = api.wait_for(hostile, *FINAL)
    seconds = time.monotonic() - began
    record_property("seconds until the execution has ended", round(seconds, 2))
    assert seconds < 2 * (BLOCK_SECONDS + AFTER_SECONDS) + BUSY_SECONDS
    assert "our side" not in ended["errorAnalysis"]
    assert api.run(navigate(site.page("/next", "<p>there</p>")))["status"] == "Completed"
