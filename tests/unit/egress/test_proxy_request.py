"""Heads of requests as browsers send them to the egress proxy, and as attackers might."""

import base64

import pytest

from pagehand.egress.proxy.request import BadRequest, parse_request

HOST = b"\r\nHost: other.test"
GET = b"GET http://portal.test/a?b=1 HTTP/1.1" + HOST


def test_the_origin_gets_a_path_and_its_own_host() -> None:
    request = parse_request(GET + b"\r\nAccept: */*")
    assert (request.host, request.port, request.is_connect) == ("portal.test", 80, False)
    assert request.head == b"GET /a?b=1 HTTP/1.1\r\nHost: portal.test\r\nAccept: */*\r\n\r\n"


def test_what_is_for_the_proxy_stays_here() -> None:
    token = base64.b64encode(b"exec_1:secret")
    request = parse_request(
        GET + b"\r\nProxy-Authorization: Basic " + token + b"\r\nPROXY-CONNECTION: keep-alive"
    )
    assert request.credential == "exec_1:secret"
    assert b"roxy" not in request.head.replace(b"PROXY", b"proxy")


@pytest.mark.parametrize("value", [b"Bearer abc", b"Basic !!!", b"Basic"])
def test_another_or_a_broken_credential_is_none(value: bytes) -> None:
    assert not parse_request(GET + b"\r\nProxy-Authorization: " + value).credential


def test_a_tunnel_has_a_host_and_a_port() -> None:
    request = parse_request(b"CONNECT [::1]:8443 HTTP/1.1" + HOST)
    assert (request.is_connect, request.host, request.port, request.head) == (True, "::1", 8443, b"")


@pytest.mark.parametrize(
    ("target", "line"),
    [
        (b"http://a.test", b"GET / HTTP/1.1"),
        (b"http://a.test?x=1", b"GET /?x=1 HTTP/1.1"),
        (b"http://a.test/x#part", b"GET /x HTTP/1.1"),
        (b"HTTP://user:word@a.test:8080/", b"GET / HTTP/1.1"),
    ],
)
def test_the_path_of_an_address(target: bytes, line: bytes) -> None:
    request = parse_request(b"GET " + target + b" HTTP/1.1" + HOST)
    assert request.host == "a.test"
    assert request.head.split(b"\r\n")[0] == line


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"GET http://a.test/",
        b"GET http://a.test/ HTTP/2" + HOST,
        b"GET /path HTTP/1.1" + HOST,
        b"GET https://a.test/ HTTP/1.1" + HOST,
        b"CONNECT a.test HTTP/1.1" + HOST,
        b"CONNECT a.test:port HTTP/1.1" + HOST,
        b"CONNECT a.test:99999 HTTP/1.1" + HOST,
        b"CONNECT :443 HTTP/1.1" + HOST,
        b"GET http://\xff.test/ HTTP/1.1" + HOST,
        b"GET http://a<b.test/ HTTP/1.1" + HOST,
        GET + HOST,
        GET.removesuffix(HOST),
        GET + b"\r\nno colon",
        GET + b"\r\n: no name",
        GET + b"\r\n folded: line",
        GET + b"\r\nName : space",
    ],
)
def test_what_a_proxy_cannot_serve_is_refused(head: bytes) -> None:
    with pytest.raises(BadRequest):
        parse_request(head)


@pytest.mark.parametrize(
    "headers",
    [
        b"Content-Length: 5\r\nContent-Length: 6",
        b"Content-Length: 5\r\nTransfer-Encoding: chunked",
        b"Content-Length: -1",
        b"Content-Length: +5",
        b"Content-Length: 5, 5",
        b"Content-Length: " + b"9" * 5000,
    ],
)
def test_a_body_whose_end_is_unclear_is_refused(headers: bytes) -> None:
    with pytest.raises(BadRequest, match="length of the body"):
        parse_request(GET + b"\r\n" + headers)


def test_a_body_is_counted_or_chunked() -> None:
    assert parse_request(GET + b"\r\nContent-Length: 5\r\ncontent-length: 5").body_bytes == 5
    assert not parse_request(GET + b"\r\nContent-Length: 5").is_chunked
    assert parse_request(GET + b"\r\nTransfer-Encoding: Chunked").is_chunked
    assert parse_request(GET + b"\r\nUpgrade: websocket").is_upgrade
