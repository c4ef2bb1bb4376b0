"""Executions with `useProxy` go through a real proxy: the organization's own, else the operator's."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.proxies import Proxy, running_proxy
from support.service import Api, RunningService
from support.webservice import Reply, WebService, web_service

Json = dict[str, Any]
SCHEMES = ("http", "socks5")
PAGE = b"<!doctype html><title>Shop</title><h1>Open</h1>"
FORM = b"""<!doctype html><title>Sign in</title><form method=post action=/login>
<label>User <input name=username></label><label>Password <input name=password type=password></label>
<button>Sign in</button></form>"""
HOME = b"<!doctype html><title>Home</title><h1>Welcome</h1><a href=/logout>Sign out</a>"


@pytest.fixture(scope="module")
def operators() -> Iterator[Proxy]:
    with running_proxy("http") as proxy:
        yield proxy


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, operators: Proxy) -> Iterator[RunningService]:
    data_dir = tmp_path_factory.mktemp("proxies") / "data"
    running = RunningService(data_dir, PAGEHAND_PROXY=operators.url, PAGEHAND_BROWSER_POOL="1").start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def mine(service: RunningService) -> Api:
    """A caller of an organization that sets proxies of its own."""
    return service.api(service.new_key("mine"))


@pytest.fixture
def shop() -> Iterator[WebService]:
    with web_service() as running:
        running.answers["/page"] = html(PAGE)
        running.answers["/home"] = html(HOME)
        running.answers["/login"] = lambda asked: html(HOME if asked.method == "POST" else FORM)
        running.answers["/favicon.ico"] = Reply(status=404)
        yield running


def html(body: bytes) -> Reply:
    return Reply(body, headers={"Content-Type": "text/html"})


def visit(shop: WebService) -> list[Json]:
    """A page in the browser, then a call of the service's own."""
    return [
        {"type": "Navigate", "data": {"url": f"{shop.url}/page"}},
        {"type": "API", "data": {"method": "GET", "route": f"{shop.url}/called"}},
    ]


def paths(shop: WebService) -> set[str]:
    return {asked.path for asked in shop.requests} - {"/favicon.ico"}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_browser_and_calls_go_through_the_organizations_own_proxy(
    scheme: str, mine: Api, operators: Proxy, shop: WebService
) -> None:
    operators.targets.clear()
    with running_proxy(scheme) as proxy:
        mine.call("/organization/update", {"proxy": proxy.url})
        direct = mine.run(*visit(shop))
        assert (direct["status"], proxy.targets) == ("Completed", [])
        chained = mine.run(visit(shop)[0], useProxy=True)
        assert chained["status"] == "Completed", chained["errorAnalysis"]
        by_browser = len(proxy.targets)
        assert by_browser >= 1
        called = mine.run(visit(shop)[1], useProxy=True)
        assert called["status"] == "Completed", called["errorAnalysis"]
        assert len(proxy.targets) > by_browser
        assert set(proxy.targets) == {f"127.0.0.1:{shop.port}"}
    assert paths(shop) == {"/page", "/called"}
    assert operators.targets == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_proxy_that_refuses_the_password_is_named_and_nothing_goes_round_it(
    scheme: str, mine: Api, shop: WebService
) -> None:
    with running_proxy(scheme, password="wrong") as proxy:
        mine.call("/organization/update", {"proxy": proxy.url})
        for block in visit(shop):
            failed = mine.run(block, useProxy=True)
            assert failed["status"] == "Failed"
            assert "upstream proxy" in failed["errorAnalysis"]
            assert "wrong" not in failed["errorAnalysis"]
        assert proxy.refused >= 2
    assert shop.requests == []


@pytest.mark.slow
def test_a_logins_use_proxy_takes_its_sign_in_and_its_runs_through_it(mine: Api, shop: WebService) -> None:
    configuration = {"username": "ada", "password": "correct horse"}
    login = mine.call(
        "/logins/create",
        {
            "name": "Shop",
            "authenticationUrl": f"{shop.url}/login",
            "homeUrl": f"{shop.url}/home",
            "useProxy": True,
            "loginConfiguration": configuration,
        },
    )["login"]
    with running_proxy("socks5") as proxy:
        mine.call("/organization/update", {"proxy": proxy.url})
        run = mine.run(*visit(shop), loginId=login["id"])
        assert run["status"] == "Completed", run["errorAnalysis"]
        assert len(proxy.targets) >= 2
    posted = [asked for asked in shop.requests if asked.method == "POST"]
    assert b"correct+horse" in posted[0].body


def test_without_one_of_its_own_the_operators_proxy_serves(
    service: RunningService, operators: Proxy, shop: WebService
) -> None:
    operators.targets.clear()
    run = service.api().run(*visit(shop), useProxy=True)
    assert run["status"] == "Completed", run["errorAnalysis"]
    assert set(operators.targets) == {f"127.0.0.1:{shop.port}"}


@pytest.mark.slow
def test_the_policy_is_asked_before_the_proxy(service: RunningService, operators: Proxy) -> None:
    operators.targets.clear()
    run = service.api().run(visit_closed(), useProxy=True)
    assert "PAGEHAND_EGRESS_ALLOW" in run["errorAnalysis"]
    assert operators.targets == []


def visit_closed() -> Json:
    return {"type": "Navigate", "data": {"url": "http://127.0.0.2:8123/"}}


def test_the_password_is_never_shown_and_the_mask_keeps_it(mine: Api) -> None:
    given = "socks5://me:s3cret-word@127.0.0.1:1080"
    shown = mine.call("/organization/update", {"proxy": given})["organization"]["proxy"]
    assert shown == "socks5://me:********@127.0.0.1:1080"
    assert mine.call("/organization/update", {"proxy": shown})["organization"]["proxy"] == shown
    assert mine.call("/organization/get")["organization"] == {
        **mine.call("/organization/update")["organization"]
    }
    moved = mine.post("/organization/update", {"proxy": shown.replace("1080", "1081")})
    assert moved.status_code == 400
    assert "mask" in moved.json()["error"]
    gone = mine.call("/organization/update", {"proxy": ""})
    assert gone["organization"]["proxy"] is None


@pytest.mark.parametrize(
    ("proxy", "words"),
    [
        ("socks4://host:1080", "`proxy` must look like"),
        ("http://me:hidden@host:port", "`proxy` must look like"),
        ("http://127.0.0.2:3128", "PAGEHAND_EGRESS_ALLOW"),
        ("http://169.254.169.254", "PAGEHAND_EGRESS_ALLOW"),
        (7, "`proxy`"),
    ],
)
def test_an_address_that_is_none_or_is_closed_is_refused(proxy: Any, words: str, mine: Api) -> None:
    answer = mine.post("/organization/update", {"proxy": proxy})
    assert answer.status_code == 400
    assert words in answer.json()["error"]
    assert "hidden" not in answer.json()["error"]


def test_without_any_proxy_both_ways_to_set_one_are_named(api_without: Api, shop: WebService) -> None:
    answer = api_without.post(
        "/workflows/executeSync",
        {"workflowId": api_without.create("plain", *visit(shop))["id"], "useProxy": True},
    )
    assert answer.status_code == 400
    assert "`/organization/update`" in answer.json()["error"]
    assert "`PAGEHAND_PROXY`" in answer.json()["error"]


@pytest.fixture
def api_without(tmp_path: Path) -> Iterator[Api]:
    running = RunningService(tmp_path / "data", "--no-worker").start()
    yield running.api()
    running.stop()


@pytest.mark.slow
def test_an_organizations_proxy_in_a_closed_place_is_not_dialled(tmp_path: Path, shop: WebService) -> None:
    with running_proxy("http") as proxy:
        running = RunningService(
            tmp_path / "data", PAGEHAND_EGRESS_ALLOW=f"127.0.0.1:{shop.port}", PAGEHAND_BROWSER_POOL="0"
        ).start()
        try:
            api = running.api()
            # a name is looked up only when something is sent
            api.call("/organization/update", {"proxy": proxy.url.replace("127.0.0.1", "localhost")})
            for block in visit(shop):
                failed = api.run(block, useProxy=True)
                assert "upstream proxy" in failed["errorAnalysis"]
                assert "is not a public address" in failed["errorAnalysis"]
        finally:
            running.stop()
    assert (proxy.targets, proxy.refused, shop.requests) == ([], 0, [])
