"""`locator.words` through the service: conditions, fields, pages, skipping, events, failures."""

from typing import Any

import pytest

from support.blocks import navigate, value
from support.service import Api, Json
from support.site import Site

CLAIMS = """<h1>Claims</h1><table>
<tr class=h><td><b>Claim</b></td><td><b>Status</b></td><td><b>Note</b></td><td></td></tr>
<tr><td>ACME-16</td><td>open</td><td><input></td><td><button onclick="gone(this)">Delete</button></td></tr>
<tr><td>ACME-17</td><td>paid</td><td><input></td><td><button onclick="gone(this)">Delete</button></td></tr>
</table><button onclick="log.textContent = document.querySelectorAll('input')[1].value">Save notes</button>
<p id=log></p><script>function gone(el) { el.closest('tr').remove() }</script>"""
PAGES = """<p id=n>1</p><button onclick="go()">Next page</button><script>
function go() { if (+n.textContent < 3) n.textContent = +n.textContent + 1;
if (n.textContent === '3') document.querySelector('button').remove() }</script>"""


def click(words: str, **more: Any) -> Json:
    return {"type": "Mouse", "locator": {"words": words}, "data": {}, **more}


def is_there(words: str, state: str = "visible") -> Json:
    return {"element": {"words": words}, "state": state}


def branch(condition: Json, ref: str) -> Json:
    """Puts out a value if the condition holds."""
    return {"type": "If", "data": {"condition": condition}, "sequenceData": {"trueSequence": [value(ref)]}}


@pytest.mark.slow
def test_words_work_wherever_a_locator_does(api: Api, site: Site) -> None:
    ended = api.run(
        navigate(site.page("/claims", CLAIMS)),
        {
            "type": "Extract",
            "blockReferenceId": "read",
            "data": {
                "fields": {
                    "status": {"locator": {"words": "the Status in the row of {{params.claim}}"}},
                    "missing": {"locator": {"words": "the Status in the row of ACME-99"}},
                }
            },
        },
        {
            "type": "Form",
            "data": {
                "fields": [{"locator": {"words": "the Note in the row of ACME-17"}, "value": "seen"}],
                "submitLocator": {"words": "Save notes"},
            },
        },
        {
            "type": "Extract",
            "blockReferenceId": "log",
            "data": {"fields": {"note": {"locator": {"css": "#log"}}}},
        },
        branch(is_there("Delete in the row of {{params.claim}}"), "before"),
        branch(is_there("the Delete button", "count=2"), "two"),
        click("the Delete button in the first row"),
        branch(is_there("Delete in the row of ACME-16"), "after"),
        click("Delete in the row of ACME-16", skipIfNotPresent=True),
        params={"claim": "ACME-17"},
    )
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    assert ended["response"] == {
        "read": {"status": "paid", "missing": None},
        "log": {"note": "seen"},
        "before": 1,
        "two": 1,
    }


@pytest.mark.slow
def test_a_row_that_is_gone_is_red_and_no_other_is_taken(api: Api, site: Site) -> None:
    words = "Delete in the row of ACME-99"
    ended = api.run(navigate(site.page("/claims", CLAIMS)), {**click(words), "data": {"timeoutMs": 500}})
    assert ended["status"] == "Failed"
    assert "nothing on the page explains `99`" in ended["errorAnalysis"]


@pytest.mark.slow
def test_words_that_fit_several_are_red_even_where_absence_is_skipped(api: Api, site: Site) -> None:
    ended = api.run(navigate(site.page("/claims", CLAIMS)), click("the Delete button", skipIfNotPresent=True))
    assert ended["status"] == "Failed"
    assert "could mean 2 elements" in ended["errorAnalysis"]


@pytest.mark.slow
def test_a_loop_turns_pages_by_words(api: Api, site: Site) -> None:
    body = {
        "type": "Extract",
        "blockReferenceId": "at",
        "data": {"fields": {"n": {"locator": {"css": "#n"}}}},
    }
    ended = api.run(
        navigate(site.page("/pages", PAGES)),
        {
            "type": "LoopV2",
            "blockReferenceId": "all",
            "data": {"over": {"pages": {"words": "Next page"}}},
            "sequenceData": {"sequence": [body]},
        },
    )
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    assert [item["at"]["n"] for item in ended["response"]["all"]] == ["1", "2", "3"]


def test_the_event_says_that_words_found_it(api: Api, site: Site) -> None:
    ended = api.run(navigate(site.page("/claims", CLAIMS)), click("Save notes"))
    found = [
        event["data"]["found"] for event in api.events(ended["id"]) if "found" in (event.get("data") or {})
    ]
    assert found == [{"how": "words", "matches": 1}]
