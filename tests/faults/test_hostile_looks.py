"""`look` at pages that have become hostile since the run: it ends in time, and does nothing."""

import time
from collections.abc import Callable

import pytest

from support.blocks import click, navigate
from support.service import FINAL
from support.site import Site
from support.workers import Fleet

from .test_hostile_pages import PAGES

SECONDS = 120.0
"""A page's 30 s to open, 10 s to become quiet, an element of 4 s, pictures and a busy machine."""
HOSTILE = {
    **PAGES,
    "sends itself": "document.body.innerHTML += '<form method=post action=/own>'; document.forms[0].submit()",
    "leads elsewhere without end": "location.search = Math.random()",
    "other names for what browsers do": "for (const name of Object.getOwnPropertyNames(Element.prototype))"
    " try { Element.prototype[name] = () => { throw name } } catch {}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_look_at_a_hostile_page_ends_in_time_and_does_nothing(
    alone: Fleet, site: Site, name: str, record_property: Callable[[str, object], None]
) -> None:
    api = alone.nodes[0].api()
    button = "<button id=go>Go</button>"
    page = site.page("/", button)
    site.page("/pressed", "")
    made = api.create(name, navigate(page), click("button", "Go", timeoutMs=4000))
    ran = api.wait_for(api.start(made["id"])["id"], *FINAL)
    assert ran["status"] == "Completed", ran["errorAnalysis"]
    pressed = "go.addEventListener('click', () => navigator.sendBeacon('/pressed'))"
    site.page("/", f"{button}<script>{pressed}; {HOSTILE[name]}</script>")
    began = time.monotonic()
    look = api.call("/workflows/execute", {"workflowId": made["id"], "look": True})["execution"]
    ended = api.wait_for(look["id"], *FINAL)
    seconds = time.monotonic() - began
    record_property("seconds of the look", round(seconds, 2))
    assert seconds < SECONDS
    assert "our side" not in (ended["errorAnalysis"] or "")
    assert "/pressed" not in site.hits
