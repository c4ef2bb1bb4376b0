import pytest

from pagehand.logins.profile import LoginSite

BANK = LoginSite("https://www.bank.example/in", "https://app.bank.example:8443/")
PLAIN = LoginSite("http://shop.example/", "http://127.0.0.1:9000/in", "https://www.com/")


@pytest.mark.parametrize(
    "url",
    [
        "https://www.bank.example/a?b#c",
        "https://WWW.bank.example:443/",
        "https://app.bank.example:8443/x",
    ],
)
def test_the_origins_that_it_names_belong_to_it(url: str) -> None:
    assert BANK.includes(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://www.bank.example/",
        "https://www.bank.example:444/",
        "https://bank.example/",
        "https://login.bank.example/in",
        "https://x.www.bank.example/",
        "https://app.bank.example/",
        "https://www.bank.example:8443/",
        "https://www.bank.example.:443/",
        "https://evilbank.example/",
        "https://bank.example.evil.test/",
        "https://example/",
        "https://other.example/",
        "https://www.bank.example@evil.test/",
        "about:blank",
        "data:text/html,<input type=password>",
        "file:///in",
        "https://",
        "",
    ],
)
def test_everything_else_is_strange(url: str) -> None:
    assert not BANK.includes(url)


@pytest.mark.parametrize(
    ("url", "belongs"),
    [
        ("https://shop.example/", True),
        ("https://shop.example:8443/", False),
        ("http://127.0.0.1:9000/other", True),
        ("http://127.0.0.1:9001/in", False),
        ("https://other.com/", False),
    ],
)
def test_https_may_take_the_place_of_http_but_a_port_is_a_port(url: str, belongs: bool) -> None:
    assert PLAIN.includes(url) is belongs
