"""The few hosts that a step may reach."""

import pytest

from pagehand.egress.temporary_reach import Reach


@pytest.mark.parametrize(
    ("host", "port", "covered"),
    [
        ("shop.example", 443, True),
        ("www.SHOP.example.", 80, True),
        ("notshop.example", 443, False),
        ("shop.example.evil.example", 443, False),
        ("127.0.0.1", 8123, True),
        ("127.0.0.1", 8124, False),
        ("cdn.net", 443, True),
    ],
)
def test_a_domain_covers_itself_and_what_is_below_it(host: str, port: int, covered: bool) -> None:
    assert Reach(["shop.example", "127.0.0.1:8123", "*.cdn.net"]).covers(host, port) is covered


def test_no_domains_cover_nothing() -> None:
    assert not Reach([]).covers("a.example", 443)
