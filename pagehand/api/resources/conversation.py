"""Conversations about workflows: threads, and the blocks that messages ask for."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from pagehand.api.services import ApiServices
from pagehand.blocks.schema import catalog
from pagehand.clock import now_ms
from pagehand.errors import NotFound
from pagehand.ids import new_id
from pagehand.loop import import_in_thread
from pagehand.page.phrases import Snapshot
from pagehand.ports import FileStore
from pagehand.records import Message, ProposedOperation, Thread, Workflow
from pagehand.storage.logins import LoginStore
from pagehand.storage.pages import ALL_ROWS
from pagehand.storage.threads import ThreadStore
from pagehand.workflow import tree
from pagehand.workflow.tree import Envelope

if TYPE_CHECKING:
    from pagehand.instructions.chat import VisitedPages

_MAX_NAME = 80
_MAX_PAGES = 20
_MAX_LOGINS = 1000
_SNAPSHOT = "pageSnapshot"


async def blocks_for(
    services: ApiServices,
    organization_id: str,
    message: str,
    workflow: Workflow | None,
    pages: "VisitedPages | None" = None,
    earlier: Sequence[Message] = (),
) -> list[Envelope]:
    """Blocks that do what a message says; raises InvalidRequest with the reason when there are none."""
    # its many patterns would slow down the start of the service, and compiling them hold up the event loop
    await import_in_thread("pagehand.instructions.chat")
    from pagehand.instructions.chat import Chat, ChatContext  # noqa: PLC0415 - imported in a thread before
    from pagehand.instructions.grammar import Grammar  # noqa: PLC0415 - as above

    model = await services.models.for_organization(organization_id, _unchanged)
    context = ChatContext(
        existing=tree.from_json(workflow.blocks) if workflow else (),
        parameters=[parameter["name"] for parameter in workflow.parameters] if workflow else (),
        logins=await _logins(services.stores.logins, organization_id),
        pages=pages,
        material="\n".join(
            [*(f"{item.role}: {item.text}" for item in earlier), pages.describe_for_model() if pages else ""]
        ),
    )
    chat = Chat(services.kinds, Grammar(services.kinds), lambda: catalog(services.kinds))
    return await chat.blocks(message, context, model)


async def _logins(logins: LoginStore, organization_id: str) -> dict[str, str]:
    """Ids of the stored logins by name; empty for a name that several have."""
    found, _ = await logins.list(organization_id, search=None, limit=_MAX_LOGINS, offset=0)
    names = [(login.name, login.id) async for part in found for login in part]
    counts = Counter(name for name, _ in names)
    # an instruction that names one of two equal logins is refused instead of guessed
    return {name: login_id if counts[name] == 1 else "" for name, login_id in names}


def _unchanged(text: str) -> str:
    """Nothing to redact: the author's words and the names of blocks hold no secrets of executions."""
    return text


async def open_thread(
    threads: ThreadStore,
    organization_id: str,
    name: str,
    workflow_id: str | None,
    proposal: tuple[int, list[ProposedOperation]] | None = None,
) -> Thread:
    """Create a thread; `proposal` is a version of the workflow and the operations to apply to it."""
    version, operations = proposal or (None, None)
    thread = Thread(
        id=new_id("thread"),
        organization_id=organization_id,
        name=" ".join(name.split())[:_MAX_NAME] or "Conversation",
        workflow_id=workflow_id,
        created_at=now_ms(),
        workflow_version=version,
        proposed_operations=None if operations is None else msgspec.to_builtins(operations),
        proposal="open" if operations else None,
    )
    await threads.add(thread)
    return thread


async def seen_pages(services: ApiServices, organization_id: str, execution_id: str) -> "VisitedPages":
    """The pages a test execution saw; other executions keep no snapshots."""
    from pagehand.instructions.chat import VisitedPages  # noqa: PLC0415 - as above

    if await services.stores.executions.get(organization_id, execution_id) is None:
        raise NotFound("There is no execution with this `instructorExecutionId` in this organization")
    events, _ = await services.stores.events.list(organization_id, execution_id, ALL_ROWS, 0)
    found = [event.data.get(_SNAPSHOT) async for part in events for event in part]
    keys = [key for key in found if isinstance(key, str)]
    read = await asyncio.gather(*(_snapshot(services.files, key) for key in keys[-_MAX_PAGES:]))
    return VisitedPages([item for item in read if item is not None])


async def _snapshot(files: FileStore, key: str) -> Snapshot | None:
    try:
        return msgspec.json.decode(await files.read(key), type=Snapshot)
    except NotFound:
        return None  # the file was deleted
    except msgspec.ValidationError:
        return None  # written by another version of Pagehand
