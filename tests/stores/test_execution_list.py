"""Lists agree with a plain reading of all rows, whatever the filters."""

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from msgspec import Raw

from pagehand.errors import InvalidRequest
from pagehand.records import Batch, Execution, Requeue, Status, Workflow
from pagehand.storage import Database, ExecutionFilter, Stores
from pagehand.storage.counts import HOUR_MS, fold_counts
from support.ending import final_state

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio

DAY_ZERO = 1_760_000_000_000


def seeded(make_execution: MakeExecution, count: int = 400) -> list[Execution]:
    """Executions with every mixture of what filters look at; some start long after they were accepted."""
    chance = random.Random(11)  # noqa: S311  (the same rows every time)
    made: list[Execution] = []
    for k in range(count):
        accepted = DAY_ZERO + k * 300_000
        made.append(
            make_execution(
                workflow_id=f"wf_{chance.randrange(4)}",
                login_id=chance.choice([None, "login_0", "login_1"]),
                batch_id=chance.choice([None, None, "batch_0"]),
                is_test=chance.random() < 0.2,
                status=chance.choice(list(Status)),
                accepted_at=accepted,
                start_time=accepted + chance.choice([0, 0, 17_000, 5 * HOUR_MS]),
                params={"customer": f"Name {chance.randrange(30)}", "n": k, "paid": chance.random() < 0.5},
            )
        )
    return made


async def add_all(stores: Stores, made: list[Execution]) -> None:
    batch = Batch(
        id="seed",
        organization_id="org_a",
        name="s",
        workflow_id="w",
        workflow_name="w",
        total=0,
        created_at=1,
    )
    await stores.batches.add(batch, made)


def ids(executions: list[Execution]) -> list[str]:
    return [execution.id for execution in executions]


Claim = Callable[[Execution], bool]

CASES: list[tuple[dict[str, Any], Claim]] = [
    ({}, lambda _: True),
    ({"status": Status.FAILED}, lambda e: e.status == Status.FAILED),
    ({"login_id": "login_1"}, lambda e: e.login_id == "login_1"),
    ({"batch_id": "batch_0"}, lambda e: e.batch_id == "batch_0"),
    ({"workflow_id": "wf_2"}, lambda e: e.workflow_id == "wf_2"),
    ({"workflow_id": "wf_none"}, lambda _: False),
    ({"is_test": True}, lambda e: e.is_test),
    ({"is_test": False}, lambda e: not e.is_test),
    ({"status": Status.PAUSED, "is_test": False}, lambda e: e.status == Status.PAUSED and not e.is_test),
    (
        {"workflow_id": "wf_1", "login_id": "login_0", "status": Status.COMPLETED},
        lambda e: (e.workflow_id, e.login_id, e.status) == ("wf_1", "login_0", Status.COMPLETED),
    ),
    (
        {"workflow_id": "wf_1", "login_id": "login_0"},
        lambda e: (e.workflow_id, e.login_id) == ("wf_1", "login_0"),
    ),
    (
        {"batch_id": "batch_0", "from_ms": DAY_ZERO + 40 * 300_000},
        lambda e: e.batch_id == "batch_0" and e.start_time >= DAY_ZERO + 40 * 300_000,
    ),
    (
        {"from_ms": DAY_ZERO + 30_000_000, "to_ms": DAY_ZERO + 60_000_000, "status": Status.COMPLETED},
        lambda e: (
            DAY_ZERO + 30_000_000 <= e.start_time <= DAY_ZERO + 60_000_000 and e.status == Status.COMPLETED
        ),
    ),
    ({"search": ["NAME 7"]}, lambda e: "name 7" in e.params["customer"].casefold()),
    ({"search": ["name 7", "name 12"]}, lambda e: e.params["customer"] in NAMES),
    (
        {"search": ["name 7"], "is_test": True},
        lambda e: e.is_test and "name 7" in e.params["customer"].casefold(),
    ),
    ({"search": ["false"]}, lambda e: not e.params["paid"]),
    ({"search": ["customer"]}, lambda _: True),
    ({"search": ["customer"], "workflow_id": "wf_3"}, lambda e: e.workflow_id == "wf_3"),
    ({"search": ["xq%"]}, lambda _: False),
    ({"search": ["7\x1f"]}, lambda _: False),
]
NAMES = {"Name 7", "Name 12"}


@pytest.fixture(params=[5000, 0], ids=["few", "many"])
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Both ways of reading a page: with the limit as it is, and as if every result were large."""
    for module in ("execution_list", "execution_search"):
        monkeypatch.setattr(f"pagehand.storage.{module}.FEW", request.param)
    return request.param


@pytest.mark.usefixtures("few")
async def test_every_filter_finds_what_reading_all_rows_finds(
    stores: Stores, make_execution: MakeExecution
) -> None:
    made = seeded(make_execution)
    await add_all(stores, made)
    await stores.executions.add(make_execution(organization_id="org_b", params={"customer": "Name 7"}))
    for fields, claim in CASES:
        expected = [execution for execution in reversed(made) if claim(execution)]
        page = await stores.executions.list("org_a", ExecutionFilter(limit=1000, **fields))
        assert (ids(page.items), page.total) == (ids(expected), len(expected)), fields
        part = await stores.executions.list("org_a", ExecutionFilter(limit=7, offset=3, **fields))
        assert (ids(part.items), part.total) == (ids(expected[3:10]), len(expected)), fields


@pytest.mark.usefixtures("few")
async def test_the_range_of_starts_is_inclusive_to_the_millisecond(
    stores: Stores, make_execution: MakeExecution
) -> None:
    made = seeded(make_execution, 150)
    await add_all(stores, made)
    moments = sorted({e.start_time for e in made})[::9]
    hours = [DAY_ZERO - DAY_ZERO % HOUR_MS + k * HOUR_MS for k in range(0, 18, 3)]
    edges = sorted(m + d for m in moments + hours for d in (-1, 0, 1))
    for low, high in [*pairwise(edges), (edges[0], edges[-1]), (edges[9], edges[-9]), (edges[-1], edges[0])]:
        expected = [e for e in reversed(made) if low <= e.start_time <= high]
        page = await stores.executions.list("org_a", ExecutionFilter(from_ms=low, to_ms=high, limit=1000))
        assert (ids(page.items), page.total) == (ids(expected), len(expected))


@pytest.mark.parametrize("fields", [{}, {"workflow_id": "wf_1"}, {"search": ["name"]}, {"search": ["me 7"]}])
async def test_the_cursor_walks_every_execution_once(
    stores: Stores, make_execution: MakeExecution, fields: dict[str, Any]
) -> None:
    await add_all(stores, seeded(make_execution, 120))
    whole = await stores.executions.list("org_a", ExecutionFilter(limit=1000, **fields))
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = await stores.executions.list("org_a", ExecutionFilter(limit=7, cursor=cursor, **fields))
        assert page.total == whole.total
        seen += ids(page.items)
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == ids(whole.items)


@pytest.mark.parametrize("cursor", ["", "!", "abc", "é", "AAAA", "ZXhlY18w"])
async def test_a_cursor_that_is_not_ours_is_refused(stores: Stores, cursor: str) -> None:
    with pytest.raises(InvalidRequest, match="`cursor`"):
        await stores.executions.list("org_a", ExecutionFilter(cursor=cursor))


async def test_a_cursor_of_another_organization_is_refused(
    stores: Stores, make_execution: MakeExecution
) -> None:
    for _ in range(3):
        await stores.executions.add(make_execution())
    cursor = (await stores.executions.list("org_a", ExecutionFilter(limit=1))).next_cursor
    with pytest.raises(InvalidRequest, match="`cursor`"):
        await stores.executions.list("org_b", ExecutionFilter(cursor=cursor))


async def test_tag_filters_take_the_workflows_that_carry_all(
    stores: Stores, make_execution: MakeExecution
) -> None:
    carried = {"wf_a": ["red", "blue"], "wf_b": ["red"], "wf_c": ["red", "blue", "new"], "wf_d": []}
    for workflow_id, names in carried.items():
        workflow = Workflow(id=workflow_id, organization_id="org_a", name="W", version=1, blocks=[])
        await stores.workflows.add(workflow, names)
    made = [make_execution(workflow_id=workflow_id) for _ in range(3) for workflow_id in carried]
    await add_all(stores, made)
    await stores.workflows.delete("org_a", "wf_c")
    by_name = {tag.name: tag.id for tag in (await stores.tags.list("org_a", 10, 0))[0]}
    for names in (["red"], ["red", "blue"], ["blue", "blue"], ["new", "blue"]):
        expected = [e for e in reversed(made) if set(names) <= set(carried[e.workflow_id])]
        wanted = ExecutionFilter(tag_ids=[by_name[name] for name in names], limit=5)
        page = await stores.executions.list("org_a", wanted)
        assert (ids(page.items), page.total) == (ids(expected[:5]), len(expected))
    both = ExecutionFilter(tag_ids=[by_name["red"]], workflow_id="wf_a")
    assert (await stores.executions.list("org_a", both)).total == 3
    unknown = ExecutionFilter(tag_ids=[by_name["red"], "tag_none"])
    assert (await stores.executions.list("org_a", unknown)).total == 0
    assert (await stores.executions.list("org_b", ExecutionFilter(tag_ids=[by_name["red"]]))).total == 0


async def test_totals_follow_every_change_of_state(
    stores: Stores, database: Database, make_execution: MakeExecution
) -> None:
    made = [make_execution(accepted_at=DAY_ZERO) for _ in range(6)]
    for execution in made:
        await stores.executions.add(execution)

    async def totals() -> dict[str, int]:
        return {
            status: (await stores.executions.list("org_a", ExecutionFilter(status=status))).total
            for status in Status
        }

    await stores.executions.claim(made[0].id, at=DAY_ZERO + HOUR_MS)
    await stores.executions.claim(made[1].id, at=DAY_ZERO + HOUR_MS)
    await stores.executions.update(made[1].id, 1, status=Status.PAUSED)
    await stores.executions.claim(made[2].id, at=DAY_ZERO + 2 * HOUR_MS)
    await stores.executions.requeue(made[2].id, 1, Requeue(attempts=1, metadata={}, at=DAY_ZERO))
    expected = {"Enqueued": 4, "InProgress": 1, "Paused": 1, "Completed": 0, "Failed": 0}
    assert await totals() == expected
    if not database.is_sqlite:
        await fold_counts(database)
    assert await totals() == expected
    late = ExecutionFilter(from_ms=DAY_ZERO + HOUR_MS)
    assert (await stores.executions.list("org_a", late)).total == 2


async def test_search_is_literal_and_blind_to_case(stores: Stores, make_execution: MakeExecution) -> None:
    params = {
        "Größe": "100 % of it_all",
        "quote": 'say "yes" \\ no',
        "lines": "first\nsecond",
        "n": -12.5,
        "none": None,
        "deep": [{"Innen": ["Straße"]}],
    }
    target = make_execution(params=params)
    await stores.executions.add(target)
    await stores.executions.add(make_execution(params={"other": "100 X of itYall"}))
    hits = [
        "GRÖSSE",
        "0 % o",
        "it_a",
        'y "y',
        "\\",
        "t\ns",
        "-12.5",
        "null",
        "innen",
        "STRASSE",
        "ß",
        target.id,
        "%",
    ]
    for term in [*hits, target.id.upper()[5:], "e"]:
        page = await stores.executions.list("org_a", ExecutionFilter(search=[term]))
        assert target.id in ids(page.items), term
    for term in ["%", "_all", "0 % o"]:
        page = await stores.executions.list("org_a", ExecutionFilter(search=[term]))
        assert ids(page.items) == [target.id], term
    for term in ["größe100", '":"', "{", "allquote", "100_%", "second\nn"]:
        page = await stores.executions.list("org_a", ExecutionFilter(search=[term]))
        assert page.total == 0, term


@pytest.mark.slow
@pytest.mark.parametrize("strangers", [0, 3], ids=["alone", "among others"])
async def test_short_terms_are_found_wherever_they_stand(
    stores: Stores, make_execution: MakeExecution, strangers: int
) -> None:
    chance = random.Random(5)  # noqa: S311  (the same rows every time)
    letters = "xyq é\u4e2d\"'"
    made = [make_execution(params={"v": "".join(chance.choices(letters, k=4))}) for _ in range(150)]
    await add_all(stores, made)
    for _ in range(strangers):
        await stores.executions.add(make_execution(organization_id="org_b", params={"v": "xyxqyx"}))
    terms = [first + second for first in letters for second in letters]
    for term in [*terms, *letters, "xyq", "q\"'", "\u4e2d\u4e2dx", "xx\x1f"]:
        expected = [e for e in reversed(made) if term in e.params["v"] or term in e.id]
        for _ in range(2):
            page = await stores.executions.list("org_a", ExecutionFilter(search=[term], limit=5))
            assert (ids(page.items), page.total) == (ids(expected[:5]), len(expected)), term
    both = [e for e in made if any(term in f"{e.id} {e.params['v']}" for term in ("xy", "qé"))]
    page = await stores.executions.list("org_a", ExecutionFilter(search=["xy", "QÉ"]))
    assert page.total == len(both)


async def test_search_reaches_the_end_of_long_params(stores: Stores, make_execution: MakeExecution) -> None:
    long = make_execution(params={"text": "lorem ipsum " * 20_000 + "the very end"})
    await stores.executions.add(long)
    for _ in range(30):
        await stores.executions.add(make_execution())
    page = await stores.executions.list("org_a", ExecutionFilter(search=["very END"]))
    assert (ids(page.items), page.total) == ([long.id], 1)


@pytest.mark.slow
async def test_a_repeated_search_sees_what_came_since(stores: Stores, make_execution: MakeExecution) -> None:
    for expected in range(1, 40):
        name = "needle" if expected % 13 == 0 else "hay"
        await stores.executions.add(make_execution(params={"v": name}, accepted_at=DAY_ZERO + expected))
        needles = await stores.executions.list("org_a", ExecutionFilter(search=["needle"]))
        hay = await stores.executions.list("org_a", ExecutionFilter(search=["hay"]))
        assert (needles.total, hay.total) == (expected // 13, expected - expected // 13)
        assert (len(needles.items), len(hay.items)) == (needles.total, hay.total)


async def test_a_repeated_search_does_not_count_what_was_deleted_since(
    stores: Stores, make_execution: MakeExecution
) -> None:
    # long before now: PostgreSQL counts on only from executions whose transactions are surely over
    added = [
        await stores.executions.add(make_execution(name="claim", params={"n": n}, accepted_at=1000 + n))
        for n in range(12)
    ]
    for execution in added:
        await stores.executions.finish(final_state(execution.id, end_time=1100), None)
    old, _ = await stores.retention.executions(2000, 0, 12)
    everything = ExecutionFilter(search=["claim"], limit=5)
    for _ in range(2):
        assert (await stores.executions.list("org_a", everything)).total == 12
    await stores.retention.delete_executions(old[:4])
    assert (await stores.executions.list("org_a", everything)).total == 8
    await stores.executions.add(make_execution(name="CLAIM", accepted_at=2000))
    page = await stores.executions.list("org_a", everything)
    assert (page.total, len(page.items)) == (9, 5)
    await stores.retention.delete_executions(old[4:])
    assert (await stores.executions.list("org_a", everything)).total == 1


async def test_a_search_of_many_counts_a_part_at_a_time_and_says_so(
    stores: Stores, make_execution: MakeExecution, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagehand.storage.execution_search._MOST_COUNTED", 10)
    monkeypatch.setattr("pagehand.storage.execution_search.FEW", 0)
    # long before now: PostgreSQL counts in parts only executions whose transactions are surely over
    for n in range(24):
        await stores.executions.add(make_execution(name="claim", params={"n": n}, accepted_at=1000 + n))
        await stores.executions.add(make_execution(organization_id="org_b", accepted_at=1000 + n))
    wanted = ExecutionFilter(search=["claim"], limit=5)
    first = await stores.executions.list("org_a", wanted)
    assert (first.total, first.is_total_exact, len(first.items)) == (10, False, 5)
    await stores.executions.add(make_execution(name="claim", accepted_at=1100))
    second = await stores.executions.list("org_a", replace(wanted, cursor=first.next_cursor))
    assert (second.total, second.is_total_exact) == (21, False)
    for _ in range(2):
        page = await stores.executions.list("org_a", wanted)
        assert (page.total, page.is_total_exact, len(page.items)) == (25, True, 5)


async def test_a_search_that_ends_on_its_page_knows_its_total(
    stores: Stores, make_execution: MakeExecution, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagehand.storage.execution_search._MOST_COUNTED", 3)
    for n in range(12):
        await stores.executions.add(make_execution(name="claim", params={"n": n}, accepted_at=1000 + n))
    for offset in (0, 8):
        page = await stores.executions.list("org_a", ExecutionFilter(search=["claim"], offset=offset))
        assert (page.total, page.is_total_exact, len(page.items)) == (12, True, 12 - offset)


async def test_list_items_carry_what_a_list_shows(stores: Stores, make_execution: MakeExecution) -> None:
    sent = make_execution(params={"a": 1}, metadata={"b": 2}, name="N", parent_execution_id="exec_p")
    await stores.executions.add(sent)
    page = await stores.executions.list("org_a", ExecutionFilter())
    assert page.items == [replace(sent, params={})]
    assert page.params == {sent.id: Raw('{"a":1}')}
