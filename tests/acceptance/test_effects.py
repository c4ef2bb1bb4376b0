"""Effects that were seen: a ledger on loopback counts arrivals while the service is stopped and killed."""

import threading
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from support.blocks import click, fill, form, navigate, value, wait
from support.mail_server import Inbox, mail_in_a_thread
from support.service import FINAL, Api, Json, RunningService, free_port
from support.waiting import wait_until
from support.webservice import Reply, ServiceRequest, WebService, web_service

PAGE = """<!doctype html><title>Pay</title>
<form method=post action=/ledger><label>Amount <input name=amount></label><button>Go on</button></form>
<button onclick="fetch('/ledger', {method: 'POST', body: 'x'})">Pay</button>
<button onclick="document.title = 'Sure?'">Delete</button>"""
SIGN_IN = """<!doctype html><form method=post action=/ledger>
<label>User <input name=user></label><label>Password <input type=password name=pw></label>
<button>Submit</button></form>"""


class Ledger:
    """Counts what arrives at `/ledger`, and calls out before it answers."""

    def __init__(self, site: WebService) -> None:
        self.site = site
        self.url = site.url
        self.arrivals = 0
        self.arrived = threading.Event()
        self.on_arrival: Callable[[], None] = lambda: None
        site.answers["/"] = Reply(PAGE.encode(), headers={"Content-Type": "text/html"})
        site.answers["/in"] = Reply(SIGN_IN.encode(), headers={"Content-Type": "text/html"})
        site.answers["/ledger"] = self._take

    def _take(self, _asked: ServiceRequest) -> Reply:
        self.arrivals += 1
        self.on_arrival()
        self.arrived.set()
        return Reply(b"<p>Thank you</p>", headers={"Content-Type": "text/html"})


@pytest.fixture
def ledger() -> Generator[Ledger]:
    with web_service() as site:
        yield Ledger(site)


@pytest.fixture
def inbox() -> Generator[Inbox]:
    with mail_in_a_thread() as server:
        yield server


@pytest.fixture
def own_service(tmp_path: Path) -> Generator[RunningService]:
    """A service that may be killed, and that is quick to stop."""
    running = RunningService(
        tmp_path / "data", PAGEHAND_CONCURRENCY="6", PAGEHAND_STOP_GRACE_SECONDS="0.2"
    ).start()
    yield running
    running.stop()


def acts(ledger: Ledger) -> dict[str, list[Json]]:
    """Every way to have an effect, as blocks of which the last one has it."""
    page = navigate(ledger.url)
    call = {"type": "API", "data": {"method": "POST", "route": f"{ledger.url}/ledger"}}
    return {
        "api": [call],
        "form": [page, form({"key": "Amount", "value": "5"}, submit=True)],
        "enter": [page, fill("Amount", "5", pressEnter=True)],
        "button": [page, click("button", "Go on")],
        "script": [page, click("button", "Pay")],
    }


def with_reference(blocks: list[Json], ref: str) -> list[Json]:
    return [*blocks[:-1], {**blocks[-1], "blockReferenceId": ref}]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["api", "enter", "script"])
def test_what_had_begun_when_the_service_was_killed_is_not_repeated(
    own_service: RunningService, ledger: Ledger, how: str
) -> None:
    api = own_service.api()
    workflow = api.create("pay", *with_reference(acts(ledger)[how], "pay"), wait(60_000))
    ledger.on_arrival = own_service.kill  # before the site has answered, let alone the run gone on
    execution = api.start(workflow["id"])
    assert ledger.arrived.wait(30)
    ledger.on_arrival = lambda: None
    own_service.start()
    ended = own_service.api().wait_for(execution["id"], *FINAL)
    assert (ended["status"], ledger.arrivals, ended["attempts"]) == ("Failed", 1, 1)
    [effect] = ended["metadata"]["effects"]
    assert effect["blockReferenceId"] == "pay"
    assert f"`pay`: {effect['what']}" in ended["errorAnalysis"]
    assert "requeued" not in ended["metadata"]


@pytest.mark.slow
def test_a_stop_does_not_repeat_what_has_arrived(own_service: RunningService, ledger: Ledger) -> None:
    api = own_service.api()
    started = {
        how: api.start(api.create(how, *with_reference(blocks, how), wait(60_000))["id"])["id"]
        for how, blocks in acts(ledger).items()
    }
    wait_until(lambda: ledger.arrivals == len(started))
    own_service.stop()
    own_service.start()
    api = own_service.api()
    for how, execution_id in started.items():
        ended = api.wait_for(execution_id, *FINAL)
        assert ended["status"] == "Failed", how
        assert [effect["blockReferenceId"] for effect in ended["metadata"]["effects"]] == [how]
        assert "asked to stop" in ended["errorAnalysis"]
        assert "retrySafe" in ended["errorAnalysis"]
    assert ledger.arrivals == len(started)


@pytest.mark.slow
def test_a_mail_is_not_sent_twice_after_a_kill(tmp_path: Path, inbox: Inbox) -> None:
    service = RunningService(
        tmp_path / "data",
        PAGEHAND_SMTP_HOST="127.0.0.1",
        PAGEHAND_SMTP_PORT=str(inbox.port),
        PAGEHAND_SMTP_FROM="robot@example.com",
        PAGEHAND_SMTP_SECURITY="none",
    ).start()
    mail = {"type": "SendEmail", "blockReferenceId": "mail", "data": {"toAddresses": ["ann@example.com"]}}
    execution = service.api().start(service.api().create("mail", mail, wait(60_000))["id"])
    wait_until(lambda: inbox.messages)
    service.kill()
    service.start()
    ended = service.api().wait_for(execution["id"], *FINAL)
    service.stop()
    assert (ended["status"], len(inbox.messages)) == ("Failed", 1)
    assert ended["metadata"]["effects"][0]["what"] == "an e-mail to 1 recipients"


@pytest.mark.slow
def test_a_workflow_that_is_retry_safe_is_repeated_all_the_same(
    own_service: RunningService, ledger: Ledger
) -> None:
    api = own_service.api()
    workflow = api.create("safe", *acts(ledger)["api"], value("done"), retrySafe=True)
    assert workflow["retrySafe"] is True
    ledger.on_arrival = own_service.kill
    execution = api.start(workflow["id"])
    assert ledger.arrived.wait(30)
    ledger.on_arrival = lambda: None
    own_service.start()
    ended = own_service.api().wait_for(execution["id"], *FINAL)
    assert (ended["status"], ledger.arrivals) == ("Completed", 2)
    assert (ended["attempts"], ended["metadata"]["requeued"]) == (1, 1)
    assert len(ended["metadata"]["effects"]) == 2


@pytest.mark.slow
def test_signing_in_and_a_press_that_sends_nothing_are_not_effects(
    own_service: RunningService, ledger: Ledger
) -> None:
    api = own_service.api()
    sign_in = form({"key": "User", "value": "ada"}, {"key": "Password", "value": "pw"}, submit=True)
    workflow = api.create(
        "harmless",
        navigate(f"{ledger.url}/in", "in"),
        sign_in,
        navigate(ledger.url),
        click("button", "Delete"),
        wait(4_000),
        value("done"),
    )
    execution = api.start(workflow["id"])
    wait_until(lambda: "nap" in [event["blockReferenceId"] for event in api.events(execution["id"])])
    own_service.kill()
    own_service.start()
    ended = own_service.api().wait_for(execution["id"], *FINAL)
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    assert (ended["attempts"], ended["metadata"]["requeued"]) == (1, 1)
    assert "effects" not in ended["metadata"]


@pytest.mark.slow
def test_an_execution_that_loses_three_workers_fails(own_service: RunningService) -> None:
    execution = own_service.api().start(own_service.api().create("cursed", wait(120_000))["id"])
    for losses in range(3):
        # just after a start the row may still say what the lost worker wrote
        wait_until(lambda lost=losses: _runs_after(own_service.api(), execution["id"], lost))
        own_service.kill()
        own_service.start()
    ended = own_service.api().wait_for(execution["id"], *FINAL)
    assert (ended["status"], ended["attempts"], ended["metadata"]["requeued"]) == ("Failed", 1, 2)
    assert "worker was lost" in ended["errorAnalysis"]


def _runs_after(api: Api, execution_id: str, losses: int) -> bool:
    execution = api.get(execution_id)
    return execution["status"] == "InProgress" and execution["metadata"].get("requeued", 0) == losses


def retrying_login(api: Api, url: str) -> str:
    fields = {
        "name": "Tries again",
        "authenticationUrl": f"{url}/in",
        "homeUrl": f"{url}/",
        "loginConfiguration": {"username": "ada", "password": "secret-pw"},
        "autoRetryOnServiceDown": True,
        "autoRetryMaxAttempts": 2,
        "autoRetryDelayMinutes": 0.01,
    }
    return api.call("/logins/create", fields)["login"]["id"]


@pytest.mark.parametrize("how", ["api", "form", "script"])
def test_a_site_that_goes_down_after_an_effect_is_not_tried_again(api: Api, ledger: Ledger, how: str) -> None:
    down = navigate(f"http://127.0.0.1:{free_port()}/", "down")
    ended = run_with_login(api, ledger, [*with_reference(acts(ledger)[how], "pay"), down])
    assert (ended["status"], ended["attempts"], ended["totalAttempts"]) == ("Failed", 1, 3)
    assert ledger.arrivals == 1
    assert "`pay`: " in ended["errorAnalysis"]


def run_with_login(api: Api, ledger: Ledger, blocks: list[Json]) -> Json:
    """With a login that allows retries; a block takes it over, so that nobody has to sign in."""
    taken = {
        "type": "If",
        "data": {"condition": "False"},
        "sequenceData": {
            "trueSequence": [{"type": "Login", "data": {"loginId": "", "isParameter": True}}],
            "falseSequence": [],
        },
    }
    return api.run(taken, *blocks, loginId=retrying_login(api, ledger.url))


@pytest.mark.slow
def test_what_never_left_is_not_an_effect_and_is_tried_again(api: Api, ledger: Ledger) -> None:
    closed = f"http://127.0.0.1:{free_port()}/ledger"
    call = {"type": "API", "data": {"method": "POST", "route": closed}}
    ended = run_with_login(api, ledger, [call])
    assert (ended["status"], ended["attempts"]) == ("Failed", 3)
    assert "effects" not in ended["metadata"]


def test_a_browser_that_dies_after_an_effect_ends_the_run(api: Api, ledger: Ledger) -> None:
    crash = {"type": "Navigate", "blockReferenceId": "crash", "data": {"url": "chrome://crash"}}
    ended = run_with_login(api, ledger, [*with_reference(acts(ledger)["form"], "pay"), crash])
    assert (ended["status"], ledger.arrivals) == ("Failed", 1)


@pytest.mark.slow
def test_effects_of_a_run_that_went_well_are_shown_in_order(api: Api, ledger: Ledger) -> None:
    blocks = [
        *with_reference(acts(ledger)["form"], "sent"),
        navigate(ledger.url, "back"),
        *with_reference(acts(ledger)["script"][1:], "paid"),
        *with_reference(acts(ledger)["api"], "called"),
    ]
    ended = api.run(*blocks)
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    shown = [(effect["blockReferenceId"], effect["what"]) for effect in ended["metadata"]["effects"]]
    address = f"{ledger.url}/ledger"
    assert shown == [
        ("sent", f"`POST {address}` by `Go on`"),
        ("paid", f"`POST {address}` by `Pay`"),
        ("called", f"`POST {address}`"),
    ]
    assert ended["metadata"]["effects"][0]["at"].endswith("Z")
