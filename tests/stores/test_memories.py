"""What elements were like: kept per workflow, block and locator, apart between organizations."""

from dataclasses import replace

import pytest

from pagehand.records import ElementTraits, Fingerprint, Memory
from pagehand.storage import Stores

pytestmark = pytest.mark.anyio

ONE = Memory(
    organization_id="org_a",
    workflow_id="wf_1",
    block_id="block_1",
    key="k1",
    written="w1",
    version=3,
    remembered_at=5,
    fingerprint=Fingerprint(name="Save", rivals=[ElementTraits(name="Cancel")]),
)


async def test_a_memory_comes_back_whole_and_is_listed_without_its_weight(stores: Stores) -> None:
    await stores.memories.save([ONE])
    assert await stores.memories.get("org_a", "wf_1", "block_1", "k1") == ONE
    assert await stores.memories.of_workflow("org_a", "wf_1") == [replace(ONE, fingerprint=None)]


async def test_what_was_written_last_stays(stores: Stores) -> None:
    healed = replace(ONE, healed_locator={"role": "button"}, healed_fingerprint=Fingerprint(name="Store"))
    await stores.memories.save([ONE])
    await stores.memories.save([healed])
    assert await stores.memories.get("org_a", "wf_1", "block_1", "k1") == healed


async def test_dropped_ones_are_gone_and_others_stay(stores: Stores) -> None:
    other = replace(ONE, key="k2")
    await stores.memories.save([ONE, other])
    await stores.memories.save([], [ONE])
    assert await stores.memories.get("org_a", "wf_1", "block_1", "k1") is None
    assert await stores.memories.get("org_a", "wf_1", "block_1", "k2") == other


async def test_another_organization_neither_reads_nor_changes_a_memory(stores: Stores) -> None:
    await stores.memories.save([ONE])
    foreign = replace(ONE, organization_id="org_b", fingerprint=Fingerprint(name="Theirs"))
    await stores.memories.save([foreign], [foreign])
    assert await stores.memories.get("org_b", "wf_1", "block_1", "k1") is None
    assert await stores.memories.of_workflow("org_b", "wf_1") == []
    assert await stores.memories.get("org_a", "wf_1", "block_1", "k1") == ONE


async def test_healing_is_forgotten_where_a_block_is_written_otherwise(stores: Stores) -> None:
    fresh = {"healed_locator": {"role": "button"}, "healed_fingerprint": Fingerprint(name="Store")}
    kept, edited, removed = (replace(ONE, **fresh, block_id=name) for name in ("kept", "edited", "removed"))
    other = replace(ONE, **fresh, workflow_id="wf_2", block_id="edited")
    await stores.memories.save([kept, edited, removed, other])
    await stores.memories.forget_healed("org_a", "wf_1", {"kept": "w1", "edited": "w2"})

    async def stored(memory: Memory) -> Memory | None:
        return await stores.memories.get("org_a", memory.workflow_id, memory.block_id, memory.key)

    assert (await stored(kept), await stored(other)) == (kept, other)
    for memory in (edited, removed):
        assert await stored(memory) == replace(memory, healed_locator=None, healed_fingerprint=None)
