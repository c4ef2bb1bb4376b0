"""A mail server on loopback: takes mail over plain, STARTTLS or TLS connections, with a sign-in if asked."""
# ruff: noqa: ARG002 - aiosmtpd calls these with all it knows

import asyncio
import ssl
import threading
import warnings
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from queue import Queue
from typing import Any, Literal, cast

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session


class Inbox:
    """What arrived; refuses the recipients in `refuses`."""

    def __init__(self) -> None:
        self.port = 0
        self.envelopes: list[Envelope] = []
        self.was_private: list[bool] = []
        self.signed_in: list[str] = []
        self.refuses: dict[str, str] = {}
        self.data_reply = "250 Taken"

    @property
    def messages(self) -> list[EmailMessage]:
        return [
            cast("EmailMessage", message_from_bytes(cast("bytes", envelope.content), policy=default))  # type: ignore[arg-type]
            for envelope in self.envelopes
        ]

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's own name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, rcpt_options: list[str]
    ) -> str:
        if address in self.refuses:
            return self.refuses[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 - as above
        if self.data_reply.startswith("250"):
            self.envelopes.append(envelope)
            whole = server.transport.get_extra_info("sslcontext") if server.transport else None
            self.was_private.append(bool(session.ssl or whole))
        return self.data_reply

    def sign_in(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any
    ) -> AuthResult:
        assert isinstance(data, LoginPassword)
        self.signed_in.append(data.login.decode())
        return AuthResult(success=data.password == b"correct horse", handled=False)


@asynccontextmanager
async def mail_server(
    security: Literal["none", "starttls", "tls"] = "none",
    tls: ssl.SSLContext | None = None,
    *,
    asks_to_sign_in: bool = False,
) -> AsyncGenerator[Inbox]:
    inbox = Inbox()
    loop = asyncio.get_running_loop()

    def connection() -> SMTP:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it does not see that the whole connection is TLS already
            return new_connection()

    def new_connection() -> SMTP:
        return SMTP(
            inbox,
            hostname="mail.test",
            enable_SMTPUTF8=True,
            tls_context=tls if security == "starttls" else None,
            require_starttls=security == "starttls",
            auth_required=asks_to_sign_in,
            auth_require_tls=security == "starttls",
            authenticator=inbox.sign_in if asks_to_sign_in else None,
            loop=loop,
        )

    server = await loop.create_server(connection, "127.0.0.1", 0, ssl=tls if security == "tls" else None)
    inbox.port = server.sockets[0].getsockname()[1]
    try:
        yield inbox
    finally:
        server.close()


@asynccontextmanager
async def broken_mail_server(
    hangs_up: Literal["at once", "after data"], last_words: bytes = b""
) -> AsyncGenerator[Inbox]:
    """One that takes a message in full and then hangs up with these words, or hangs up right away."""
    inbox, hung_up = Inbox(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if hangs_up == "after data":
            writer.write(b"220 mail.test\r\n")
            while line := await reader.readline():
                if line.upper().startswith(b"DATA"):
                    writer.write(b"354 Go on\r\n")
                    await reader.readuntil(b"\r\n.\r\n")
                    inbox.envelopes.append(Envelope())
                    writer.write(last_words)
                    break
                writer.write(b"250 OK\r\n")
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        hung_up.set()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    inbox.port = server.sockets[0].getsockname()[1]
    try:
        yield inbox
        await hung_up.wait()  # a connection that outlives the test would be met by the next one
    finally:
        server.close()


@contextmanager
def mail_in_a_thread() -> Generator[Inbox]:
    """A mail server that works while the test waits for the service."""
    ready: Queue[Inbox] = Queue()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        async with mail_server() as inbox:
            ready.put(inbox)
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    try:
        yield ready.get(timeout=10)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()
