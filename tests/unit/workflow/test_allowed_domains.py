"""The few hosts that a step may reach."""

import pytest

from pagehand.blocks import kinds
from pagehand.errors import BlockFailed, InvalidRequest
from pagehand.workflow.allowed_domains import AllowedDomains, domain_of


@pytest.mark.parametrize(
    ("entry", "host", "port", "is_covered"),
    [
        ("shop.example", "shop.example", 443, True),
        ("shop.example", "www.SHOP.example.", 80, True),
        ("shop.example", "notshop.example", 443, False),
        ("shop.example", "shop.example.evil.example", 443, False),
        ("*.cdn.net", "cdn.net", 443, True),
        (" Shop.Example. ", "shop.example", 443, True),
        ("shop.example:8443", "a.shop.example", 8443, True),
        ("shop.example:8443", "shop.example", 443, False),
        ("shop.example:*", "shop.example", 443, True),
        ("127.0.0.1:8123", "127.0.0.1", 8123, True),
        ("127.0.0.1:8123", "127.0.0.1", 8124, False),
        ("127.0.0.1", "1.127.0.0.1", 80, False),
        ("[::1]:8080", "::1", 8080, True),
        ("[::1]:8080", "0:0:0:0:0:0:0:1", 8080, True),
        ("[::1]:8080", "::1", 80, False),
        ("[::1]:8080", "::1:8080", 80, False),
        ("[2001:DB8::1]", "2001:db8::1", 443, True),
        ("2001:db8::1", "2001:db8::1", 80, True),
        ("::1", "::2", 80, False),
    ],
)
def test_an_entry_covers_what_it_says_and_no_more(entry: str, host: str, port: int, is_covered: bool) -> None:
    assert AllowedDomains([entry]).covers(host, port) is is_covered


def test_no_domains_cover_nothing() -> None:
    assert not AllowedDomains([]).covers("a.example", 443)
    assert not AllowedDomains([" "]).covers("a.example", 443)


MALFORMED = [
    ("shop.example:https", "`https` is not a port"),
    ("shop.example:0", "`0` is not a port"),
    ("shop.example:65536", "`65536` is not a port"),
    ("shop.example:", "`` is not a port"),
    ("shop.example:+80", "`+80` is not a port"),
    ("shop.example:\u0668\u0660", "is not a port"),
    ("shop.example:" + "9" * 5000, "is not a port"),
    ("shop.example:80:90", "expected a host or an address"),
    ("https://shop.example", "`//shop.example` is not a port"),
    ("shop.example/path", "expected a host or an address"),
    ("[::1", "expected a host or an address"),
    ("[::1]x:80", "expected a host or an address"),
    ("[shop.example:80", "expected a host or an address"),
    ("10.0.0.0/8", "expected a host or an address"),
    ("127.1", "expected a host or an address"),
    ("*", "expected a host or an address"),
    ("shop.*", "expected a host or an address"),
    ("a b.example", "expected a host or an address"),
    ("b\u00fccher.example", "beginning with `xn--`"),
]


@pytest.mark.parametrize(("entry", "message"), MALFORMED)
def test_a_malformed_entry_is_refused_when_the_workflow_is_saved(entry: str, message: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        kinds()["Multistep"].check({"goal": "Pay", "allowedDomains": ["shop.example", entry]}, None)
    assert "`data.allowedDomains" in refused.value.message
    assert message in refused.value.message


@pytest.mark.parametrize("entry", [entry for entry, _ in MALFORMED])
def test_a_malformed_entry_opens_nothing(entry: str) -> None:
    with pytest.raises(ValueError, match="is not a domain"):
        AllowedDomains([entry])


def test_a_template_is_checked_once_it_is_filled_in() -> None:
    kind, data = kinds()["Multistep"], {"goal": "Pay", "allowedDomains": ["{{params.host}}"]}
    kind.check(data, None)
    filled = kind.resolve_data(data, {"blocks": {}, "params": {"host": "shop.example:https"}})
    with pytest.raises(BlockFailed, match="`https` is not a port"):
        kind.parse(filled)


@pytest.mark.parametrize(
    ("url", "entry"),
    [
        ("https://shop.example/a", "shop.example"),
        ("http://ann:word@shop.example:8080/", "shop.example:8080"),
        ("http://[::1]:8080/", "[::1]:8080"),
        ("http://[::1]/", "[::1]"),
        ("//cdn.example:81", "cdn.example:81"),
        ("about:blank", None),
        ("https://shop.example),", None),
        ("http://[oops/", None),
        ("http://shop.example:99999/", None),
    ],
)
def test_the_entry_for_the_host_of_an_address(url: str, entry: str | None) -> None:
    assert domain_of(url) == entry
