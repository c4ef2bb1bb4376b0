import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.secrets.redactor import Redactor
from pagehand.secrets.vault import Secret

PASSWORD = 'p/ä+"w&d =\\x'


def test_a_secret_becomes_stars_wherever_it_stands() -> None:
    assert Redactor(["hunter22"]).text("hunter22 and xhunter22x") == "*** and x***x"


@pytest.mark.parametrize(
    "shown",
    [
        PASSWORD,
        json.dumps(PASSWORD),
        json.dumps(PASSWORD, ensure_ascii=False),
        quote(PASSWORD),
        quote(PASSWORD, safe=""),
        quote(PASSWORD, safe="").lower(),
        quote_plus(PASSWORD),
        html.escape(PASSWORD),
        PASSWORD.encode().hex(),
        PASSWORD.encode().hex().upper(),
        base64.b64encode(PASSWORD.encode()).decode(),
    ],
)
def test_encoded_forms_are_found_too(shown: str) -> None:
    redacted = Redactor([PASSWORD]).text(f"before {shown} after")
    assert redacted.startswith("before ")
    assert redacted.endswith(" after")
    assert "***" in redacted
    assert shown not in redacted


@pytest.mark.parametrize(
    "shown",
    [
        # as Node and Chromium write the secret below into addresses, and servers into pages
        "p%40s's%20%22w%3Co%3Er%26d!(1)*~%20%2F%2B%C3%A9%3B%7Bx%7D",
        "p@s's%20%22w%3Co%3Er&d!(1)*~%20/+%C3%A9;%7Bx%7D",
        "p%40s%27s+%22w%3Co%3Er%26d%21%281%29*%7E+%2F%2B%C3%A9%3B%7Bx%7D",
        "p@s%27s%20%22w%3Co%3Er&d!(1)*~%20/+%C3%A9;{x}",
        "p@s's%20%22w%3Co%3Er&d!(1)*~%20/+%C3%A9;{x}",
        "p%40s's%20%22w%3Co%3Er&d!(1)*~%20%2F+%C3%A9%3B%7Bx%7D",
        "p@s's &quot;w<o>r&amp;d!(1)*~ /+é;{x}",
        "p@s's &quot;w&lt;o&gt;r&amp;d!(1)*~ /+é;{x}",
        "p@s&#39;s &#34;w&lt;o&gt;r&amp;d!(1)*~ /+é;{x}",
        "p@s&#039;s &quot;w&lt;o&gt;r&amp;d!(1)*~ /+é;{x}",
        r"p@s's \"w\u003co\u003er\u0026d!(1)*~ /+é;{x}",
        r"p@s\u0027s \"w\u003Co\u003Er\u0026d!(1)*~ /+é;{x}",
    ],
)
def test_forms_that_browsers_and_servers_write_are_found(shown: str) -> None:
    redactor = Redactor(["p@s's \"w<o>r&d!(1)*~ /+é;{x}"])
    assert redactor.text(f"password={shown}&next=1") == "password=***&next=1"
    assert redactor.value({"url": f"https://a.example/?{shown}"}) == {"url": "https://a.example/?***"}


@given(before=st.binary(max_size=7), secret=st.text(min_size=4, max_size=20), after=st.binary(max_size=7))
def test_no_secret_survives_inside_longer_base64(before: bytes, secret: str, after: bytes) -> None:
    shown = base64.b64encode(before + secret.encode() + after).decode()
    redacted = Redactor([secret]).text(shown)
    assert "***" in redacted
    assert redacted != shown


def test_basic_authentication_is_found() -> None:
    header = base64.b64encode(b"ada:hunter22").decode()
    # what is left says `ada:` and nothing of the password
    assert Redactor(["hunter22"]).text(f"Authorization: Basic {header}") == "Authorization: Basic YWRhOm***"


def test_overlapping_secrets_leave_no_tail() -> None:
    assert Redactor(["abcdef", "defghi"]).text("-abcdefghi-") == "-***-"


def test_a_secret_within_another_does_not_shield_it() -> None:
    assert Redactor(["pass", "password123"]).text("password123") == "***"


def test_short_secrets_are_taken_out_where_they_stand_alone() -> None:
    redactor = Redactor(["abc", "7", "", " "])
    assert redactor.text("abcdefg") == "abcdefg"
    assert redactor.text("the code `abc`, 7 of 77") == "the code `***`, 7 of 77"
    assert redactor.text(" abc ") == "***"
    assert redactor.value({"cvv": "7", "n": 7, "abc": [77, "abc"]}) == {
        "cvv": "***",
        "n": "***",
        "***": [77, "***"],
    }
    assert Redactor([".*"]).text("a.* (.*) b") == "a.* (***) b"


def test_short_and_long_secrets_are_taken_out_together() -> None:
    assert Redactor(["hunter22", "abc"]).text("abc hunter22 abcd") == "*** *** abcd"


def test_without_secrets_nothing_changes() -> None:
    assert Redactor().text("as it is") == "as it is"


def test_data_is_cleaned_at_any_depth_and_the_original_stays() -> None:
    data = {"hunter22": [{"a": "x hunter22", "b": 1, "c": None, "d": True}, ("hunter22",)]}
    assert Redactor(["hunter22"]).value(data) == {
        "***": [{"a": "x ***", "b": 1, "c": None, "d": True}, ["***"]]
    }
    assert "hunter22" in data


def test_a_number_that_is_the_secret_is_taken_out() -> None:
    assert Redactor(["471100"]).value({"pin": 471100, "other": 4711001}) == {"pin": "***", "other": 4711001}


def test_secrets_can_be_added_later() -> None:
    redactor = Redactor([Secret("hunter22")])
    redactor.add("correcthorse")
    assert redactor.text("hunter22 correcthorse") == "*** ***"


def test_half_a_surrogate_pair_in_a_page_is_not_a_crash() -> None:
    assert Redactor(["hunter22"]).text("\ud83d hunter22") == "? ***"


def test_places_are_counted_in_characters_not_bytes() -> None:
    assert Redactor(["hunter22"]).text("äöü€🙂 hunter22 ß") == "äöü€🙂 *** ß"
