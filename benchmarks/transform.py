"""A transform over a thousand rows: from JSON in, through the sandbox, to JSON out.

    python benchmarks/transform.py [--runs 50]

Beside it stands the same code in this very process, which is what the sandbox costs, and how the time grows
with the rows.
"""

import argparse
import asyncio
import statistics
import time
from typing import Any

from measuring.report import TIMES, Figure, publish
from pagehand.sandbox import PythonSandbox

CODE = (
    "[{'name': row['name'].upper(), 'gross': round(row['net'] * 1.19, 2)} for row in input if row['net'] > 5]"
)
WITH_HELPERS = "[{'day': date_add(row['day'], days=1), 'key': sha256(row['name'])} for row in input]"


def rows(count: int) -> list[dict[str, Any]]:
    """Orders as an Extract block would put them out."""
    return [
        {"name": f"Customer {n}", "net": n % 97 + 0.5, "day": f"2026-0{n % 9 + 1}-1{n % 9}"}
        for n in range(count)
    ]


def in_this_process(given: list[dict[str, Any]]) -> float:
    """Milliseconds of the same work without a sandbox."""
    began = time.perf_counter()
    kept = [
        {"name": row["name"].upper(), "gross": round(row["net"] * 1.19, 2)} for row in given if row["net"] > 5
    ]
    assert kept  # noqa: S101 - keeps the work from being left out
    return (time.perf_counter() - began) * 1000


async def measure(sandbox: PythonSandbox, code: str, count: int, runs: int) -> float:
    """Milliseconds of one call, p50."""
    given = rows(count)
    await sandbox.call(code, [given, {}], {"input": given})
    took: list[float] = []
    for _ in range(runs):
        began = time.perf_counter()
        await sandbox.call(code, [given, {}], {"input": given})
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


async def compare(runs: int) -> None:
    """Measure and publish."""
    sandbox = PythonSandbox()
    try:
        thousand = await measure(sandbox, CODE, 1000, runs)
        helpers = await measure(sandbox, WITH_HELPERS, 1000, runs)
        ten = await measure(sandbox, CODE, 10, runs)
        many = await measure(sandbox, CODE, 10_000, max(5, runs // 5))
    finally:
        await sandbox.close()
    plain = statistics.median([in_this_process(rows(1000)) for _ in range(runs)])
    figures = [
        Figure("a transform over 1,000 rows, p50", thousand, "ms", 20),
        Figure("the same with helper functions in every row", helpers, "ms"),
        Figure("against the same code without a sandbox", thousand / plain, TIMES),
        Figure("10 rows", ten, "ms"),
        Figure("10,000 rows", many, "ms"),
    ]
    publish("transform", "A transform in the sandbox", figures, isolation=sandbox.isolation)


def main() -> None:
    """Read the options and go."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    asyncio.run(compare(parser.parse_args().runs))


if __name__ == "__main__":
    main()
