"""Conversations about workflows: the workflow and pages a message is about, and the blocks it asks for."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from pagehand.api.services import ApiServices
from pagehand.blocks.catalog import catalog
from pagehand.clock import now_ms
from pagehand.errors import NotFound
from pagehand.ids import new_id
from pagehand.page.phrases import Snapshot
from pagehand.ports import FileStore
from pagehand.records import Json, Message, Thread, Workflow
from pagehand.storage.logins import LoginStore
from pagehand.storage.threads import ThreadStore
from pagehand.workflow import tree
from pagehand.workflow.envelope import Envelope

if TYPE_CHECKING:
    from pagehand.instructions.seen_pages import SeenPages

_LONGEST_NAME = 80
_MOST_PAGES = 20
_MOST_EVENTS = 1000
_MOST_LOGINS = 1000
_SNAPSHOT = "pageSnapshot"


async def blocks_for(
    services: ApiServices,
    organization_id: str,
    message: str,
    workflow: Workflow | None,
    pages: "SeenPages | None" = None,
    before: Sequence[Message] = (),
) -> list[Envelope]:
    """Blocks that do what a message says; `InvalidRequest` says why there are none."""
    from pagehand.instructions.chat import Chat, ChatContext  # noqa: PLC0415 - its many patterns would slow down every start
    from pagehand.instructions.grammar import Grammar  # noqa: PLC0415 - as above

    model = await services.models.for_organization(organization_id, _as_it_is)
    about = ChatContext(
        present=tree.from_json(workflow.blocks) if workflow else (),
        parameters=[parameter["name"] for parameter in workflow.parameters] if workflow else (),
        logins=await _logins(services.stores.logins, organization_id),
        pages=pages,
        material="\n".join(
            [*(f"{item.role}: {item.text}" for item in before), pages.for_model() if pages else ""]
        ),
    )
    chat = Chat(services.kinds, Grammar(services.kinds), lambda: catalog(services.kinds))
    return await chat.blocks(message, about, model)


async def _logins(logins: LoginStore, organization_id: str) -> dict[str, str]:
    """Ids of the stored logins by name; "" for a name that several have."""
    found, _ = await logins.list(organization_id, search=None, limit=_MOST_LOGINS, offset=0)
    names = Counter(login.name for login in found)
    # an instruction that names one of two equal logins is refused instead of guessed
    return {login.name: login.id if names[login.name] == 1 else "" for login in found}


def _as_it_is(text: str) -> str:
    """The author's own words and names of blocks hold no secret of an execution."""
    return text


async def open_thread(
    threads: ThreadStore,
    organization_id: str,
    name: str,
    workflow_id: str | None,
    proposed: tuple[int, list[Json]] | None = None,
) -> Thread:
    """A new conversation; `proposed` is what it would change in that version of the workflow."""
    version, operations = proposed or (None, None)
    thread = Thread(
        id=new_id("thread"),
        organization_id=organization_id,
        name=" ".join(name.split())[:_LONGEST_NAME] or "Conversation",
        workflow_id=workflow_id,
        created_at=now_ms(),
        workflow_version=version,
        proposed_operations=operations,
        proposal="open" if operations else None,
    )
    await threads.add(thread)
    return thread


async def seen_pages(services: ApiServices, organization_id: str, execution_id: str) -> "SeenPages":
    """The pages a test execution saw; none of any other, which keeps no snapshots."""
    from pagehand.instructions.seen_pages import SeenPages  # noqa: PLC0415 - as above

    if await services.stores.executions.get(organization_id, execution_id) is None:
        raise NotFound("There is no execution with this `instructorExecutionId` in this organization")
    keys: list[str] = []
    offset, total = 0, 1
    while offset < total:
        events, total = await services.stores.events.list(organization_id, execution_id, _MOST_EVENTS, offset)
        keys += [key for event in events if isinstance(key := event.data.get(_SNAPSHOT), str)]
        offset += _MOST_EVENTS
    read = await asyncio.gather(*(_snapshot(services.files, key) for key in keys[-_MOST_PAGES:]))
    return SeenPages([item for item in read if item is not None])


async def _snapshot(files: FileStore, key: str) -> Snapshot | None:
    try:
        return msgspec.json.decode(await files.read(key), type=Snapshot)
    except NotFound:
        return None  # its file was cleaned away
    except msgspec.ValidationError:
        return None  # kept by another version of this program
