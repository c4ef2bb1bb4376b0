"""The Send Email block against real SMTP servers on loopback: plain, STARTTLS, TLS, with a sign-in."""

import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import SecretStr

from pagehand.blocks.outside.send_email import EXAMPLES, SendEmail, as_plain_text, is_html
from pagehand.egress.smtp import MailServer
from pagehand.errors import BlockFailed, InvalidRequest, SiteDown, TimedOut, Unanswered
from pagehand.settings import Settings
from pagehand.testing import Harness, RunResult
from support.certificates import make_certificate, server_side, trusting
from support.mail_server import Inbox, broken_mail_server, mail_server

pytestmark = pytest.mark.anyio

Json = dict[str, Any]
Security = Literal["none", "starttls", "tls"]


def settings(inbox: Inbox, security: Security = "none", **more: Any) -> Settings:
    given: Json = {
        "smtp_host": "127.0.0.1",
        "smtp_port": inbox.port,
        "smtp_from": "Pagehand <robot@pagehand.test>",
        "smtp_security": security,
        **more,
    }
    return Settings(**given)


@pytest.fixture
async def inbox() -> AsyncIterator[Inbox]:
    async with mail_server() as inbox:
        yield inbox


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return make_certificate(tmp_path, "127.0.0.1")


class Sender:
    """Runs Send Email blocks one at a time."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.run: RunResult | None = None

    async def send(self, server: MailServer, data: Json, *before: Json, **more: Any) -> Json:
        definition: Json = {
            "type": "SendEmail",
            "blockReferenceId": "mail",
            "data": {"toAddresses": ["ann@a.example"], "subject": "Hello", "body": "Dear Ann", **data},
        }
        self.harness.seams.mail = server
        self.run = await self.harness.run(*before, definition, **more)
        return self.run.outputs["mail"]


@pytest.fixture
def sender(harness: Harness) -> Sender:
    return Sender(harness)


@pytest.mark.parametrize("example", EXAMPLES)
async def test_examples_are_sent(inbox: Inbox, sender: Sender, example: Json) -> None:
    output = await sender.send(
        MailServer(settings(inbox)), example["data"], params={"email": "bo@b.example", "order": "A-17"}
    )
    [message] = inbox.messages
    assert message["Subject"] == "Your order A-17"
    assert message["To"] == "bo@b.example"
    assert message["Cc"] == "Accounting <accounting@example.com>"
    assert output == {"messageId": message["Message-ID"]}


async def test_recipients_of_blind_copies_are_in_the_envelope_and_nowhere_else(
    inbox: Inbox, sender: Sender
) -> None:
    data = {
        "toAddresses": 'Ann <ann@a.example>, "Bo, Mr" <bo@b.example>',
        "ccAddresses": ["cy@c.example"],
        "bccAddresses": ["di@d.example", "ann@a.example"],
        "replyTo": ["answers@a.example"],
    }
    await sender.send(MailServer(settings(inbox)), data)
    [envelope], [message] = inbox.envelopes, inbox.messages
    assert envelope.rcpt_tos == ["ann@a.example", "bo@b.example", "cy@c.example", "di@d.example"]
    assert message["To"] == 'Ann <ann@a.example>, "Bo, Mr" <bo@b.example>'
    assert message["Reply-To"] == "answers@a.example"
    assert message["From"] == "Pagehand <robot@pagehand.test>"
    assert "di@d.example" not in str(message)
    assert message["Bcc"] is None


async def test_html_goes_out_with_a_plain_text_beside_it(inbox: Inbox, sender: Sender) -> None:
    body = "<html><head><style>p {}</style></head><body><p>Grüße &amp; Küsse</p><p>Bo</p></body></html>"
    await sender.send(MailServer(settings(inbox)), {"body": body})
    [message] = inbox.messages
    text, markup = message.get_body(("plain",)), message.get_body(("html",))
    assert text is not None
    assert markup is not None
    assert text.get_content().split() == ["Grüße", "&", "Küsse", "Bo"]
    assert markup.get_content().strip() == body


async def test_text_goes_out_as_text_alone(inbox: Inbox, sender: Sender) -> None:
    await sender.send(MailServer(settings(inbox)), {"body": "1 < 2 and 3 > 2\n.\nend", "subject": "Süß 🎉"})
    [message] = inbox.messages
    assert message.get_content_type() == "text/plain"
    assert message.get_content().splitlines() == ["1 < 2 and 3 > 2", ".", "end"]
    assert message["Subject"] == "Süß 🎉"


async def test_files_are_attached_in_every_form(inbox: Inbox, sender: Sender) -> None:
    table: Json = {
        "type": "ParseToCsv",
        "blockReferenceId": "table",
        "data": {"input": [{"a": 1}], "fileName": "täble.csv"},
    }
    attachments = ["{{blocks.table}}", "{{blocks.table.id}}", ["{{blocks.table}}"], None]
    await sender.send(MailServer(settings(inbox)), {"attachments": attachments}, table)
    [message] = inbox.messages
    files = list(message.iter_attachments())
    assert [file.get_filename() for file in files] == ["täble.csv"] * 3
    assert {file.get_content() for file in files} == {"a\r\n1\r\n"}
    await sender.send(MailServer(settings(inbox)), {"attachments": "{{blocks.table}}"}, table)
    assert len(list(inbox.messages[1].iter_attachments())) == 1


async def test_a_file_that_is_not_there_fails_before_anything_is_sent(inbox: Inbox, sender: Sender) -> None:
    with pytest.raises(BlockFailed, match="There is no file `file_x`"):
        await sender.send(MailServer(settings(inbox)), {"attachments": ["file_x"]})
    assert inbox.envelopes == []


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_mail_goes_over_tls_after_signing_in(
    sender: Sender, certificate: Path, security: Security
) -> None:
    async with mail_server(security, server_side(certificate), asks_to_sign_in=True) as inbox:
        server = MailServer(
            settings(inbox, security, smtp_username="robot", smtp_password=SecretStr("correct horse")),
            trusting(certificate),
        )
        await sender.send(server, {})
        assert inbox.was_private == [True]
        assert inbox.signed_in == ["robot"]


async def test_a_wrong_password_names_the_settings(sender: Sender, certificate: Path) -> None:
    async with mail_server("starttls", server_side(certificate), asks_to_sign_in=True) as inbox:
        server = MailServer(
            settings(inbox, "starttls", smtp_username="robot", smtp_password=SecretStr("wrong")),
            trusting(certificate),
        )
        with pytest.raises(BlockFailed, match="`PAGEHAND_SMTP_PASSWORD`") as failure:
            await sender.send(server, {})
        assert "wrong" not in failure.value.message


async def test_a_certificate_nobody_trusts_stops_the_mail(sender: Sender, certificate: Path) -> None:
    async with mail_server("tls", server_side(certificate)) as inbox:
        strangers = MailServer(settings(inbox, "tls"), ssl.create_default_context())
        with pytest.raises((SiteDown, BlockFailed), match=r"(?i)certificate"):
            await sender.send(strangers, {})
        assert inbox.envelopes == []


async def test_a_server_without_starttls_is_not_spoken_to_in_the_clear(inbox: Inbox, sender: Sender) -> None:
    with pytest.raises(BlockFailed, match="PAGEHAND_SMTP_SECURITY"):
        await sender.send(MailServer(settings(inbox, "starttls")), {})
    assert inbox.envelopes == []


async def test_without_a_server_the_block_says_which_setting_is_missing(sender: Sender) -> None:
    with pytest.raises(BlockFailed, match="set `PAGEHAND_SMTP_HOST`"):
        await sender.send(MailServer(Settings()), {})


async def test_without_a_sender_the_block_says_which_setting_is_missing(inbox: Inbox, sender: Sender) -> None:
    with pytest.raises(BlockFailed, match="set `PAGEHAND_SMTP_FROM`"):
        await sender.send(MailServer(settings(inbox, smtp_from=None)), {})


async def test_a_refused_recipient_is_reported_and_the_others_get_the_mail(
    inbox: Inbox, sender: Sender
) -> None:
    inbox.refuses["bo@b.example"] = "550 No such user"
    output = await sender.send(
        MailServer(settings(inbox)), {"toAddresses": ["ann@a.example", "bo@b.example"]}
    )
    assert output["refused"] == [{"address": "bo@b.example", "reason": "550 No such user"}]
    assert inbox.envelopes[0].rcpt_tos == ["ann@a.example"]


async def test_when_every_recipient_is_refused_nothing_is_sent(inbox: Inbox, sender: Sender) -> None:
    inbox.refuses["ann@a.example"] = "550 No such user"
    with pytest.raises(BlockFailed, match=r"refused every recipient \(`ann@a.example`: 550 No such user\)"):
        await sender.send(MailServer(settings(inbox)), {})
    assert inbox.envelopes == []


@pytest.mark.parametrize(("reply", "error"), [("554 Spam", BlockFailed), ("451 Later", SiteDown)])
async def test_a_refused_message_is_the_outside_being_down_only_when_the_server_says_later(
    inbox: Inbox, sender: Sender, reply: str, error: type[Exception]
) -> None:
    inbox.data_reply = reply
    with pytest.raises(error, match=reply) as failure:
        await sender.send(MailServer(settings(inbox)), {})
    assert not isinstance(failure.value, Unanswered)


@pytest.mark.parametrize(
    "data",
    [
        {"subject": "Hi\r\nBcc: evil@e.example"},
        {"subject": "Hi\nX: y"},
        {"toAddresses": ["ann@a.example\r\nBcc: evil@e.example"]},
        {"toAddresses": ["Ann\r\nBcc: evil@e.example <ann@a.example>"]},
        {"ccAddresses": ["a@a.example>\r\nRCPT TO:<evil@e.example"]},
        {"replyTo": ["a@a.example\nBcc: evil@e.example"]},
        {"toAddresses": ["ann@a.example> SIZE=1"]},
        {"toAddresses": ["no address at all"]},
        {"toAddresses": ["@a.example"]},
    ],
)
async def test_no_field_can_add_a_header_or_a_recipient(inbox: Inbox, sender: Sender, data: Json) -> None:
    with pytest.raises(BlockFailed, match=r"`data\.\w+`"):
        await sender.send(
            MailServer(settings(inbox)),
            dict.fromkeys(data, "{{params.x}}"),
            params={"x": next(iter(data.values()))},
        )
    assert inbox.envelopes == []


async def test_a_subject_from_a_template_is_not_read_again(inbox: Inbox, sender: Sender) -> None:
    await sender.send(
        MailServer(settings(inbox)), {"subject": "{{params.x}}"}, params={"x": "{{login.password}}"}
    )
    assert inbox.messages[0]["Subject"] == "{{login.password}}"


async def test_a_connection_lost_after_the_message_was_given_is_a_doubt(sender: Sender) -> None:
    async with broken_mail_server("after data") as inbox:
        with pytest.raises(Unanswered, match="Whether the effect happened is unknown"):
            await sender.send(MailServer(settings(inbox)), {"isCommit": True})
        assert len(inbox.envelopes) == 1


async def test_doubt_waits_for_a_persons_word_where_it_should(sender: Sender) -> None:
    async with broken_mail_server("after data") as inbox:
        await sender.send(MailServer(settings(inbox)), {"isCommit": True, "onDoubt": "pause"})
        assert sender.run is not None
        assert "Approve (resume) if it did happen" in sender.run.waits[0]


async def test_a_server_that_hangs_up_before_is_the_outside_being_down(sender: Sender) -> None:
    async with broken_mail_server("at once") as inbox:
        with pytest.raises(SiteDown, match="No mail was sent") as failure:
            await sender.send(MailServer(settings(inbox)), {"isCommit": True})
        assert not isinstance(failure.value, Unanswered)


async def test_a_server_that_is_not_there_is_the_outside_being_down(sender: Sender) -> None:
    with pytest.raises(SiteDown, match=r"`127\.0\.0\.1:1`"):
        await sender.send(MailServer(settings(Inbox(), smtp_port=1)), {})


async def test_a_server_that_never_speaks_uses_up_the_blocks_time(sender: Sender, certificate: Path) -> None:
    # a client that greets in the clear and a server that waits for TLS wait for each other
    async with mail_server("tls", server_side(certificate)) as inbox:
        with pytest.raises(TimedOut, match="No mail was sent"):
            await sender.send(MailServer(settings(inbox)), {"timeoutMs": 300})


async def test_addresses_beyond_ascii_are_delivered(inbox: Inbox, sender: Sender) -> None:
    await sender.send(MailServer(settings(inbox)), {"toAddresses": ["jörg@bücher.example"]})
    assert inbox.envelopes[0].rcpt_tos == ["jörg@xn--bcher-kva.example"]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({}, "`data.toAddresses` is missing"),
        ({"toAddresses": []}, "`data.toAddresses`"),
        ({"toAddresses": ["a@b"], "to": "x"}, "unknown key"),
        ({"toAddresses": ["a@b"], "subject": "{{7*7}}"}, "is not a template"),
    ],
)
def test_what_makes_no_sense_is_refused_when_it_is_written(data: Json, sentence: str) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        SendEmail.check(data, None)
    assert sentence in refusal.value.message


def test_it_commits_when_marked() -> None:
    assert SendEmail.parse({"toAddresses": ["a@b"], "isCommit": True}).commits


@pytest.mark.parametrize(
    ("body", "answer"),
    [("<p>x</p>", True), ("x <b>y</b>", True), ("a < b", False), ("<ann@a.example>", False), ("", False)],
)
def test_html_is_distinguished_from_text(body: str, answer: bool) -> None:
    assert is_html(body) is answer


def test_plain_text_keeps_lines_and_drops_what_is_hidden() -> None:
    markup = "<title>T</title><h1>Hi</h1><script>x()</script><ul><li>a</li><li>b&nbsp;c</li></ul>"
    assert as_plain_text(markup) == "Hi\na\nb c\n"
