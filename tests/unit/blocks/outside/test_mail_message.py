"""A mail is put together from addresses that are exactly one, a text, and files of any type."""

from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, default

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagehand.blocks.outside.send_email import attach, is_html, read_address, write_message
from pagehand.errors import BlockFailed

ANN = Address("Ann", "ann", "a.example")


def letter(subject: str = "Hello", body: str = "Words") -> EmailMessage:
    return write_message(sender=ANN, to=[ANN], cc=[], reply_to=[], subject=subject, body=body)


def sent(message: EmailMessage) -> EmailMessage:
    """The message as whoever gets it reads it."""
    return message_from_bytes(message.as_bytes(), policy=default)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("ann@a.example", "ann@a.example"),
        (" ann@a.example ", "ann@a.example"),
        ("<ann@a.example>", "ann@a.example"),
        ("Ann <ann@a.example>", "Ann <ann@a.example>"),
        ('"Lovelace, Ada" <ada@a.example>', '"Lovelace, Ada" <ada@a.example>'),
        ("日本 <ann@a.example>", "日本 <ann@a.example>"),
        ("ann@müller.example", "ann@xn--mller-kva.example"),
        ("ann+tag@a.example", "ann+tag@a.example"),
        ("ann@localhost", "ann@localhost"),
    ],
)
def test_one_address_is_read_with_its_name(text: str, address: str) -> None:
    assert str(read_address(text, "toAddresses")) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "<>",
        "Ann",
        "ann@",
        "@a.example",
        "a@b@c",
        "a@b.example,c@d.example",
        "a@b.example;c@d.example",
        "Ann ann@a.example",
        "Ann <ann@a.example",
        "Ann <a@b.example> <c@d.example>",
        "a b@c.example",
        "x" * 600 + "@a.example",
    ],
)
def test_what_is_not_one_address_is_refused_with_its_field(text: str) -> None:
    with pytest.raises(BlockFailed, match=r"^`data\.toAddresses`: `.*` is not a mail address"):
        read_address(text, "toAddresses")


@pytest.mark.parametrize(
    "text", ["a@b.example\nBcc: c@d.example", "Ann\r\n <a@b.example>", "a@b\x00.example"]
)
def test_line_breaks_cannot_begin_another_header(text: str) -> None:
    with pytest.raises(BlockFailed, match="cannot hold line breaks"):
        read_address(text, "replyTo")
    with pytest.raises(BlockFailed, match=r"`data\.subject` cannot hold line breaks"):
        letter(text)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=30) | st.from_regex(r"\A[\w ]{0,5}<?[\w.]{0,5}@?[\w.-]{0,8}>?\Z"))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    try:
        address = read_address(text, "toAddresses")
    except BlockFailed:
        return
    assert "@" in address.addr_spec


def test_a_plain_text_goes_out_alone_and_html_beside_its_text() -> None:
    plain, marked = sent(letter(body="2 < 3 and a<b")), sent(letter(body="<p>Dear Ada,</p><p>5 &euro;</p>"))
    assert plain.get_content_type() == "text/plain"
    assert marked.get_content_type() == "multipart/alternative"
    body = marked.get_body(("plain",))
    assert body is not None
    assert body.get_content().split() == ["Dear", "Ada,", "5", "€"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>x", True),
        ("a<BR>b", True),
        ("<!DOCTYPE html>", True),
        ("a < b > c", False),
        ("if a<b then", False),
        ("x<b", False),
        ('<a href="x">', True),
        ("<br/>", True),
        ("<name>", False),
        ("", False),
    ],
)
def test_markup_is_recognized_by_its_elements(body: str, expected: bool) -> None:
    assert is_html(body) is expected


def test_letters_of_all_scripts_arrive() -> None:
    message = sent(letter("Grüße 你好 😀", "שלום é"))
    assert message["Subject"] == "Grüße 你好 😀"
    assert message.get_content().strip() == "שלום é"


def test_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    message = sent(letter("a\ud800b", "c\udfffd"))
    assert (message["Subject"], message.get_content().strip()) == ("a?b", "c?d")


@pytest.mark.parametrize(
    ("given_type", "mime_type"),
    [
        ("application/pdf", "application/pdf"),
        ("text/csv; charset=utf-8", "text/csv"),
        ("image/svg+xml", "image/svg+xml"),
        ("", "application/octet-stream"),
        ("nonsense", "application/octet-stream"),
        ("multipart/mixed", "application/octet-stream"),
        ("text/pl\r\nBcc: x@y.example", "application/octet-stream"),
        ("a/b/c", "application/octet-stream"),
        ("application/é", "application/octet-stream"),
    ],
)
def test_a_file_is_attached_whatever_its_type_says(given_type: str, mime_type: str) -> None:
    message = EmailMessage(policy=SMTP)
    message.set_content("x")
    attach(message, "Rechnung\r\nMärz.pdf", given_type, b"bytes\x00\xff")
    (attachment,) = sent(message).iter_attachments()
    assert attachment.get_content_type() == mime_type
    assert attachment.get_filename() == "Rechnung__März.pdf"
    assert attachment.get_payload(decode=True) == b"bytes\x00\xff"
