"""An execution's way through its states: every change is guarded."""

import asyncio

import pytest
from msgspec import Raw
from msgspec.json import decode

from pagehand.clock import now_ms
from pagehand.errors import Conflict
from pagehand.records import Batch, ExecutionLogin, Requeue, Status
from pagehand.storage import ExecutionFilter, Stores
from support.ending import final_state

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio

LOGIN = ExecutionLogin(id="l", name="Portal")


async def test_an_added_execution_comes_back_exactly_as_sent(
    stores: Stores, make_execution: MakeExecution
) -> None:
    params = {"z": 1, "a": [1.5, None, True, {"ключ": "значение \u0000 \U0001f600"}], "": "", "big": 2**60}
    sent = make_execution(
        params=params, name="Nightly", login_id="login_1", metadata={"k": "v"}, start_block={"id": "b"}
    )
    await stores.executions.add(sent)
    found = await stores.executions.get("org_a", sent.id)
    assert found == sent
    assert found is not None
    assert list(found.params) == ["z", "a", "", "big"]
    assert await stores.executions.find_in_any_organization(sent.id) == sent


async def test_claim_begins_a_run_once(stores: Stores, make_execution: MakeExecution) -> None:
    sent = make_execution()
    await stores.executions.add(sent)
    claims = await asyncio.gather(*(stores.executions.claim(sent.id, at=7000) for _ in range(5)))
    won = [claim for claim in claims if claim is not None]
    assert [(claim.status, claim.fence, claim.start_time) for claim in won] == [(Status.IN_PROGRESS, 1, 7000)]


async def test_update_writes_only_under_the_present_fence(
    stores: Stores, make_execution: MakeExecution
) -> None:
    sent = make_execution()
    await stores.executions.add(sent)
    await stores.executions.claim(sent.id, at=1)
    assert not await stores.executions.update(sent.id, 0, session_id="late")
    assert await stores.executions.update(sent.id, 1, session_id="s", status=Status.PAUSED, logins=[LOGIN])
    found = await stores.executions.find_in_any_organization(sent.id)
    assert found is not None
    assert (found.session_id, found.status, found.logins) == ("s", Status.PAUSED, [LOGIN])


async def test_update_refuses_a_final_status_and_unknown_fields(
    stores: Stores, make_execution: MakeExecution
) -> None:
    sent = make_execution()
    await stores.executions.add(sent)
    with pytest.raises(ValueError, match="finish"):
        await stores.executions.update(sent.id, 0, status=Status.COMPLETED)
    with pytest.raises(ValueError, match="organization_id"):
        await stores.executions.update(sent.id, 0, organization_id="org_b")


async def test_a_finished_execution_never_changes_again(
    stores: Stores, make_execution: MakeExecution
) -> None:
    sent = make_execution()
    await stores.executions.add(sent)
    await stores.executions.claim(sent.id, at=1)
    assert await stores.executions.finish(final_state(sent.id), 1)
    final = await stores.executions.find_in_any_organization(sent.id)
    assert final is not None
    assert (final.status, decode(final.response or b"null"), final.end_time) == (
        Status.COMPLETED,
        {"total": 3},
        5000,
    )
    assert not await stores.executions.finish(final_state(sent.id, Status.FAILED), 1)
    assert not await stores.executions.finish(final_state(sent.id, Status.FAILED), None)
    assert not await stores.executions.update(sent.id, 1, session_id="x")
    assert not await stores.executions.requeue(sent.id, 1, Requeue(attempts=2, metadata={}, at=2))
    assert await stores.executions.claim(sent.id, at=2) is None
    assert await stores.executions.find_in_any_organization(sent.id) == final


async def test_a_large_response_is_written_in_pieces_and_read_as_a_whole(
    stores: Stores, make_execution: MakeExecution
) -> None:
    sent, other = make_execution(batch_id="b"), make_execution(batch_id="b")
    for execution in (sent, other):
        await stores.executions.add(execution)
        await stores.executions.claim(execution.id, at=1)
    # characters of three bytes, so that some lie across the end of a piece
    text = b'{"total":"' + "€".encode() * 1_100_000 + b'","x":0}'
    ended = await stores.executions.finish(final_state(sent.id, response=Raw(text)), 1, token="mine")
    assert ended is not None
    repeated = await stores.executions.finish(final_state(sent.id, response=Raw(text)), 1, token="mine")
    assert repeated is not None  # the answer was lost
    refused = await stores.executions.finish(final_state(other.id, response=Raw(text)), 7, token="late")
    assert refused is None
    assert await stores.outputs.of_execution(sent.id) == []
    assert await stores.outputs.of_execution(other.id) == []
    found = await stores.executions.get("org_a", sent.id)
    assert found is not None
    assert bytes(found.response or b"") == text
    entries = await stores.batches.entries("org_a", "b", after=0, limit=9)
    assert entries[0].bytes >= len(text)
    assert await stores.batches.names_within("response", "org_a", entries, most=9) == ["total", "x"]


async def test_finish_without_a_fence_ends_only_what_is_enqueued(
    stores: Stores, make_execution: MakeExecution
) -> None:
    waiting, running = make_execution(), make_execution()
    await stores.executions.add(waiting)
    await stores.executions.add(running)
    await stores.executions.claim(running.id, at=1)
    assert await stores.executions.finish(final_state(waiting.id, Status.FAILED), None)
    assert not await stores.executions.finish(final_state(running.id, Status.FAILED), None)


async def test_only_one_of_two_enders_wins(stores: Stores, make_execution: MakeExecution) -> None:
    sent = make_execution()
    await stores.executions.add(sent)
    await stores.executions.claim(sent.id, at=1)
    ended = await asyncio.gather(
        *(stores.executions.finish(final_state(sent.id, status), 1) for status in [Status.FAILED] * 8)
    )
    assert sum(execution is not None for execution in ended) == 1


async def test_requeue_shuts_the_earlier_run_out(stores: Stores, make_execution: MakeExecution) -> None:
    sent = make_execution(accepted_at=1000)
    await stores.executions.add(sent)
    await stores.executions.claim(sent.id, at=2000)
    await stores.executions.update(sent.id, 1, session_id="s", vendor_id="v", live_view_url="u")
    assert await stores.executions.requeue(
        sent.id, 1, Requeue(attempts=2, metadata={"requeued": 1}, at=3000, not_before=9000)
    )
    found = await stores.executions.find_in_any_organization(sent.id)
    assert found is not None
    assert (found.status, found.attempts, found.not_before) == (Status.ENQUEUED, 2, 9000)
    assert (found.start_time, found.fence) == (1000, 2)
    assert (found.session_id, found.vendor_id, found.live_view_url) == (None, None, None)
    assert not await stores.executions.update(sent.id, 1, session_id="late")
    assert not await stores.executions.finish(final_state(sent.id), 1)


async def test_unfinished_lists_what_is_not_final_oldest_first(
    stores: Stores, make_execution: MakeExecution
) -> None:
    sent = [make_execution(organization_id=f"org_{k}") for k in range(4)]
    for execution in sent:
        await stores.executions.add(execution)
    await stores.executions.claim(sent[1].id, at=1)
    await stores.executions.finish(final_state(sent[2].id, Status.FAILED), None)
    assert [e.id for e in await stores.executions.unfinished(after=0, limit=10)] == [
        sent[0].id,
        sent[1].id,
        sent[3].id,
    ]


async def test_count_queued_counts_the_organizations_own(
    stores: Stores, make_execution: MakeExecution
) -> None:
    for organization in ("org_a", "org_a", "org_a", "org_b"):
        await stores.executions.add(make_execution(organization_id=organization))
    first = (await stores.executions.unfinished(after=0, limit=10))[0]
    await stores.executions.claim(first.id, at=1)
    assert await stores.executions.count_queued("org_a") == 2
    assert await stores.executions.count_queued("org_c") == 0


async def test_a_repeat_gives_the_earlier_execution(stores: Stores, make_execution: MakeExecution) -> None:
    first, second = make_execution(), make_execution()
    assert await stores.executions.add(first, ("key", b"digest")) == first
    assert await stores.executions.add(second, ("key", b"digest")) == first
    assert await stores.executions.find_in_any_organization(second.id) is None


async def test_a_repeat_with_another_body_is_a_conflict(
    stores: Stores, make_execution: MakeExecution
) -> None:
    await stores.executions.add(make_execution(), ("key", b"digest"))
    with pytest.raises(Conflict, match="Idempotency-Key"):
        await stores.executions.add(make_execution(), ("key", b"other"))


async def test_a_repeat_key_is_free_after_a_day_and_in_other_organizations(
    stores: Stores, make_execution: MakeExecution
) -> None:
    day = 24 * 3_600_000
    await stores.executions.add(make_execution(accepted_at=now_ms() - day), ("key", b"old"))
    later, elsewhere = make_execution(), make_execution(organization_id="org_b")
    assert await stores.executions.add(later, ("key", b"new")) == later
    assert await stores.executions.add(elsewhere, ("key", b"else")) == elsewhere


async def test_the_same_repeat_a_hundred_times_at_once_is_one_execution(
    stores: Stores, make_execution: MakeExecution
) -> None:
    got = await asyncio.gather(
        *(stores.executions.add(make_execution(), ("key", b"digest")) for _ in range(100))
    )
    assert len({execution.id for execution in got}) == 1
    assert (await stores.executions.list("org_a", ExecutionFilter())).total == 1


async def test_a_batch_and_its_executions_are_added_together(
    stores: Stores, make_execution: MakeExecution
) -> None:
    batch = Batch(
        id="batch_1",
        organization_id="org_a",
        name="March",
        workflow_id="wf_1",
        workflow_name="W",
        total=600,
        created_at=1,
    )
    rows = [make_execution(batch_id="batch_1", params={"row": row}) for row in range(600)]
    await stores.batches.add(batch, rows)
    assert await stores.batches.get("org_a", "batch_1") == batch
    listed = await stores.executions.list("org_a", ExecutionFilter(batch_id="batch_1", limit=1000))
    assert [decode(listed.params[e.id] or b"{}")["row"] for e in listed.items] == list(range(599, -1, -1))
    await stores.executions.claim(rows[0].id, at=1)
    await stores.executions.finish(final_state(rows[1].id, Status.FAILED), None)
    assert await stores.batches.progress("org_a", ["batch_1", "batch_2"]) == {
        "batch_1": {Status.ENQUEUED: 598, Status.IN_PROGRESS: 1, Status.FAILED: 1},
        "batch_2": {},
    }
    assert await stores.batches.progress("org_b", ["batch_1"]) == {"batch_1": {}}


async def test_a_batch_that_cannot_be_added_whole_leaves_nothing(
    stores: Stores, make_execution: MakeExecution
) -> None:
    batch = Batch(
        id="b", organization_id="org_a", name="n", workflow_id="w", workflow_name="w", total=2, created_at=1
    )
    twin = make_execution(batch_id="b")
    with pytest.raises(Exception, match="executions"):  # the database's own complaint about the repeated id
        await stores.batches.add(batch, [twin, twin])
    assert await stores.batches.get("org_a", "b") is None
    assert (await stores.executions.list("org_a", ExecutionFilter())).total == 0
