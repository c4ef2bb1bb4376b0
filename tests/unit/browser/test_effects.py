"""Which requests of a page count as effects: what a control promised, on the page's own site."""

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest
from playwright.async_api import BrowserContext, CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.effects import SentRequests

PAGE = "https://app.shop.example/orders"
_ON_PAGE = SimpleNamespace(url=PAGE)
_QUERY = b'{"query": "query Orders { orders { id } }", "variables": {}}'


class RequestLog:
    """The requests of one context."""

    def __init__(self) -> None:
        self.reported: list[tuple[str, str]] = []
        self._listeners: dict[str, Any] = {}
        context = SimpleNamespace(on=self._listeners.__setitem__)
        self.requests = SentRequests(cast("BrowserContext", context), self._report)

    def _report(self, kind: str, message: str, data: Mapping[str, Any]) -> None:
        del data
        self.reported.append((kind, message))

    def send(
        self,
        url: str = PAGE,
        method: str = "POST",
        *,
        kind: str = "fetch",
        body: bytes = b"",
        page: Any = _ON_PAGE,
        redirected_from: object = None,
        frame: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        request = Request(url, method, kind, body, page, redirected_from)
        request.headers, request.frame_url = headers or {}, frame
        self._listeners["request"](request)
        return request

    def open_socket(self, url: str = "wss://app.shop.example/live") -> Callable[[str | bytes], None]:
        """A WebSocket of a tab; what is returned sends a message."""
        on_page: dict[str, Any] = {}
        on_socket: dict[str, Any] = {}
        self._listeners["page"](SimpleNamespace(on=on_page.__setitem__))
        on_page["websocket"](SimpleNamespace(url=url, on=on_socket.__setitem__))
        return on_socket["framesent"]

    def commit_navigation(self) -> None:
        self._listeners["framenavigated"](SimpleNamespace(parent_frame=None))

    def begin_shared_worker(self, context_id: str = "ours") -> None:
        on_control: dict[str, Any] = {}
        self.requests.listen(cast("CDPSession", SimpleNamespace(on=on_control.__setitem__)))
        target = {"type": "shared_worker", "targetId": "1", "browserContextId": context_id}
        on_control["Target.targetCreated"]({"targetInfo": target})

    def end(self, request: Any, failure: str = "") -> None:
        request.failure = failure or None
        self._listeners["requestfailed" if failure else "requestfinished"](request)


class Request:
    """One request, as Playwright shows it."""

    def __init__(
        self, url: str, method: str, kind: str, body: bytes, page: Any, redirected_from: object
    ) -> None:
        self.url, self.method, self.resource_type, self.post_data_buffer = url, method, kind, body
        self.redirected_from = redirected_from
        self.failure: str | None = None
        self.headers: Mapping[str, str] = {}
        self.frame_url = ""
        self._page = page

    def is_navigation_request(self) -> bool:
        return self.resource_type == "document"

    @property
    def frame(self) -> Any:
        if self._page is None:
            raise PlaywrightError("Service Worker requests do not have an associated frame.")
        return SimpleNamespace(page=self._page, url=self.frame_url or self._page.url)


def test_a_form_sent_by_post_is_an_effect_whatever_was_pressed() -> None:
    sent = RequestLog()
    sent.send(f"{PAGE}?token=secret", kind="document")
    assert sent.reported == [("effect.seen", f"`POST {PAGE}`")]


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_reading_is_not_an_effect(method: str) -> None:
    sent = RequestLog()
    sent.requests.pressed("Delete order", is_sign_in=False)
    sent.send(method=method)
    sent.send(method=method, kind="document")
    assert sent.reported == []
    assert sent.requests.sent == 2


@pytest.mark.parametrize(
    ("url", "counts"),
    [
        (PAGE, True),
        ("https://api.shop.example/v1", True),
        ("https://shop.example/", True),
        ("https://shop.example.evil.test/", False),
        ("https://metrics.example/collect", False),
    ],
)
def test_a_request_by_script_counts_where_it_goes_to_the_pages_own_site(url: str, counts: bool) -> None:
    sent = RequestLog()
    sent.requests.pressed("Send order", is_sign_in=False)
    sent.send(url)
    assert bool(sent.reported) is counts


@pytest.mark.parametrize(
    ("page", "url", "counts"),
    [
        ("https://a.shop.co.uk/", "https://b.shop.co.uk/", True),
        ("https://one.co.uk/", "https://two.co.uk/", False),
        ("http://10.0.0.1/", "http://10.0.0.2/", False),
        ("http://10.0.0.1:8080/", "http://10.0.0.1:9090/", True),
        ("http://[::1]:80/", "http://[::2]:80/", False),
    ],
)
def test_neighbours_under_one_domain_are_the_same_site_and_numbered_hosts_are_not(
    page: str, url: str, counts: bool
) -> None:
    sent = RequestLog()
    sent.requests.pressed("Save", is_sign_in=False)
    sent.send(url, page=SimpleNamespace(url=page))
    assert bool(sent.reported) is counts


def test_a_request_whose_page_nobody_knows_counts() -> None:
    sent = RequestLog()
    sent.requests.pressed("Pay", is_sign_in=False)
    sent.send("https://anywhere.example/", page=None)
    assert len(sent.reported) == 1


@pytest.mark.parametrize("control", ["Pay", "Next page", "Weiter", "→", ""])
def test_a_request_after_a_press_is_an_effect_whatever_the_control_is_called(control: str) -> None:
    sent = RequestLog()
    sent.requests.pressed(control, is_sign_in=False)
    sent.send()
    assert len(sent.reported) == 1


def test_requests_without_a_press_are_not_effects() -> None:
    sent = RequestLog()
    sent.send()
    assert sent.reported == []


@pytest.mark.parametrize(
    ("body", "counts"),
    [
        (_QUERY, False),
        (b"[%s, %s]" % (_QUERY, _QUERY), False),
        (b'{"query": "{ orders { id } }", "operationName": null}', False),
        (b'{"query": "mutation Pay { pay { id } }"}', True),
        (b'[%s, {"query": "mutation Pay { pay { id } }"}]' % _QUERY, True),
        (b'{"query": "query A { a } mutation Pay { pay }", "operationName": "Pay"}', True),
        (b'{"operationName": "Orders", "extensions": {"persistedQuery": {}}}', True),
        (b'{"query": "{ pizza }", "action": "order"}', True),
        (b'{"query": "two pizzas"}', True),
        (b"[]", True),
        (b"", True),
    ],
)
def test_graphql_without_a_mutation_reads(body: bytes, counts: bool) -> None:
    sent = RequestLog()
    sent.requests.pressed("Save", is_sign_in=False)
    sent.send(body=body)
    assert bool(sent.reported) is counts


@pytest.mark.parametrize(
    ("control", "body", "counts"),
    [
        ("Next", b'{"q": "b"}', False),
        ("Save", b'{"q": "b"}', True),
        ("Next", b'{"method": "order"}', True),
        ("Next", b'[{"jsonrpc": "2.0", "method": "order"}]', True),
        ("Next", b"action=order", True),
    ],
)
def test_what_the_page_also_sends_without_a_press_reads(control: str, body: bytes, counts: bool) -> None:
    sent = RequestLog()
    sent.send(body=b'{"q": "a"}')
    sent.requests.pressed(control, is_sign_in=False)
    sent.send(body=body)
    assert bool(sent.reported) is counts


@pytest.mark.parametrize(
    ("path", "kind", "counts"),
    [
        ("/api/v2/rum", "fetch", False),
        ("/telemetry/", "ping", False),
        ("/x", "cspviolationreport", False),
        ("/payments/collect", "fetch", True),
        ("/analytics/reports", "fetch", True),
        ("/events", "ping", True),
    ],
)
def test_telemetry_is_told_by_its_shape(path: str, kind: str, counts: bool) -> None:
    sent = RequestLog()
    sent.requests.pressed("Next", is_sign_in=False)
    sent.send(f"https://app.shop.example{path}", kind=kind)
    assert bool(sent.reported) is counts


def test_frames_of_others_and_applications_with_an_api_elsewhere_have_effects_too() -> None:
    sent = RequestLog()
    sent.requests.pressed("Continue", is_sign_in=False)
    sent.send("https://pay.example/charge", frame="https://pay.example/card")
    sent.send("https://backend.example/orders", headers={"authorization": "Bearer x"})
    sent.send("https://backend.example/orders", frame="about:blank")
    assert len(sent.reported) == 3


@pytest.mark.parametrize(
    ("message", "counts"),
    [
        ("order 2", True),
        (b"\x01order", True),
        ("tick 7", False),
        ('{"type": "ping"}', False),
        ("pong", False),
    ],
)
def test_a_message_of_a_websocket_after_a_press_is_an_effect(message: str | bytes, counts: bool) -> None:
    sent = RequestLog()
    send = sent.open_socket()
    send("tick 1")
    assert sent.reported == []
    sent.requests.pressed("→", is_sign_in=False)
    send(message)
    send(message)
    expected = [("effect.seen", "`WebSocket wss://app.shop.example/live` by `→`")]
    assert sent.reported == (expected if counts else [])


def test_whatever_leaves_after_a_press_counts_while_there_is_a_shared_worker() -> None:
    sent = RequestLog()
    sent.requests.context_id = "ours"
    sent.begin_shared_worker("another")
    sent.requests.pressed("Next", is_sign_in=False)
    sent.requests.before_send()
    assert sent.reported == []
    sent.requests.pressed("Next", is_sign_in=False)
    sent.begin_shared_worker()
    assert sent.reported == []
    sent.requests.before_send()
    assert sent.reported == [("effect.seen", "something that a shared worker may have sent")]


def test_a_shared_worker_that_a_press_starts_may_have_sent_what_left_before_it_was_announced() -> None:
    sent = RequestLog()
    sent.requests.pressed("Next", is_sign_in=False)
    sent.requests.before_send()
    sent.begin_shared_worker()
    assert sent.reported == [("effect.seen", "something that a shared worker may have sent")]


def test_what_leaves_is_recorded_first_after_a_press_only() -> None:
    sent = RequestLog()
    recorded: list[str] = []
    sent.requests.record = lambda: recorded.append("recorded")
    sent.requests.before_send()
    assert recorded == []
    sent.requests.pressed("Next", is_sign_in=False)
    sent.requests.before_send()
    sent.requests.pressed("Log in", is_sign_in=True)
    sent.requests.before_send()
    assert recorded == ["recorded"]


def test_signing_in_is_not_an_effect_until_something_else_is_pressed() -> None:
    sent = RequestLog()
    sent.requests.pressed("Submit", is_sign_in=True)
    sent.send()
    sent.send(kind="document")
    assert sent.reported == []
    sent.requests.pressed("Submit", is_sign_in=False)
    sent.send()
    assert sent.reported == [("effect.seen", f"`POST {PAGE}` by `Submit`")]


@pytest.mark.parametrize("field", ["SAMLResponse", "SAMLRequest", "id_token", "wresult"])
def test_what_identity_providers_have_the_browser_carry_is_not_an_effect(field: str) -> None:
    sent = RequestLog()
    sent.send("https://app.example/acs", kind="document", body=f"x=1&{field}=abc".encode())
    assert sent.reported == []


def test_after_a_navigation_the_control_pressed_before_sets_off_nothing() -> None:
    sent = RequestLog()
    sent.requests.pressed("Send", is_sign_in=False)
    sent.requests.leaving(cast("Page", _ON_PAGE))
    sent.send()  # of the page that is being left
    assert len(sent.reported) == 1
    sent.commit_navigation()
    sent.send()
    assert len(sent.reported) == 1


def test_a_page_that_was_pressed_goes_on_while_another_tab_is_opened() -> None:
    sent = RequestLog()
    sent.requests.pressed("Send", is_sign_in=False, page=cast("Page", _ON_PAGE))
    sent.requests.leaving(cast("Page", SimpleNamespace(url="about:blank")))
    sent.commit_navigation()
    sent.send()
    assert len(sent.reported) == 1


def test_a_redirect_is_not_a_second_effect() -> None:
    sent = RequestLog()
    first = sent.send(kind="document")
    sent.send(f"{PAGE}/done", kind="document", redirected_from=first)
    assert len(sent.reported) == 1


@pytest.mark.parametrize(
    ("failure", "never_left"),
    [
        ("net::ERR_CONNECTION_REFUSED", True),
        ("net::ERR_NAME_NOT_RESOLVED", True),
        ("net::ERR_TUNNEL_CONNECTION_FAILED", True),
        ("net::ERR_CONNECTION_RESET", False),
        ("net::ERR_ABORTED", False),
        ("net::ERR_EMPTY_RESPONSE", False),
    ],
)
def test_only_a_request_that_surely_never_left_is_taken_back(failure: str, never_left: bool) -> None:
    sent = RequestLog()
    sent.end(sent.send(kind="document"), failure)
    assert [kind for kind, _ in sent.reported] == ["effect.seen", *(["effect.unsent"] if never_left else [])]


def test_a_request_that_failed_after_it_was_answered_stays_an_effect() -> None:
    sent = RequestLog()
    request = sent.send(kind="document")
    sent.end(request)
    sent.end(request, "net::ERR_CONNECTION_REFUSED")
    assert [kind for kind, _ in sent.reported] == ["effect.seen"]
