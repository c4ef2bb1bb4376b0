"""Where user code runs, as blocks see it."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Sandbox(Protocol):
    """Where user code runs: data in, data out, nothing else."""

    async def evaluate(self, expression: str, names: Mapping[str, Any]) -> Any:
        """The value of a Python expression over `names`."""
        ...

    async def call(self, code: str, arguments: Sequence[Any], names: Mapping[str, Any]) -> Any:
        """Run Python code and call the function it defines with as many of `arguments` as it takes.

        A `def main`, else the last `def` or lambda, else the value of the last expression.
        """
        ...
