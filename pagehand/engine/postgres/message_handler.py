"""Does what another process asks of an execution that runs in this one."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from pagehand.engine.attempts import Attempts, pause, resume
from pagehand.engine.live.remote import execute_command
from pagehand.errors import Cancelled, Conflict, NotFound
from pagehand.ids import new_id
from pagehand.records import Execution, Json
from pagehand.secrets.secret_params import SecretParams
from pagehand.storage.run_messages import RunMessage


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
            raise NotFound("No authentication of this organization waits for a code")
        sealed = replace(attempt.execution, secret_params=message.body["sealed"])
        verdict = await attempt.codes.submit(self._secret_params.open(sealed)["code"])
        return {"success": verdict.success, "message": verdict.message, "status": verdict.status}

    async def _use_session(self, message: RunMessage) -> Json:
        attempt = self._attempts.running.get(message.execution_id)
        if attempt is None:
            raise Conflict("The live session has ended. Open a new one.")
        session = await self._attempts.sessions.wait_for(message.execution_id, self._wait(attempt.execution))
        return {} if message.body["command"] == "begun" else await execute_command(session, message.body)
