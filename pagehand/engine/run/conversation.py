"""Messages of an execution's agents, kept in a thread."""

from contextlib import suppress

from pagehand.clock import now_ms
from pagehand.engine.services import SaveChanges
from pagehand.errors import Unavailable
from pagehand.ids import new_id
from pagehand.records import Execution, Thread
from pagehand.secrets.redactor import Redactor
from pagehand.storage.threads import ThreadStore

_MAX_LENGTH = 20_000


class Conversation:
    """The thread of one execution; created with its first message."""

    def __init__(
        self, execution: Execution, store: ThreadStore, redactor: Redactor, save: SaveChanges
    ) -> None:
        self._execution = execution
        self._store = store
        self._redactor = redactor
        self._save = save
        # the thread that an earlier attempt has begun is gone on with
        self._thread_id: str | None = execution.thread_id or execution.metadata.get("threadId")

    async def say(self, role: str, text: str) -> None:
        """Append a message, without secrets."""
        with suppress(Unavailable):  # the record of a conversation is worth less than the run
            thread_id = await self._thread()
            redacted = self._redactor.text(text)[:_MAX_LENGTH]
            await self._store.add_messages(self._execution.organization_id, thread_id, [(role, redacted)])

    async def _thread(self) -> str:
        if self._thread_id is None:
            thread_id = new_id("thread")
            await self._store.add(
                Thread(
                    id=thread_id,
                    organization_id=self._execution.organization_id,
                    name=f"{self._execution.workflow_name}: {self._execution.id}",
                    workflow_id=self._execution.workflow_id,
                    created_at=now_ms(),
                )
            )
            # known only once it is stored: messages of a thread that does not exist are dropped
            self._thread_id = self._execution.metadata["threadId"] = thread_id
            await self._save(metadata=self._execution.metadata)
        return self._thread_id
