"""What happens in the service shows in open pages without a reload, by the one event stream."""

import pytest

from support.console import Console
from support.service import Api

pytestmark = pytest.mark.anyio
HELLO = {"type": "Transform", "name": "Say hello", "data": {"input": "hello", "code": "lambda x: x"}}


async def test_execution_appears_and_ends_in_an_open_list(console: Console, api: Api) -> None:
    workflow = api.create("Seen live", HELLO)
    page = await console.open("/executions")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    api.start(workflow["id"], name="Watched")

    row = page.get_by_role("row").filter(has_text="Watched")
    await row.filter(has_text="Completed").wait_for()

    assert 1 <= len([url for url in requests if url.endswith("/executions/list")]) < 20


@pytest.mark.slow
async def test_nothing_is_asked_for_while_nothing_changes(console: Console) -> None:
    page = await console.open("/executions")
    await page.wait_for_function("() => !document.body.innerText.includes('Not connected')")
    await page.wait_for_timeout(1000)  # what opening the stream reads again
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    await page.wait_for_timeout(3000)  # nothing to wait for: that nothing happens is the claim
    assert requests == []


@pytest.mark.slow
async def test_stream_names_states_and_events_of_the_own_organization(console: Console, api: Api) -> None:
    workflow = api.create("Streamed", HELLO)
    page = await console.open("/settings")
    await page.evaluate(
        """() => { window.heard = []; const source = new EventSource("/console/events");
          source.onmessage = (message) => window.heard.push(JSON.parse(message.data));
          return new Promise((done) => { source.onopen = () => done(null); }); }"""
    )
    execution = api.start(workflow["id"])
    await page.wait_for_function(
        """(id) => ["execution", "event"].every((noun) =>
          window.heard.some((one) => one.noun === noun && one.id === id))""",
        arg=execution["id"],
    )
