import asyncio
import threading
from typing import Any

import pytest

from pagehand.loop import LARGE_BYTES, is_large, without_blocking

ITSELF: list[Any] = []
ITSELF.append(ITSELF)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, False),
        ({"a": [1, "text", {"b": b"bytes"}]}, False),
        ("x" * (LARGE_BYTES // 2), False),
        ("x" * (LARGE_BYTES + 64), True),
        ({"a": ["x" * (LARGE_BYTES // 3)] * 4}, True),
        (list(range(10_000)), True),
        ([[[n]] for n in range(2_000)], True),
        ({str(n): None for n in range(10_000)}, True),
        (ITSELF, True),
    ],
    ids=["null", "small", "text", "long text", "texts", "list", "nested", "object", "itself"],
)
def test_a_value_is_large_by_its_parts_and_its_texts(value: object, *, expected: bool) -> None:
    assert is_large(value) is expected


@pytest.mark.anyio
async def test_only_a_large_value_is_worked_on_in_a_thread() -> None:
    here = threading.get_ident()
    assert await without_blocking(lambda _: threading.get_ident(), "x" * 100) == here
    assert await without_blocking(lambda _: threading.get_ident(), "x" * 1_000_000) != here


@pytest.mark.anyio
async def test_large_values_are_worked_on_one_at_a_time() -> None:
    # several threads that hold the interpreter would leave the event loop no time
    arrived = threading.Barrier(2)

    def is_alone(_: str) -> bool:
        try:
            arrived.wait(0.2)
        except threading.BrokenBarrierError:
            arrived.reset()
            return True
        return False

    large = "x" * 1_000_000
    assert all(await asyncio.gather(*(without_blocking(is_alone, large) for _ in range(3))))
