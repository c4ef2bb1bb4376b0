"""Messages to executions that run in another process: a row and a notification, answered the same way."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any, Final

import structlog

from pagehand.engine.attempts import Attempts, pause, resume
from pagehand.engine.live.remote import execute_command
from pagehand.engine.postgres.notifications import Notifications
from pagehand.engine.signing_in.codes import NONE_WAITS
from pagehand.errors import (
    BlockFailed,
    BrowserLost,
    Cancelled,
    Conflict,
    NotFound,
    OurFault,
    PagehandError,
    TooMany,
    Unavailable,
)
from pagehand.ids import new_id
from pagehand.loop import Loop, retry_while_unavailable, wait_at_most
from pagehand.records import Execution, Json
from pagehand.secrets.vault import SecretParams
from pagehand.storage.run_messages import RunMessage, RunMessageStore

_log = structlog.get_logger(__name__)
_POLL_SECONDS: Final = 1.0
_REFUSALS: Final = (Conflict, NotFound, TooMany, BlockFailed, BrowserLost, OurFault)
Handler = Callable[[RunMessage], Awaitable[Json]]
"""Does what a message asks of an execution that runs here; returns the answer, or raises a refusal."""


class RunMessages:
    """Sends messages to executions wherever they run, and receives the answers."""

    def __init__(self, store: RunMessageStore, notifications: Notifications) -> None:
        self._store = store
        self._notifications = notifications
        self._answered: dict[str, asyncio.Event] = {}
        notifications.subscribe("answer", self._on_answer)

    async def ask(self, execution_id: str, kind: str, body: Json, *, seconds: float | None) -> Json | None:
        """Send a message and wait for the answer; raises a refusal. None when none comes in time.

        Without `seconds` it waits until it is cancelled.
        """
        message = RunMessage(new_id("message"), execution_id, kind, body)
        answered = self._answered[message.id] = asyncio.Event()
        try:
            await self.send([message])
            async with asyncio.timeout(seconds):
                return _result(await self._answer(message.id, answered))
        except TimeoutError:
            return None
        finally:
            del self._answered[message.id]
            await self._forget(message.id)

    async def send(self, messages: list[RunMessage]) -> None:
        """Send messages without waiting for answers; they stay until they are handled."""
        await self._store.add(messages)
        for execution_id in {message.execution_id for message in messages}:
            self._notifications.send("message", execution_id)

    async def _answer(self, message_id: str, answered: asyncio.Event) -> Json:
        while True:
            answer = await self._store.answer_to(message_id)
            if answer is not None:
                return answer
            await wait_at_most(answered, _POLL_SECONDS)  # the notification may have been lost
            answered.clear()

    async def _forget(self, message_id: str) -> None:
        try:
            await self._store.remove(message_id)
        except Unavailable:
            _log.info("a message stays until it expires", message=message_id)

    def _on_answer(self, words: list[str]) -> None:
        if words[0] in self._answered:
            self._answered[words[0]].set()


class MessageReader:
    """Reads the messages to executions that run in this process, and answers them."""

    def __init__(
        self,
        store: RunMessageStore,
        notifications: Notifications,
        running: Callable[[], list[str]],
        handle: Handler,
    ) -> None:
        self._store = store
        self._notifications = notifications
        self._running = running
        self._handle = handle
        self._answering: dict[str, asyncio.Task[None]] = {}
        self.loop = Loop("messages to runs", self._read, _POLL_SECONDS)
        notifications.subscribe("message", self._on_notification)
        notifications.on_gap.append(self.loop.wake)

    async def stop(self) -> None:
        """Stop reading and answering."""
        await self.loop.stop()
        tasks = list(self._answering.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _on_notification(self, words: list[str]) -> None:
        if words[0] in self._running():
            self.loop.wake()

    async def _read(self) -> None:
        running = self._running()
        if not running:
            return
        for message in await self._store.unanswered(running, besides=list(self._answering)):
            task = self._answering[message.id] = asyncio.create_task(self._answer(message))
            task.add_done_callback(lambda _, done=message.id: self._answering.pop(done, None))

    async def _answer(self, message: RunMessage) -> None:
        try:
            answer: Json = {"done": await self._handle(message)}
        except _REFUSALS as refusal:
            answer = {"refused": _name(refusal), "message": refusal.message}
        except Exception:  # noqa: BLE001 - the sender must learn that it failed, and the message is not handled again
            error_id = new_id("err")
            _log.exception("a message to a run failed", error_id=error_id, execution=message.execution_id)
            answer = {"refused": OurFault.__name__, "message": f"The worker's log has it under `{error_id}`."}
        await retry_while_unavailable(lambda: self._store.answer(message.id, answer))
        self._notifications.send("answer", message.id)


def _name(refusal: PagehandError) -> str:
    return next(known.__name__ for known in _REFUSALS if isinstance(refusal, known))


def _result(answer: Json) -> Json:
    """The result in an answer; raises the refusal that the other process raised."""
    if "done" in answer:
        return answer["done"]
    refusals: dict[str, type[PagehandError]] = {refusal.__name__: refusal for refusal in _REFUSALS}
    raise refusals[answer["refused"]](answer["message"])


def cancellation(execution_id: str, reason: Cancelled) -> RunMessage:
    """The message that cancels an execution wherever it runs."""
    body = {"message": reason.message, "by": reason.by, "at": reason.at}
    return RunMessage(new_id("message"), execution_id, "cancel", body)


class MessageHandler:
    """Handles the messages to the attempts of this process."""

    def __init__(
        self,
        attempts: Attempts,
        secret_params: SecretParams,
        wait: Callable[[Execution], Coroutine[Any, Any, Execution]],
    ) -> None:
        """`wait` returns an execution once it is final."""
        self._attempts = attempts
        self._secret_params = secret_params
        self._wait = wait

    async def handle(self, message: RunMessage) -> Json:
        """Do what the message asks for; its answer. Raises what the caller is refused with."""
        attempt = self._attempts.running.get(message.execution_id)
        match message.kind:
            case "cancel":
                body = message.body
                reason = Cancelled(body["message"], by=body["by"], at=body["at"])
                self._attempts.interrupt(message.execution_id, reason)
            case "pause":
                pause(attempt)
            case "resume":
                resume(attempt)
            case "code":
                return await self._submit_code(message)
            case "session":
                return await self._use_session(message)
            case _:  # of a newer release: it has nothing to do here
                pass
        return {}

    async def _submit_code(self, message: RunMessage) -> Json:
        attempt = self._attempts.running.get(message.execution_id)
        if attempt is None:
            raise NotFound(NONE_WAITS)
        sealed = replace(attempt.execution, secret_params=message.body["sealed"])
        verdict = await attempt.codes.submit(self._secret_params.open(sealed)["code"])
        return {"success": verdict.success, "message": verdict.message, "status": verdict.status}

    async def _use_session(self, message: RunMessage) -> Json:
        attempt = self._attempts.running.get(message.execution_id)
        if attempt is None:
            raise Conflict("The live session has ended. Open a new one.")
        session = await self._attempts.sessions.wait_for(message.execution_id, self._wait(attempt.execution))
        return {} if message.body["command"] == "begun" else await execute_command(session, message.body)
