"""Writing to the row of a running execution."""

from collections.abc import Awaitable, Callable

SaveChanges = Callable[..., Awaitable[None]]
"""Writes columns of the execution's row; `WorkerLost` when another worker owns it by now."""
