"""Expressions and functions of users: what they can say, what comes back, how they fail."""

import asyncio
import os
import signal
import tempfile
from pathlib import Path
from typing import Any

import pytest

from pagehand.errors import BlockFailed, TimedOut
from pagehand.sandbox import PythonSandbox, check_syntax

pytestmark = pytest.mark.anyio

NAMES: dict[str, Any] = {
    "params": {"n": 4, "s": " A,b ", "deep": {"list": [1, {"k": "v"}]}, "items": [3], "get": "mine"},
    "blocks": {"rows": [{"a": 1}, {"a": None}], "a-b": 7},
    "item": {"name": "Ada"},
    "index": 2,
    "input": {"price": "1,200.50"},
    "now": "2026-01-02T03:04:05.000Z",
}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("params.n > 3", True),
        ('params["n"] > 3', True),
        ("params.n == 4 and true", True),
        ("false or null", None),
        ('params.get("n")', 4),
        ('params.get("none", 5)', 5),
        ("params.get", "mine"),
        ("params.items", [3]),
        ("sorted(key for key, value in params.items())", ["deep", "get", "items", "n", "s"]),
        ('params.s.strip().lower().split(",")', ["a", "b"]),
        ("params.deep.list[1].k", "v"),
        ("[row.a for row in blocks.rows if row.a != null]", [1]),
        ('blocks["a-b"] + index', 9),
        ('f"{item.name}: {params.deep.list[0]} \\"x\\" \'y\'"', "Ada: 1 \"x\" 'y'"),
        ('float(input.price.replace(",", ""))', 1200.5),
        ("len(params.s)\n  + 1", 6),
        ("  index  ", 2),
        ('now.startswith("2026")', True),
        ("{'a': (1, 2)}", {"a": [1, 2]}),
        ("9223372036854775807", 9223372036854775807),
        ("'1234567890123456789012'", "1234567890123456789012"),
        ("(lambda row: row.a)(blocks.rows[0])", 1),
        ("'é\\u2028😀'", "é\u2028😀"),
    ],
)
async def test_expression_has_its_value(sandbox: PythonSandbox, expression: str, value: Any) -> None:
    assert await sandbox.evaluate(expression, NAMES) == value


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("params.missing", "there is no `missing`; there is: n, s, deep, items, get"),
        ("nosuch + 1", "name 'nosuch' is not defined (there is: blocks, index,"),
        ("params.n.foo", "'int' object has no attribute 'foo'"),
        ("1 +", "not valid Python: invalid syntax"),
        ("x = 1", "not valid Python"),
        ("   ", "The expression is empty"),
        ("float('nan')", "not JSON: Out of range float values"),
        ("[1, float('inf')]", "not JSON: Out of range float values"),
        ("{1, 2}", "not JSON: Object of type set"),
        ("_pagehand_json", "Names that begin with `_pagehand_` are taken"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("(" * 500 + ")" * 500, "not valid Python: too many nested parentheses"),
        ("-" * 20_000 + "1", "nested too deeply"),
    ],
)
async def test_expression_that_fails_says_why(sandbox: PythonSandbox, expression: str, says: str) -> None:
    with pytest.raises(BlockFailed) as failure:
        await sandbox.evaluate(expression, NAMES)
    assert says in failure.value.message


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("def main(inputs):\n    return inputs.n * 2", 10),
        ("def main():\n    return 1\ndef later(inputs):\n    return 2", 1),
        ("def first(a):\n    return 1\ndef second(a):\n    return a['n'] + 1", 6),
        ("def fits(a):\n    return 1\ndef greedy(a, b, c):\n    return 2", 1),
        ("lambda inputs: inputs['n']", 5),
        ("double = lambda inputs, context: [inputs.n, context.index]", [5, 2]),
        ("def many(*all):\n    return len(all)", 2),
        ("def helper(x):\n    return x + 1\n[helper(n) for n in [1, 2]]", [2, 3]),
        ("total = sum([1, 2])\ntotal * index", 6),
        ("async def main(inputs):\n    return inputs.n", 5),
        ("import re\ndef main():\n    return re.search('b', 'ab').string", "ab"),
        ("from datetime import date\ndef main():\n    return date(2020, 1, 2).year", 2020),
        ("import math as m\nm.floor(m.pi)", 3),
        ("class A:\n    k = 1\n    def __init__(self, v):\n        self.v = v\nA(3).v + A.k", 4),
        ("def main(inputs):\n    pass", None),
        ("def main(inputs):\n    match inputs:\n        case {'n': n}:\n            return n", 5),
        ("input.price", "1,200.50"),
    ],
)
async def test_code_gives_what_its_function_or_last_expression_gives(
    sandbox: PythonSandbox, code: str, value: Any
) -> None:
    assert await sandbox.call(code, [{"n": 5}, {"index": 2}], NAMES) == value


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (
            "def main(inputs):\n    # a note\n\n    return (1 +\n        inputs.n / 0)",
            "in line 5: ZeroDivisionError",
        ),
        (
            "def main(inputs):\n    x = inputs\n\n    return x.other",
            "in line 4: AttributeError: there is no `other`",
        ),
        ("x = [\n  1,\n  2]\nraise ValueError('no good')\nx", "in line 4: ValueError: no good"),
        (
            "def g():\n    yield 1\nlist(g())",
            "in line 2: the sandbox's subset of Python does not support yield",
        ),
        ("x = 1\nimport os", "Line 2: module `os` is not available in the sandbox; available: base64"),
        ("def main(a, b, c):\n    return 1", "`main` asks for 3 arguments; it can be given 2."),
        ("x = 1", "The code has no value"),
        ("x = 1\nif x:\n    return 4", "Line 3: `return` outside a function"),
        ("def main(:\n    pass", "not valid Python in line 1"),
        ("x" * 100_001, "at most 100000 are allowed"),
        ("1," * 20_000, "too long: it has 40,000 words and signs"),
    ],
)
async def test_code_that_fails_names_the_users_line(sandbox: PythonSandbox, code: str, says: str) -> None:
    with pytest.raises(BlockFailed) as failure:
        await sandbox.call(code, [{"n": 5}, {}], NAMES)
    assert says in failure.value.message


async def test_names_that_are_not_json_are_refused(sandbox: PythonSandbox) -> None:
    with pytest.raises(BlockFailed, match="What the code is given is not JSON"):
        await sandbox.evaluate("params", {"params": {"x": Path("/")}})


@pytest.mark.parametrize("code", ["1 + 1", "lambda input: input + 1", "def main(input): return input + 1"])
async def test_arguments_the_code_does_not_take_never_cross(sandbox: PythonSandbox, code: str) -> None:
    assert await sandbox.call(code, [1, Path("/")], {}) == 2


async def test_names_the_code_does_not_use_never_cross(sandbox: PythonSandbox) -> None:
    assert await sandbox.evaluate("1 + 1", {"params": Path("/")}) == 2


async def test_whole_numbers_beyond_64_bits_can_go_in(sandbox: PythonSandbox) -> None:
    assert await sandbox.evaluate("params.n % 10", {"params": {"n": 2**80 + 3}}) == (2**80 + 3) % 10


async def test_one_call_leaves_nothing_for_the_next(sandbox: PythonSandbox) -> None:
    await sandbox.call("left = 1\nleft", [], {})
    with pytest.raises(BlockFailed, match="'left' is not defined"):
        await sandbox.call("left", [], {})


@pytest.mark.parametrize("code", ["def main(x):\n    return x", "1 + 1", "import os"])
def test_valid_code_passes_the_syntax_check_unrun(code: str) -> None:
    assert check_syntax(code) is None


def test_syntax_check_names_line_and_mistake() -> None:
    assert check_syntax("x = 1\ny = (") == "The code is not valid Python in line 2: '(' was never closed."
    assert check_syntax("x = 1", "expression") is not None


async def test_calls_queue_when_all_workers_are_busy() -> None:
    sandbox = PythonSandbox(processes=1, seconds=5)
    values = await asyncio.gather(
        *(sandbox.evaluate("params.n * 2", {"params": {"n": n}}) for n in range(50))
    )
    await sandbox.close()
    assert values == [n * 2 for n in range(50)]


async def test_a_cancelled_call_frees_its_worker() -> None:
    sandbox = PythonSandbox(processes=1, seconds=60)
    await sandbox.start()
    hanging = asyncio.create_task(sandbox.call("while True:\n    pass\n1", [], {}))
    await asyncio.sleep(0.2)
    hanging.cancel()
    async with asyncio.timeout(30):  # the loop alone would take a minute
        assert await sandbox.evaluate("1", {}) == 1
    await sandbox.close()


async def test_a_killed_worker_fails_its_call_and_is_replaced() -> None:
    sandbox = PythonSandbox(processes=1, seconds=30)
    others = _workers()
    await sandbox.evaluate("1", {})
    [worker] = _workers() - others
    running = asyncio.create_task(sandbox.call("while True:\n    pass\n1", [], {}))
    await asyncio.sleep(0.2)
    os.kill(worker, signal.SIGKILL)
    with pytest.raises(BlockFailed, match="brought its worker down"):
        await running
    assert await sandbox.evaluate("1", {}) == 1
    await sandbox.close()


async def test_close_leaves_no_process_behind_and_the_next_call_starts_anew() -> None:
    others = _workers()
    sandbox = PythonSandbox(processes=2)
    await asyncio.gather(*(sandbox.evaluate("1", {}) for _ in range(10)))
    assert _workers() - others
    await sandbox.close()
    assert _workers() == others
    assert await sandbox.evaluate("2", {}) == 2
    await sandbox.close()


@pytest.mark.slow
async def test_reading_long_code_does_not_hold_up_the_service(sandbox: PythonSandbox) -> None:
    long_one = asyncio.create_task(sandbox.call("x = 1\n" * 7_000 + "x", [], {}))
    turns = 0
    while not long_one.done():
        await asyncio.sleep(0.005)
        turns += 1
    assert await long_one == 1
    assert turns > 5


@pytest.mark.slow
async def test_running_out_of_time_is_its_own_failure(sandbox: PythonSandbox) -> None:
    with pytest.raises(TimedOut, match="ran longer than 1 s"):
        await sandbox.call("while True:\n    pass\n1", [], {})


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("'a' * 10 ** 10", "needs more than 64 MB of memory"),
        ("print('a' * 10 ** 7)\n1", "printed more than 1 MB"),
        ("'a' * 2 * 10 ** 6", "The result is larger than 1 MB"),
    ],
)
async def test_going_over_a_limit_says_which(sandbox: PythonSandbox, code: str, says: str) -> None:
    with pytest.raises(BlockFailed, match=says):
        await sandbox.call(code, [], {})


async def test_without_bubblewrap_workers_are_plain_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    sandbox = PythonSandbox()
    assert await sandbox.evaluate("params.n", {"params": {"n": 1}}) == 1
    assert sandbox.isolation == "process"
    await sandbox.close()


def _workers() -> set[int]:
    """Processes that any thread of ours started and that are sandbox workers."""
    lists = [Path(task, "children").read_text() for task in Path("/proc/self/task").iterdir()]
    children = [int(pid) for children in lists for pid in children.split()]
    return {pid for pid in children if Path(f"/proc/{pid}/comm").read_text().strip() in {"bwrap", "monty"}}


def listed(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_a_start_that_is_cancelled_half_way_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    sandbox = PythonSandbox(processes=1)
    starting = asyncio.create_task(sandbox.start())
    while not listed(tmp_path):  # noqa: ASYNC110 - nobody announces it
        await asyncio.sleep(0)
    starting.cancel()
    await asyncio.wait([starting])
    assert await sandbox.evaluate("1 + 1", {}) == 2
    assert len(listed(tmp_path)) == 1
    await sandbox.close()
    assert listed(tmp_path) == []
