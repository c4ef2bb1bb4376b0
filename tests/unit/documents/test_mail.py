"""A mail message reads as its headers, its text, its tables and a list of what was attached."""

from email.message import EmailMessage

import pytest

from pagehand.documents import mail
from pagehand.errors import BlockFailed
from support.documents import done, pages_of, tables_of

ORDER = "<p>Your order</p><table><tr><td>Oil<td>4.50</table>"


def letter(text: str | None = "Hello", html: str | None = None, **headers: str) -> EmailMessage:
    message = EmailMessage()
    for name, value in ({"From": "a@shop.test", "Subject": "Order A-17"} | headers).items():
        message[name] = value
    if text is not None:
        message.set_content(text)
    if html is not None:
        (message.set_content if text is None else message.add_alternative)(html, subtype="html")
    return message


def test_headers_and_text_are_lines() -> None:
    content = letter("Total:   12.50", To="b@c.test", Cc="d@e.test").as_bytes()
    page = pages_of(mail.read, content, lines=True)[0]
    assert page["text"].splitlines() == [
        "From: a@shop.test",
        "To: b@c.test",
        "Cc: d@e.test",
        "Subject: Order A-17",
        "",
        "Total:   12.50",
    ]
    assert ["Total:", "12.50"] in page["lines"]
    assert ["Subject", "Order A-17"] in page["lines"]


def test_headers_are_known_by_their_names_too() -> None:
    document, _ = done(
        mail.read, letter(Subject="Grüße 你好", Date="Tue, 3 Mar 2026 10:00:00 +0100").as_bytes()
    )
    assert document["title"] == document["more"]["subject"] == "Grüße 你好"
    assert document["more"]["date"] == "Tue, 03 Mar 2026 10:00:00 +0100"


def test_tables_come_from_the_html_and_the_text_from_the_plain_part() -> None:
    content = letter("Plain words", ORDER).as_bytes()
    assert tables_of(mail.read, content) == [[["Oil", "4.50"]]]
    assert pages_of(mail.read, content)[0]["text"].endswith("\n\nPlain words")


def test_a_message_of_html_alone_has_the_text_that_is_shown() -> None:
    content = letter(None, ORDER + "<script>no()</script>").as_bytes()
    assert pages_of(mail.read, content)[0]["text"].endswith("\n\nYour order\nOil\t4.50")


def test_tables_inside_the_layout_of_a_newsletter_are_found() -> None:
    content = letter(None, f"<table><tr><td>{ORDER}</table>").as_bytes()
    assert tables_of(mail.read, content) == [[["Oil", "4.50"]]]


def test_attachments_are_listed_with_name_type_and_size() -> None:
    message = letter()
    message.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="Rechnung März.pdf")
    message.add_attachment(b"12345", maintype="application", subtype="octet-stream")
    document, _ = done(mail.read, message.as_bytes())
    assert document["more"]["attachments"] == [
        {"name": "Rechnung März.pdf", "mimeType": "application/pdf", "sizeBytes": 8},
        {"name": "attachment-2", "mimeType": "application/octet-stream", "sizeBytes": 5},
    ]


def test_a_forwarded_message_is_an_attachment() -> None:
    message = letter()
    message.add_attachment(letter("inner", Subject="Inner"))
    (attachment,) = done(mail.read, message.as_bytes())[0]["more"]["attachments"]
    assert attachment["mimeType"] == "message/rfc822"
    assert attachment["sizeBytes"] > 0


def test_an_encoding_that_does_not_exist_is_survived() -> None:
    raw = b"From: a@b.test\nContent-Type: text/plain; charset=no-such\n\nCaf\xc3\xa9"
    assert pages_of(mail.read, raw)[0]["text"].endswith("Café")


@pytest.mark.parametrize("content", [b"", b"just text", b"X-Other: 1\n\nbody", b"\x00\xff\xfe"])
def test_what_is_not_a_message_is_refused(content: bytes) -> None:
    with pytest.raises(BlockFailed, match="not a mail message: it has no `From`, `To` or `Subject`"):
        done(mail.read, content)


def test_a_message_without_a_body_has_its_headers() -> None:
    assert pages_of(mail.read, b"From: a@b.test\n\n")[0]["text"].strip() == "From: a@b.test"
