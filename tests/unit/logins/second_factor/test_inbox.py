"""Codes and links by mail: the newest message counts, from the right sender, until the time is over."""

import asyncio
import socket
import threading
from collections.abc import Sequence
from itertools import count
from typing import Any

import pytest

from pagehand.errors import BlockFailed, SiteDown
from pagehand.logins import failures
from pagehand.logins.credentials import Credentials
from pagehand.logins.profile import Profile, TwoFactor
from pagehand.logins.second_factor.imap_mailbox import ImapAccount, ImapMailbox, ImapServer
from pagehand.logins.second_factor.inbox import Inboxes, MailInbox
from pagehand.logins.second_factor.mail_listener import (
    LoginMailSources,
    MailListener,
    ReceivedMails,
    UnassignedAddress,
    own_address,
)
from pagehand.logins.second_factor.mail_message import MailMessage
from pagehand.records import Login
from pagehand.secrets.vault import Secret
from pagehand.settings import Settings
from pagehand.storage import Stores
from support.logins import SITE, VAULT, login_of

pytestmark = pytest.mark.anyio


def message(code: str, *links: str, sender: str = "codes@bank.example", at: float = 100) -> MailMessage:
    return MailMessage(sender, frozenset({"ann@mail.example"}), f"Your code: {code}", "", tuple(links), at)


class ScriptedMailSource:
    """A source of mail in which each look finds what the test has put there for it."""

    def __init__(self, *answers: Sequence[MailMessage] | Exception) -> None:
        self.answers = list(answers)
        self.since: list[float] = []
        self.closed = 0

    @property
    def pause_seconds(self) -> float:
        return 0.001

    async def messages(self, since: float) -> list[MailMessage]:
        self.since.append(since)
        found = self.answers.pop(0) if self.answers else ()
        if isinstance(found, Exception):
            raise found
        return list(found)

    async def close(self) -> None:
        self.closed += 1


def login(**two_factor: Any) -> Login:
    given: dict[str, Any] = {"method": "Email", **two_factor}
    profile = Profile(authentication_url=SITE, home_url=SITE, two_factor=TwoFactor(**given))
    return login_of(profile)


def inbox(source_stub: ScriptedMailSource, seconds: float = 5, **two_factor: Any) -> MailInbox:
    return MailInbox(login(**two_factor), source_stub, "`ann@mail.example`", seconds)


async def test_it_looks_until_a_letter_has_a_code() -> None:
    source_stub = ScriptedMailSource((), [message("none yet")], [message("123456"), message("654321")])
    assert await inbox(source_stub).code(since=50, used=frozenset()) == "123456"
    assert source_stub.since == [48.0] * 3  # mail servers' clocks are not ours
    assert source_stub.closed == 1


async def test_a_code_that_was_used_is_not_given_again() -> None:
    source_stub = ScriptedMailSource([message("123456"), message("654321")])
    assert await inbox(source_stub).code(since=0, used=frozenset({"123456"})) == "654321"


@pytest.mark.parametrize("sender", ["evil@phish.example", "codes@bank.example.evil.test", ""])
async def test_a_letter_of_another_sender_is_not_read(sender: str) -> None:
    source_stub = ScriptedMailSource([message("123456", sender=sender)], [message("654321")])
    assert await inbox(source_stub, code_sender="bank.example").code(since=0, used=frozenset()) == "654321"


async def test_a_link_is_one_of_the_own_site() -> None:
    source_stub = ScriptedMailSource(
        [message("", "https://evil.test/login?t=1")], [message("", "https://bank.example/login?t=2")]
    )
    assert await inbox(source_stub).link(since=0) == "https://bank.example/login?t=2"


async def test_a_link_to_an_origin_that_the_login_does_not_name_is_refused_with_what_to_add() -> None:
    source_stub = ScriptedMailSource([message("", "https://mail.bank.example/login?t=t0k3n")])
    with pytest.raises(BlockFailed, match=r"leads to `https://mail\.bank\.example/login`") as refusal:
        await inbox(source_stub, seconds=0).link(since=0)
    assert "`https://mail.bank.example`" in refusal.value.diagnosis.advice
    assert "t0k3n" not in f"{refusal.value.message} {refusal.value.diagnosis}"


async def test_when_nothing_comes_the_failure_says_where_it_looked() -> None:
    source_stub = ScriptedMailSource()
    with pytest.raises(
        failures.MailNotReceived, match="No mail with a code for the login `Bank` came to `ann@mail"
    ):
        await inbox(source_stub, seconds=0).code(since=0, used=frozenset())
    assert source_stub.closed == 1


async def test_the_source_is_left_when_it_fails_and_when_nobody_waits_any_more() -> None:
    broken, slow = ScriptedMailSource(SiteDown("The mail server is down.")), ScriptedMailSource()
    with pytest.raises(SiteDown):
        await inbox(broken).code(since=0, used=frozenset())
    waiting = asyncio.create_task(inbox(slow).code(since=0, used=frozenset()))
    while not slow.since:  # noqa: ASYNC110 - until it has looked once
        await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert (broken.closed, slow.closed) == (1, 1)


class OneMailSource:
    """Has mail for every login, or for none."""

    def __init__(self, source_stub: ScriptedMailSource | None) -> None:
        self.source_stub = source_stub

    async def source(self, login: Login, credentials: Credentials) -> tuple[ScriptedMailSource, str] | None:
        del login, credentials
        return (self.source_stub, "`x`") if self.source_stub else None


@pytest.mark.parametrize(
    ("method", "source_stub", "has_inbox"),
    [("Email", ScriptedMailSource(), True), ("Email", None, False), ("SMS", ScriptedMailSource(), False)],
)
async def test_only_a_login_with_mail_has_an_inbox(
    method: str, source_stub: ScriptedMailSource | None, has_inbox: bool
) -> None:
    made = await Inboxes(OneMailSource(source_stub), 1).open(login(method=method), Credentials())
    assert (made is not None) is has_inbox


# where a login's mail arrives

IMAP: dict[str, Any] = {"imap_host": "imap.example", "imap_username": "codes@mail.example"}


def settings(**more: Any) -> Settings:
    return Settings(**more)


async def source(stores: Stores, settings: Settings, login: Login, password: str = "") -> Any:
    credentials = Credentials(mailbox_password=Secret(password))
    found = await LoginMailSources(settings, stores, VAULT).source(login, credentials)
    return found[0] if found else None


async def test_without_any_mail_settings_no_mail_is_read(stores: Stores) -> None:
    assert await source(stores, settings(), login(two_factor_auth_email="a@b.example")) is None


async def test_a_login_with_its_own_mailbox_needs_no_account_of_the_operator(stores: Stores) -> None:
    only_host = settings(imap_host="imap.example")
    asked = login(two_factor_auth_email="ann@b.example")
    assert isinstance(await source(stores, only_host, asked, "pw"), ImapMailbox)
    assert await source(stores, only_host, asked) is None
    assert await source(stores, only_host, login(), "pw") is None  # no address to look for


async def test_the_operators_account_serves_assigned_addresses_alone(stores: Stores) -> None:
    acme = (await stores.organizations.ensure("acme")).id
    default = (await stores.organizations.ensure("default")).id
    operator = settings(**IMAP, imap_password="pw", imap_addresses="acme=*@acme.example")

    def asking(organization: str, address: str) -> Login:
        made = login(two_factor_auth_email=address)
        made.organization_id = organization
        return made

    assert isinstance(await source(stores, operator, asking(acme, "Codes@ACME.example ")), ImapMailbox)
    assert isinstance(await source(stores, operator, asking(default, "codes@mail.example")), ImapMailbox)
    for organization, address in ((acme, "codes@mail.example"), (default, "codes@acme.example")):
        foreign = await source(stores, operator, asking(organization, address))
        assert isinstance(foreign, UnassignedAddress)
        with pytest.raises(BlockFailed, match=f"`{address}` are not read for this organization") as refusal:
            await foreign.messages(0)
        assert "codes+login_" in str(refusal.value.diagnosis)
        await foreign.close()


async def test_a_login_of_the_operators_account_has_a_tagged_address(stores: Stores) -> None:
    operator = settings(**IMAP, imap_password="pw")
    acme = (await stores.organizations.ensure("acme")).id
    mine, theirs = login(), login()
    mine.organization_id = theirs.organization_id = acme
    assert own_address(operator, mine.id) == f"codes+{mine.id}@mail.example"
    assert isinstance(await source(stores, operator, mine), ImapMailbox)
    mine.fields["twoFactor"]["twoFactorAuthEmail"] = f"codes+{theirs.id}@mail.example"
    assert isinstance(await source(stores, operator, mine), UnassignedAddress)


async def test_a_service_that_takes_mail_itself_reads_its_own(stores: Stores) -> None:
    own = settings(mail_domain="In.Example")
    mailbox_login = login()
    assert own_address(own, mailbox_login.id) == f"{mailbox_login.id}@in.example"
    assert isinstance(await source(stores, own, mailbox_login), ReceivedMails)
    mailbox_login.fields["twoFactor"]["twoFactorAuthEmail"] = "elsewhere@b.example"
    assert await source(stores, own, mailbox_login) is None


# mail that the service takes itself


class Envelope:
    """What aiosmtpd gives a handler."""

    def __init__(self, content: bytes = b"") -> None:
        self.rcpt_tos: list[str] = []
        self.original_content = content


class ListenerHarness:
    """A listener and the logins that it finds."""

    def __init__(self, stores: Stores, *logins: Login) -> None:
        known = {item.id: item for item in logins}

        async def find(login_id: str) -> Login | None:
            return known.get(login_id)

        self.listener = MailListener(stores.login_states, find, VAULT, "In.Example")

    async def rcpt(self, address: str, envelope: Any = None) -> str:
        given: Any = envelope or Envelope()
        return await self.listener.handle_RCPT(None, None, given, address, [])

    async def data(self, envelope: Any) -> str:
        return await self.listener.handle_DATA(None, None, envelope)


async def test_it_stops_while_a_sender_is_still_connected(stores: Stores) -> None:
    listener = ListenerHarness(stores, login()).listener
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    await listener.start("127.0.0.1", port)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    assert (await reader.readline()).startswith(b"220 ")
    async with asyncio.timeout(60):
        await listener.stop()
    writer.close()
    with pytest.raises(OSError, match=r"[Cc]onnect"):
        await asyncio.open_connection("127.0.0.1", port)


async def test_mail_is_taken_for_logins_and_nobody_else(stores: Stores) -> None:
    kept = login()
    listening = ListenerHarness(stores, kept)
    assert (await listening.rcpt(f"{kept.id}@in.example")).startswith("250")
    assert (await listening.rcpt(f"{kept.id.upper()}@IN.EXAMPLE")).startswith("250")
    for address in (
        "nobody@in.example",
        f"{kept.id}@other.example",
        kept.id,
        "",
        "@in.example",
        "\0@in.example",
    ):
        assert (await listening.rcpt(address)).startswith("550"), address


async def test_a_letter_is_kept_once_for_each_login_however_often_its_address_is_named(
    stores: Stores,
) -> None:
    first, other = login(), login()
    listening = ListenerHarness(stores, first, other)
    envelope: Any = Envelope(b"Subject: Your code: 482913\r\n\r\n")
    for address in [f"{first.id}@in.example", f"{first.id.upper()}@IN.EXAMPLE", f"{other.id}@in.example"] * 3:
        assert (await listening.rcpt(address, envelope)).startswith("250")
    assert await listening.data(envelope) == "250 OK"
    for each in (first, other):
        assert len(await stores.login_states.mails(each.organization_id, each.id, 0)) == 1


async def test_a_letter_has_at_most_a_hundred_recipients(stores: Stores) -> None:
    kept = login()
    listening, envelope = ListenerHarness(stores, kept), Envelope(b"")
    answers = [await listening.rcpt(f"{kept.id}@in.example", envelope) for _ in range(101)]
    assert [answer[:3] for answer in answers] == ["250"] * 100 + ["452"]


async def test_a_letter_is_kept_encrypted_and_read_by_its_login_alone(stores: Stores) -> None:
    first, other = login(), login()
    listening = ListenerHarness(stores, first, other)
    envelope: Any = Envelope(b"From: codes@bank.example\r\nSubject: Your code: 482913\r\n\r\n")
    await listening.rcpt(f"{first.id}@in.example", envelope)
    assert await listening.data(envelope) == "250 OK"
    [kept] = await stores.login_states.mails(first.organization_id, first.id, 0)
    assert b"482913" not in kept.sealed
    [read] = await ReceivedMails(stores.login_states, VAULT, first).messages(0)
    assert (read.subject, read.sender) == ("Your code: 482913", "codes@bank.example")
    assert await ReceivedMails(stores.login_states, VAULT, other).messages(0) == []


@pytest.mark.parametrize("raw", [b"", b"\0\xff\xfe", b"Subject: =?broken?Q?=ff?=\r\n\r\n" + b"x" * 200_000])
async def test_any_bytes_are_a_letter(stores: Stores, raw: bytes) -> None:
    kept = login()
    envelope: Any = Envelope(raw)
    listening = ListenerHarness(stores, kept)
    await listening.rcpt(f"{kept.id}@in.example", envelope)
    assert await listening.data(envelope) == "250 OK"
    assert len(await ReceivedMails(stores.login_states, VAULT, kept).messages(0)) == 1


async def test_a_sender_tries_again_while_the_database_is_away(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pagehand.errors import Unavailable  # noqa: PLC0415 - the one fault this test makes

    async def away(mail: object) -> None:
        raise Unavailable(f"away: {type(mail).__name__}")

    kept = login()
    monkeypatch.setattr(stores.login_states, "add_mail", away)
    envelope: Any = Envelope(b"x")
    listening = ListenerHarness(stores, kept)
    await listening.rcpt(f"{kept.id}@in.example", envelope)
    assert (await listening.data(envelope)).startswith("451")


# a mailbox on the operator's server


class ImapClient:
    """What `ImapMailbox` asks of imaplib."""

    def __init__(self, mails: dict[str, list[Any]]) -> None:
        self.mails = mails
        self.fetched: list[str] = []

    def noop(self) -> None:
        return None

    def uid(self, command: str, uid: str, parts: str) -> tuple[str, list[Any]]:
        assert (command, parts) == ("FETCH", "(INTERNALDATE BODY.PEEK[])")
        self.fetched.append(uid)
        return "OK", self.mails[uid]


class ImapBox:
    """What `ImapMailbox` asks of imap_tools."""

    def __init__(self, **mails: list[Any]) -> None:
        self.client = ImapClient(mails)

    def uids(self) -> list[str]:
        return list(self.client.mails)

    def logout(self) -> None:
        return None


def fetched(subject: str, day: int, to: str = "ann@mail.example") -> list[Any]:
    head = f'1 (INTERNALDATE "{day:02d}-Nov-2026 10:00:00 +0000" BODY[] {{9}}'.encode()
    return [(head, f"To: {to}\r\nSubject: {subject}\r\n\r\n".encode()), b")"]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Gives a mailbox over a box of the test's."""

    def open_with(box: ImapBox) -> ImapMailbox:
        made = ImapMailbox(
            ImapServer("imap.example", 993, "tls", "INBOX"), ImapAccount("a", Secret("b")), "ann@mail.example"
        )
        monkeypatch.setattr(made, "_open", lambda: box)
        return made

    return open_with


async def test_letters_to_the_address_come_newest_first(opened: Any) -> None:
    box = ImapBox(a=fetched("old", 1), b=fetched("new", 3), c=fetched("other", 4, "bob@mail.example"))
    assert [item.subject for item in await opened(box).messages(0)] == ["new", "old"]


async def test_a_letter_is_fetched_once_however_often_one_looks(opened: Any) -> None:
    box = ImapBox(a=fetched("one", 1))
    mailbox = opened(box)
    for _ in range(3):
        await mailbox.messages(0)
    assert box.client.fetched == ["a"]


@pytest.mark.parametrize("gone", [[None], [], [b")"]])
async def test_a_letter_that_somebody_deletes_meanwhile_is_left_out(opened: Any, gone: list[Any]) -> None:
    box = ImapBox(a=gone, b=fetched("there", 1))
    assert [item.subject for item in await opened(box).messages(0)] == ["there"]


async def test_a_server_that_breaks_off_is_a_site_that_is_down(opened: Any) -> None:
    class Broken(ImapBox):
        def uids(self) -> list[str]:
            raise ConnectionResetError

    with pytest.raises(SiteDown, match=r"`imap\.example:993` cannot be read: ConnectionResetError"):
        await opened(Broken()).messages(0)


async def test_after_trouble_it_connects_anew(monkeypatch: pytest.MonkeyPatch, opened: Any) -> None:
    class Broken(ImapBox):
        def uids(self) -> list[str]:
            raise OSError("gone")

    mailbox, made = opened(Broken()), count()
    with pytest.raises(SiteDown):
        await mailbox.messages(0)

    def reconnect() -> ImapBox:
        next(made)
        return ImapBox(a=fetched("one", 1))

    monkeypatch.setattr(mailbox, "_open", reconnect)
    assert len(await mailbox.messages(0)) == 1
    assert next(made) == 1


async def test_a_connection_that_comes_after_whoever_asked_has_gone_is_closed(
    monkeypatch: pytest.MonkeyPatch, opened: Any
) -> None:
    may_answer, left = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    class Slow(ImapBox):
        def logout(self) -> None:
            loop.call_soon_threadsafe(left.set)

    def open_slowly() -> ImapBox:
        may_answer.wait(10)
        return Slow(a=fetched("late", 1))

    mailbox = opened(Slow())
    monkeypatch.setattr(mailbox, "_open", open_slowly)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await mailbox.messages(0)
    await mailbox.close()
    may_answer.set()
    async with asyncio.timeout(10):
        await left.wait()


@pytest.mark.parametrize("greeting", [b"", b"* OK ready\r\n"], ids=["silent", "refusing"])
async def test_a_server_that_does_not_let_us_in_is_left(
    monkeypatch: pytest.MonkeyPatch, greeting: bytes
) -> None:
    monkeypatch.setattr("pagehand.logins.second_factor.imap_mailbox._TIMEOUT_SECONDS", 0.2)
    closed = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        while line := await reader.readline():
            tag, command = line.split()[:2]
            answer = b"OK" if command in (b"CAPABILITY", b"LOGOUT") else b"NO"
            writer.write(b"* CAPABILITY IMAP4rev1\r\n" if command == b"CAPABILITY" else b"")
            writer.write(tag + b" " + answer + b" done\r\n")
        closed.set()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listening:
        port = listening.sockets[0].getsockname()[1]
        mailbox = ImapMailbox(
            ImapServer("127.0.0.1", port, "none", "INBOX"), ImapAccount("a", Secret("b")), "a@b.c"
        )
        with pytest.raises(BlockFailed if greeting else SiteDown) as trouble:
            await mailbox.messages(0)
        async with asyncio.timeout(10):
            await closed.wait()
        assert (
            trouble.value.message
        )  # it holds on to what was on the stack: that must not hold the connection
