"""Traces of executions, one span per block; off unless the operator turns them on."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final, Protocol

from pagehand.records import Execution, Json
from pagehand.workflow.tree import Envelope

TRACEPARENT: Final = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})")
"""The header of W3C's Trace Context, version 00: trace, span and flags of the caller."""


class Trace(Protocol):
    """One attempt at an execution, as spans."""

    def event(self, type: str, block: Envelope | None, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        """Something happened during the attempt."""
        ...

    def end(self, status: str, code: str) -> None:
        """The attempt is over; `code` is its failure's, empty when it went well."""
        ...


class Traces(Protocol):
    """Makes the traces of this process."""

    def metadata(self, execution_id: str, traceparent: str | None) -> Json:
        """What is added to an execution's metadata; `traceparent` is the header of the request for it."""
        ...

    def begin(self, execution: Execution) -> Trace:
        """An attempt begins."""
        ...


class NoTraces:
    """Implements `Traces` and `Trace` without recording anything."""

    def metadata(self, execution_id: str, traceparent: str | None) -> Json:
        """Nothing."""
        del execution_id, traceparent
        return {}

    def begin(self, execution: Execution) -> Trace:
        """Nothing is recorded."""
        del execution
        return self

    def event(self, type: str, block: Envelope | None, data: Mapping[str, Any]) -> None:  # noqa: A002 - as above
        """Nothing is recorded."""

    def end(self, status: str, code: str) -> None:
        """Nothing is recorded."""


def logged_trace(execution: Execution) -> Json:
    """The log field of an execution's trace; empty where it has none."""
    return {"trace": execution.metadata["traceId"]} if "traceId" in execution.metadata else {}


def trace_id_of(execution_id: str) -> str:
    """The trace of an execution without `traceparent`: the same in every process and attempt."""
    # derived from the execution's id, so that nothing has to be stored
    return hashlib.sha256(execution_id.encode()).hexdigest()[:32]
