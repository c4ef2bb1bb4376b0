"""Codes and links in mails as sites send them."""

import pytest

from pagehand.logins.profile import LoginSite
from pagehand.logins.second_factor.mail_message import MailMessage, find_code, find_link, parse_mail


def message(text: str, subject: str = "", html: bool = False) -> MailMessage:
    kind = "html" if html else "plain"
    raw = f"From: Bank <No-Reply@mail.bank.test>\nTo: Ada@x.test\nSubject: {subject}\n"
    return parse_mail(f"{raw}Content-Type: text/{kind}; charset=utf-8\n\n{text}".encode(), 5.0)


@pytest.mark.parametrize(
    ("text", "subject", "code"),
    [
        ("Your verification code is 482913. It is valid for 10 minutes.", "", "482913"),
        ("482913 is your Example code", "", "482913"),
        ("Use this code:\n\n  739 104\n\nOrder 20241130, phone 555 0199", "", "739104"),
        ("Enter it soon.", "123-456 is your login code", "123456"),
        ("Your security code: G-902211", "", "902211"),
        ("Einmalcode: 55102", "", "55102"),
        ("One-time passcode K7P2M9", "", "K7P2M9"),
        ("© 2024 Bank. Your code is 4711. Call 0800 123456 for help.", "", "4711"),
        ("Visit https://bank.test/code/998877 to read more about your account", "", None),
        ("Hello, nothing in here but 12 apples", "", None),
        ("Your invoice total is 1,234.56 as of 2024", "", None),
    ],
)
def test_the_code_is_found_among_other_numbers(text: str, subject: str, code: str | None) -> None:
    assert find_code(message(text, subject)) == code


def test_a_code_in_html_is_found_and_colours_are_not() -> None:
    text = "<style>p{color:#123456}</style><p>Your code</p><h1>806 114</h1><a href='https://x/'>654321</a>"
    assert find_code(message(text, html=True)) == "806114"


def test_the_sign_in_link_is_one_of_the_own_site() -> None:
    text = (
        "<a href='https://evil.test/login?token=1'>in</a><a href='https://bank.test/unsubscribe'>no</a>"
        "<a href='https://bank.test/'>home</a><a href='https://bank.test/magic?t=abc'>Sign in</a>"
    )
    foreign, own = "https://evil.test/login?token=1", "https://bank.test/magic?t=abc"
    letter = message(text, html=True)
    assert find_link(letter, LoginSite("https://bank.test/login")) == (own, [foreign])
    assert find_link(letter, LoginSite("https://other.test/")) == (None, [foreign, own])


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        ("", True),
        ("bank.test", True),
        ("@mail.bank.test", True),
        ("no-reply@mail.bank.test", True),
        ("ank.test", False),
        ("other@mail.bank.test", False),
    ],
)
def test_the_sender_is_an_address_or_a_domain(wanted: str, fits: bool) -> None:
    assert message("x").is_from(wanted) is fits


def test_letters_know_whom_they_are_for() -> None:
    assert message("x").is_to("ada@X.test")
    assert not message("x").is_to("bob@x.test")
