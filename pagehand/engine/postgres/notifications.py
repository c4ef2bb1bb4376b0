"""Messages between processes over PostgreSQL's NOTIFY: one listener and one sender per process.

A notification may be lost, as when a connection breaks, so whatever depends on one also polls.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Final

import psycopg
from sqlalchemy import text

from pagehand.engine.changes import Changes
from pagehand.errors import Unavailable
from pagehand.ids import new_id
from pagehand.loop import Loop, wait_at_most
from pagehand.storage import Database

_CHANNEL: Final = "pagehand"
_SEND = text("SELECT pg_notify(:channel, payload) FROM unnest(CAST(:payloads AS text[])) AS payload")
_RETRY_SECONDS: Final = 1.0
_GATHER_SECONDS: Final = 0.1
"""How long notifications that can wait are gathered: a burst becomes one statement, without repetitions."""
_CHECK_SECONDS: Final = 10.0
Handler = Callable[[list[str]], None]


class Notifications:
    """Sends and receives short notifications, each a kind and a few words."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._address = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._unsent: dict[str, None] = {}
        self._has_unsent, self._is_urgent = asyncio.Event(), asyncio.Event()
        self._handlers: dict[str, Handler] = {}
        self._loops = (
            Loop("listener", self._listen, _RETRY_SECONDS),
            Loop("notifications", self._send_next, _RETRY_SECONDS),
        )
        self.on_gap: list[Callable[[], None]] = []
        """Called when notifications may have been missed."""

    def start(self) -> None:
        """Begin to listen and to send."""
        for loop in self._loops:
            loop.start()

    async def stop(self) -> None:
        """Send what is left, then stop listening."""
        try:
            async with asyncio.timeout(_RETRY_SECONDS):
                await self._send_unsent()
        except (Unavailable, TimeoutError):
            pass  # receivers poll anyway
        for loop in self._loops:
            await loop.stop()

    def subscribe(self, kind: str, handler: Handler) -> None:
        """Call `handler` with the words of every notification of a kind."""
        self._handlers[kind] = handler

    def send(self, kind: str, *words: str) -> None:
        """Notify every process, this one included, as soon as the database takes it."""
        self.send_soon(kind, *words)
        self._is_urgent.set()

    def send_soon(self, kind: str, *words: str) -> None:
        """The same for what can wait a moment."""
        self._unsent[json.dumps([kind, *words], ensure_ascii=False)] = None
        self._has_unsent.set()

    async def _send_next(self) -> float:
        await self._has_unsent.wait()
        await wait_at_most(self._is_urgent, _GATHER_SECONDS)
        await self._send_unsent()
        return 0

    async def _send_unsent(self) -> None:
        self._has_unsent.clear()
        self._is_urgent.clear()
        unsent, self._unsent = list(self._unsent), {}
        if unsent:
            async with self._database.read() as connection:
                await connection.execute(_SEND, {"channel": _CHANNEL, "payloads": unsent})

    async def _listen(self) -> None:
        try:
            await self._listen_once()
        except (psycopg.Error, OSError) as error:
            raise Unavailable("The database sends no notifications right now.") from error

    async def _listen_once(self) -> None:
        connection = await psycopg.AsyncConnection.connect(self._address, autocommit=True, connect_timeout=5)
        async with connection:
            await connection.execute(f"LISTEN {_CHANNEL}")
            for callback in self.on_gap:
                callback()
            while True:
                async for notification in connection.notifies(timeout=_CHECK_SECONDS):
                    self._dispatch(notification)
                async with asyncio.timeout(_CHECK_SECONDS):
                    await connection.execute("SELECT 1")  # a connection that was cut silently shows here

    def _dispatch(self, notification: psycopg.Notify) -> None:
        kind, *words = json.loads(notification.payload)
        if kind in self._handlers:
            self._handlers[kind](words)


class SharedChanges(Changes):
    """Changes of all processes, for the watchers of this one."""

    def __init__(self, notifications: Notifications) -> None:
        super().__init__()
        self._notifications = notifications
        self._sender = new_id("sender")
        notifications.subscribe("change", self._on_notification)
        notifications.on_gap.append(self.publish_everything)

    @property
    def is_watched(self) -> bool:
        """True: this process does not know whether another has watchers."""
        return True

    def publish(self, organization_id: str, noun: str, id: str = "") -> None:  # noqa: A002 - the API's own word
        """Report a change to the watchers of every process."""
        super().publish(organization_id, noun, id)
        self._notifications.send_soon("change", self._sender, organization_id, noun, id)

    def _on_notification(self, words: list[str]) -> None:
        sender, organization_id, noun, changed_id = words
        if sender != self._sender:
            super().publish(organization_id, noun, changed_id)
