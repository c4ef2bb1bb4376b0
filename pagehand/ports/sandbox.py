"""The sandbox for user code."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Sandbox(Protocol):
    """Runs user code: JSON in, JSON out."""

    async def evaluate(self, expression: str, names: Mapping[str, Any]) -> Any:
        """The value of a Python expression over `names`."""
        ...

    async def call(self, code: str, arguments: Sequence[Any], names: Mapping[str, Any]) -> Any:
        """Run Python code and call its function with as many of `arguments` as it takes.

        The function is `main`, else the last `def` or lambda; without one, the last expression is the result.
        """
        ...
