"""What a run knows of its workflow's elements, and what it must not lose of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import pytest

from pagehand.blocks.run_context import RunContext
from pagehand.engine.repair.element_memory import ElementMemory
from pagehand.engine.repair.healing import Healing
from pagehand.engine.reporting.events import EventLog
from pagehand.records import Execution, Fingerprint, Memory
from pagehand.secrets.redactor import Redactor
from pagehand.settings import Settings
from pagehand.storage.memories import MemoryStore
from pagehand.workflow.locator import Locator
from pagehand.workflow.tree import Envelope
from support.ignored_events import IgnoredEvents

pytestmark = pytest.mark.anyio

MakeExecution = Callable[..., Execution]
SAVE = Locator(css="#save")
BLOCK = Envelope(
    id="b1", type="Mouse", name="Save", block_reference_id="Mouse_1", data={}, locator={"css": "#save"}
)


class Store(MemoryStore):
    """Memories as the databases keep them: the list of them has no fingerprints."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], Memory] = {}

    async def of_workflow(self, organization_id: str, workflow_id: str) -> list[Memory]:
        mine = (value for value in self.kept.values() if value.organization_id == organization_id)
        return [
            replace(item, fingerprint=None, healed_fingerprint=None)
            for item in mine
            if item.workflow_id == workflow_id
        ]

    async def get(self, organization_id: str, workflow_id: str, block_id: str, key: str) -> Memory | None:
        found = self.kept.get((block_id, key))
        is_theirs = found and (found.organization_id, found.workflow_id) == (organization_id, workflow_id)
        return found if is_theirs else None

    async def save(self, kept: Sequence[Memory], dropped: Sequence[Memory] = ()) -> None:
        for item in dropped:
            self.kept.pop((item.block_id, item.key), None)
        self.kept.update({(match.block_id, match.key): match for match in kept})


class FakeBlock:
    """A block at work, as far as adopting a locator asks for it."""

    envelope = BLOCK


async def remembered(store: Store, execution: Execution) -> None:
    """An earlier run has found the element."""
    memory = ElementMemory(execution, store, Redactor())
    await memory.recall(BLOCK, SAVE)
    memory.keep(replace(memory.new(BLOCK, SAVE), fingerprint=Fingerprint(name="Save")))
    await memory.save()


async def test_an_adopted_locator_keeps_what_the_element_was_like(make_execution: MakeExecution) -> None:
    store, execution, redactor = Store(), make_execution(), Redactor()
    await remembered(store, execution)
    memory = ElementMemory(execution, store, redactor)
    healing = Healing(memory, Settings(), EventLog(IgnoredEvents(), execution.id, redactor, 0), [])
    await healing.adopt(cast("RunContext", FakeBlock()), SAVE, Locator(css="#store"))
    await memory.save()
    [kept] = store.kept.values()
    assert kept.healed_locator == {"css": "#store"}
    assert kept.fingerprint == Fingerprint(name="Save")


async def test_a_rewritten_locator_starts_without_a_memory(make_execution: MakeExecution) -> None:
    store, execution = Store(), make_execution()
    await remembered(store, execution)
    execution.workflow_version += 1
    memory = ElementMemory(execution, store, Redactor())
    rewritten = replace(BLOCK, locator={"css": "#other"})
    assert await memory.recall(rewritten, SAVE) is None
    await memory.save()
    assert store.kept == {}


async def test_a_block_remembers_twenty_elements_at_most(make_execution: MakeExecution) -> None:
    memory = ElementMemory(make_execution(), Store(), Redactor())
    await memory.recall(BLOCK, SAVE)
    for number in range(18):
        memory.keep(memory.new(BLOCK, Locator(css=f"#field-{number}")))
    assert memory.has_room(BLOCK.id, learning=1)
    assert not memory.has_room(BLOCK.id, learning=2)
