"""Writes that must happen once or not at all, with several writers and after another has taken over."""

import asyncio

import pytest

from pagehand.records import Batch, FileInfo, FinalState, Json, OutputPiece, Status, Workflow
from pagehand.storage import Stores

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio

BATCH = Batch(
    id="batch_1",
    organization_id="org_a",
    name="March",
    workflow_id="wf_1",
    workflow_name="Invoices",
    total=0,
    created_at=1,
)


async def test_of_many_who_cancel_a_batch_one_did(stores: Stores) -> None:
    await stores.batches.add(BATCH, [])
    cancelling = [stores.batches.mark_cancelled("org_a", "batch_1", at) for at in range(2, 8)]
    done = await asyncio.gather(*cancelling)
    assert sorted(done) == [False] * 5 + [True]
    first = await stores.batches.get("org_a", "batch_1")
    assert first is not None
    assert not await stores.batches.mark_cancelled("org_a", "batch_1", 99)
    assert await stores.batches.get("org_a", "batch_1") == first


async def test_batch_is_cancelled_and_paused_by_its_own_organization_alone(stores: Stores) -> None:
    await stores.batches.add(BATCH, [])
    assert not await stores.batches.mark_cancelled("org_b", "batch_1", 5)
    await stores.batches.set_paused("org_b", "batch_1", 5)
    assert await stores.batches.get("org_a", "batch_1") == BATCH
    await stores.batches.set_paused("org_a", "batch_1", 5)
    assert list(await stores.batches.paused()) == ["batch_1"]
    await stores.batches.mark_cancelled("org_a", "batch_1", 6)
    # nothing of a cancelled batch will ever begin: nobody has to hold it
    assert list(await stores.batches.paused()) == []


async def test_organization_named_by_many_at_once_is_made_once(stores: Stores) -> None:
    made = await asyncio.gather(*(stores.organizations.ensure("Ünïted") for _ in range(8)))
    assert len({organization.id for organization in made}) == 1
    assert await stores.organizations.by_name("Ünïted") == made[0]
    assert await stores.organizations.by_name("ünïted") is None
    assert await stores.organizations.name_of(made[0].id) == "Ünïted"
    assert await stores.organizations.name_of("org_none") == ""


async def test_store_refuses_to_write_what_it_does_not_know(
    stores: Stores, make_execution: MakeExecution
) -> None:
    execution = await stores.executions.add(make_execution())
    await stores.executions.claim(execution.id, at=1)
    refused: list[Json] = [{"params": {}}, {"organization_id": "org_b"}, {"status": Status.COMPLETED}]
    for changes in refused:
        with pytest.raises(ValueError, match=r"update\(\) cannot write"):
            await stores.executions.update(execution.id, 1, **changes)
    with pytest.raises(ValueError, match=r"finish\(\) needs"):
        await stores.executions.finish(
            FinalState(execution_id=execution.id, final={"status": Status.PAUSED}), 1
        )
    for store in (stores.webhooks, stores.schedules):
        with pytest.raises(ValueError, match=r"created_at"):
            await store.update("org_a", "x_1", created_at=5)
    found = await stores.executions.find_in_any_organization(execution.id)
    assert found is not None
    assert (found.status, found.organization_id) == (Status.IN_PROGRESS, "org_a")


async def test_outputs_are_kept_in_order_once_and_by_the_run_that_holds_the_execution(
    stores: Stores, make_execution: MakeExecution
) -> None:
    execution = await stores.executions.add(make_execution())
    await stores.executions.claim(execution.id, at=1)
    pieces = [OutputPiece(path=["a", n], value={"n": n}) for n in range(3)]
    assert await stores.outputs.add(execution.id, 1, 1, pieces[1:])
    assert await stores.outputs.add(execution.id, 1, 0, pieces[:1])
    # asked again after its answer was lost, it is there already
    assert await stores.outputs.add(execution.id, 1, 0, pieces[:1])
    assert not await stores.outputs.add(execution.id, 2, 3, pieces[:1])
    assert not await stores.outputs.add("exec_none", 1, 0, pieces)
    assert [(list(piece.path), piece.value) for piece in await stores.outputs.of_execution(execution.id)] == [
        (["a", n], {"n": n}) for n in range(3)
    ]


async def test_file_added_twice_is_one_and_counts_once(stores: Stores) -> None:
    info = FileInfo("file_1", "org_a", None, "a.pdf", "application/pdf", 30, "org_a/uploads/file_1", 1)
    for _ in range(2):
        await stores.files.add(info)
    for number, (owner, size) in enumerate((("org_a", 12), ("org_b", 99)), 2):
        key = f"{owner}/uploads/file_{number}"
        await stores.files.add(FileInfo(f"file_{number}", owner, None, "b", "text/plain", size, key, 1))
    assert await stores.files.total_bytes("org_a") == 42
    assert await stores.files.total_bytes("org_none") == 0


def workflow(workflow_id: str) -> Workflow:
    return Workflow(
        id=workflow_id,
        organization_id="org_a",
        name="Invoices",
        version=1,
        blocks=[],
        created_at=1,
        updated_at=1,
    )


async def test_open_proposals_are_the_newest_of_each_workflow_as_it_is_today(
    stores: Stores, make_execution: MakeExecution
) -> None:
    for workflow_id in ("wf_1", "wf_2", "wf_gone", "wf_changed"):
        await stores.workflows.add(workflow(workflow_id), [])

    async def proposing(workflow_id: str, **fields: object) -> str:
        execution = await stores.executions.add(make_execution(workflow_id=workflow_id, **fields))
        await stores.executions.claim(execution.id, at=1)
        await stores.executions.update(execution.id, 1, proposal="open")
        return execution.id

    await proposing("wf_1")
    newest, second = await proposing("wf_1"), await proposing("wf_2")
    await proposing("wf_gone")
    await proposing("wf_changed")
    await proposing("wf_1", organization_id="org_b")
    await stores.workflows.delete("org_a", "wf_gone")
    changed = workflow("wf_changed")
    assert await stores.workflows.save("org_a", changed, expected_version=1, tag_names=None)
    assert [proposal.id for proposal in await stores.proposals.open("org_a", 10)] == [second, newest]
    assert [proposal.id for proposal in await stores.proposals.open("org_a", 1)] == [second]
    await stores.proposals.settle("org_b", second, "declined")
    assert len(await stores.proposals.open("org_a", 10)) == 2
    await stores.proposals.settle("org_a", second, "applied", 2)
    assert [proposal.id for proposal in await stores.proposals.open("org_a", 10)] == [newest]
