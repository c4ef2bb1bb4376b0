"""A run that starts in the middle with what an earlier run left: outputs, address, cookies and storage."""

import pytest

from support.blocks import fail, loop, navigate, value
from support.service import Api, Json
from support.site import Site

SIGNED_IN = "<!doctype html><title>Home</title><script>localStorage.setItem('cart', '7')</script>Welcome"
CLAIMS = """<!doctype html><title>Claims</title><h1></h1><p></p><script>
document.querySelector('h1').textContent = document.cookie
document.querySelector('p').textContent = localStorage.getItem('cart')</script>"""


@pytest.fixture
def failed(api: Api, site: Site) -> Json:
    """A run that signed in, went to the claims and failed there."""
    home = site.page("/home", SIGNED_IN, headers={"Set-Cookie": "session=ada; Path=/"})
    claims = site.page("/claims", CLAIMS)
    fields = {"who": {"locator": {"css": "h1"}}, "cart": {"locator": {"css": "p"}}}
    read = {
        "type": "Extract",
        "name": "Read",
        "blockReferenceId": "read",
        "data": {"prompt": "it", "fields": fields},
    }
    made = api.create(
        "Claims",
        value("first", "{{params.claim}}"),
        navigate(home, "home"),
        navigate(claims, "claims"),
        read,
        fail("nothing to do"),
        value("last", "{{blocks.first}} of {{blocks.read.who}}"),
        parameters=[{"name": "claim", "type": "string", "isSecret": True}],
    )
    run = api.call("/workflows/executeSync", {"workflowId": made["id"], "params": {"claim": "C-1"}})
    assert run["execution"]["status"] == "Failed"
    site.hits.clear()
    return run["execution"]


def test_a_run_takes_outputs_address_cookies_and_params_of_an_earlier_one(
    api: Api, site: Site, failed: Json
) -> None:
    request = {
        "workflowId": failed["workflow"]["id"],
        "startBlockId": "read",
        "continueExecutionId": failed["id"],
    }
    run = api.call("/workflows/executeSync", request)["execution"]
    assert run["response"]["read"] == {"who": "session=ada", "cart": "7"}
    assert run["response"]["first"] == failed["response"]["first"]
    assert [hit for hit in site.hits if "favicon" not in hit] == ["/claims"]
    assert "restored" not in run["errorAnalysis"]


def test_a_live_session_continues_an_earlier_run_and_then_its_own_page(
    api: Api, site: Site, failed: Json
) -> None:
    opened = api.call(
        "/liveSessions/open", {"workflowId": failed["workflow"]["id"], "executionId": failed["id"]}
    )
    session = opened["execution"]["id"]
    part = api.call(
        "/liveSessions/run",
        {"id": session, "firstBlockId": "read", "continueExecutionId": failed["id"]},
    )
    assert part["failure"]["blockReferenceId"] == "stop"
    assert part["outputs"]["read"]["who"] == "session=ada"
    assert part["outputs"]["first"] == failed["response"]["first"]
    on_the_page = api.call("/liveSessions/run", {"id": session, "firstBlockId": "last"})
    assert on_the_page["outputs"]["last"].endswith("of session=ada")
    assert [hit for hit in site.hits if "favicon" not in hit] == ["/claims"]
    api.call("/liveSessions/close", {"id": session})


def test_within_a_loop_the_blocks_before_read_as_in_its_first_round(api: Api) -> None:
    rounds = loop([1, 2, 3], [value("twice", "{{item}}"), value("shown", "{{blocks.twice}} {{item}}")])
    made = api.create("Rounds", rounds)
    first = api.call("/workflows/executeSync", {"workflowId": made["id"]})["execution"]
    request = {"workflowId": made["id"], "startBlockId": "shown", "continueExecutionId": first["id"]}
    repeated = api.call("/workflows/executeSync", request)["execution"]
    assert [round_["shown"] for round_ in repeated["response"]["loop"]] == ["1 1", "2 2", "3 3"]


@pytest.mark.parametrize(
    ("changes", "status"),
    [({"startBlockId": None}, 400), ({"continueExecutionId": "exec_none"}, 404)],
    ids=["without a block", "of no execution"],
)
def test_what_cannot_be_continued_is_refused(api: Api, changes: Json, status: int) -> None:
    made = api.create("Refused", value("one"))
    done = api.call("/workflows/executeSync", {"workflowId": made["id"]})["execution"]
    request = {"workflowId": made["id"], "startBlockId": "one", "continueExecutionId": done["id"], **changes}
    assert api.post("/workflows/execute", request).status_code == status
