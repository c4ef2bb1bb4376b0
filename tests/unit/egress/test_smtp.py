"""Handing a mail over: what went wrong is reported, and whether the mail may be out is never guessed."""

import asyncio
from email.message import EmailMessage
from typing import Any

import pytest

from pagehand.egress.smtp import MailServer
from pagehand.errors import BlockFailed, SiteDown, TimedOut, Unanswered
from pagehand.settings import Settings
from support.mail_server import Inbox, broken_mail_server, mail_server

pytestmark = pytest.mark.anyio
ANN = "ann@example.org"


def server(inbox: Inbox, **more: Any) -> MailServer:
    given: dict[str, Any] = {"smtp_from": "robot@example.org", "smtp_security": "none", **more}
    return MailServer(Settings(smtp_host="127.0.0.1", smtp_port=inbox.port, **given))


async def send(mail: MailServer, *recipients: str, seconds: float = 5) -> Any:
    message = EmailMessage()
    message["Subject"] = "Grüße"
    message.set_content("Hello.\n.\nA line with a dot alone.")
    return await mail.send(message, recipients or (ANN,), timeout_seconds=seconds)


async def test_a_mail_arrives_whole_also_with_a_line_of_one_dot() -> None:
    async with mail_server() as inbox:
        assert await send(server(inbox), ANN, "bob@example.org") == {}
    [envelope], [message] = inbox.envelopes, inbox.messages
    assert envelope.rcpt_tos == [ANN, "bob@example.org"]
    assert message["Subject"] == "Grüße"
    assert message.get_content().splitlines() == ["Hello.", ".", "A line with a dot alone."]


async def test_who_was_refused_is_named_and_the_others_get_the_mail() -> None:
    async with mail_server() as inbox:
        inbox.refuses = {ANN: "550 no such person"}
        assert await send(server(inbox), ANN, "bob@example.org") == {ANN: "550 no such person"}
    assert [envelope.rcpt_tos for envelope in inbox.envelopes] == [["bob@example.org"]]


async def test_when_everybody_is_refused_nothing_is_sent() -> None:
    async with mail_server() as inbox:
        inbox.refuses = {ANN: "550 no such person"}
        with pytest.raises(
            BlockFailed, match=r"refused every recipient .*550 no such person.*No mail was sent"
        ):
            await send(server(inbox))
    assert inbox.envelopes == []


@pytest.mark.parametrize(("reply", "kind"), [("554 spam", BlockFailed), ("451 later", SiteDown)])
async def test_a_refused_message_is_tried_again_only_if_that_may_help(
    reply: str, kind: type[Exception]
) -> None:
    async with mail_server() as inbox:
        inbox.data_reply = reply
        with pytest.raises(kind, match=rf"refused the message \({reply}\)\. No mail was sent") as trouble:
            await send(server(inbox))
    assert not isinstance(trouble.value, Unanswered)


async def test_a_wrong_password_names_the_settings() -> None:
    async with mail_server(asks_to_sign_in=True) as inbox:
        with pytest.raises(BlockFailed, match=r"refused the sign-in .*`PAGEHAND_SMTP_PASSWORD`") as trouble:
            await send(server(inbox, smtp_username="robot", smtp_password="horse"))
    assert "horse" not in trouble.value.message


async def test_a_server_that_hangs_up_first_has_sent_nothing() -> None:
    async with broken_mail_server("at once") as inbox:
        with pytest.raises(SiteDown, match="No mail was sent") as trouble:
            await send(server(inbox))
    assert not isinstance(trouble.value, Unanswered)


@pytest.mark.parametrize("last_words", [b"", b"2", b"\xff\xfe what?\r\n", b"25O OK\r\n"])
async def test_after_the_message_was_given_its_fate_is_unknown(last_words: bytes) -> None:
    async with broken_mail_server("after data", last_words) as inbox:
        with pytest.raises(Unanswered, match="so whether the mail went out is unknown"):
            await send(server(inbox))
    assert len(inbox.envelopes) == 1


@pytest.mark.parametrize("security", ["none", "tls"])
async def test_a_server_that_never_answers_is_given_up_in_time_and_left(security: str) -> None:
    connections: list[asyncio.Task[None] | None] = []

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(asyncio.current_task())
        await reader.read()  # returns when the other side closes, before a greeting or a handshake
        writer.close()
        await writer.wait_closed()

    listening = await asyncio.start_server(silent, "127.0.0.1", 0)
    inbox = Inbox()
    inbox.port = listening.sockets[0].getsockname()[1]
    async with listening:
        with pytest.raises(TimedOut, match=r"did not finish within 0\.05 s\. No mail was sent"):
            await send(server(inbox, smtp_security=security), seconds=0.05)
        # none on a machine so busy that the time was over before the connection stood
        async with asyncio.timeout(10):
            await asyncio.gather(*filter(None, connections))


async def test_a_port_on_which_nobody_listens_is_a_site_that_is_down() -> None:
    listening = await asyncio.start_server(lambda _, __: None, "127.0.0.1", 0)
    inbox = Inbox()
    inbox.port = listening.sockets[0].getsockname()[1]
    listening.close()
    await listening.wait_closed()
    with pytest.raises(SiteDown, match=f"`127.0.0.1:{inbox.port}`.*No mail was sent"):
        await send(server(inbox))


@pytest.mark.parametrize(
    ("settings", "setting"),
    [
        ({}, "PAGEHAND_SMTP_HOST"),
        ({"smtp_host": "mail.example"}, "PAGEHAND_SMTP_FROM"),
        ({"smtp_host": "mail.example", "smtp_username": "robot"}, "PAGEHAND_SMTP_FROM"),
    ],
)
def test_what_is_not_set_is_named(settings: dict[str, str], setting: str) -> None:
    with pytest.raises(BlockFailed, match=f"set `{setting}`"):
        _ = MailServer(Settings(**settings)).sender  # type: ignore[arg-type]


def test_the_sender_is_the_setting_or_the_user_name() -> None:
    host = {"smtp_host": "mail.example", "smtp_username": "robot@example.org"}
    assert MailServer(Settings(**host)).sender == "robot@example.org"  # type: ignore[arg-type]
    assert MailServer(Settings(**host, smtp_from="x@y.example")).sender == "x@y.example"  # type: ignore[arg-type]
