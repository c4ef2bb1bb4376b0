"""The variables of templates and expressions, with params that were probably mistyped; where a run is."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import orjson

from pagehand.blocks import Registry
from pagehand.checks.schemas import used_params
from pagehand.clock import now_ms, to_iso
from pagehand.records import Execution, Json, WorkflowVersion
from pagehand.workflow import tree
from pagehand.workflow.refusals import nearest
from pagehand.workflow.tree import Envelope

_MAX_COMPARED: Final = 50
"""Comparing names takes time; a sheet may have hundreds of columns that nothing uses."""


class Scope:
    """The variables of one run; each round of a loop sees them through its own `Frame`."""

    def __init__(
        self,
        execution: Execution,
        blocks: Iterable[Envelope],
        parameters: Iterable[Json] = (),
        secret_params: Mapping[str, Any] | None = None,
    ) -> None:
        defaults = {
            parameter["name"]: parameter["default"]
            for parameter in parameters
            if parameter.get("default") is not None
        }
        self.params = {**defaults, **execution.params, **(secret_params or {})}
        # a block that exists but has not run reads as null, so every reference is there from the start
        self.outputs: Json = {inner.block_reference_id: None for block in blocks for inner in block.walk()}
        self.login: Json | None = None
        self.login_placeholders: Json | None = None
        """The same with placeholders for the secrets, for fields that are typed or sent as auth."""
        self.execution = {
            "id": execution.id,
            "name": execution.name,
            "isTest": execution.is_test,
            "attempt": execution.attempts,
            "workflow": {"id": execution.workflow_id, "name": execution.workflow_name},
        }

    def add_blocks(self, blocks: Iterable[Envelope]) -> None:
        """Make these blocks known to templates; they read as null until they run."""
        for block in blocks:
            for inner in block.walk():
                self.outputs.setdefault(inner.block_reference_id, None)

    def clear_outputs(self, blocks: Iterable[Envelope]) -> None:
        """Let these blocks read as null again, because they are not run this time."""
        for block in blocks:
            for inner in block.walk():
                self.outputs[inner.block_reference_id] = None


class Frame:
    """Where blocks put their outputs: the whole run or one round of a loop, with the round's own names."""

    def __init__(
        self,
        scope: Scope,
        put_out: Json,
        names: Mapping[str, Any],
        path: Sequence[str | int] | None = (),
    ) -> None:
        """`path` says where `put_out` is in the response; None for what is not part of it."""
        self.scope = scope
        self.put_out = put_out
        self.path = path
        self._round_names = names

    def round(
        self, put_out: Json, names: Mapping[str, Any], path: Sequence[str | int] | None = None
    ) -> "Frame":
        """The frame of a round within this one; outer names stay visible unless hidden by the same name."""
        full_path = None if path is None or self.path is None else (*self.path, *path)
        return Frame(self.scope, put_out, {**self._round_names, **names}, full_path)

    def keep(self, reference: str, value: Any, shown: Any) -> None:
        """Set the output of a block, as templates see it and as the response shows it."""
        self.put_out[reference] = shown
        self.scope.outputs[reference] = value

    def names(self) -> Json:
        """All names as of now, without secrets; call once per block, so that `now` stays the same."""
        scope = self.scope
        names: Json = {
            "params": scope.params,
            "blocks": scope.outputs,
            "execution": scope.execution,
            "now": to_iso(now_ms()),
            **self._round_names,
        }
        if scope.login is not None:
            names["login"] = scope.login
        return names


RunSequence = Callable[[list[Envelope], Frame], Awaitable[None]]
"""Runs blocks in order, from the start block on when the run begins among them."""
RunStep = Callable[[Envelope, Mapping[str, Any], Frame], Awaitable[Any]]
"""Runs a block that is not part of the workflow, as a step of another; returns its output."""


class WalkState:
    """Where a run still has to begin, and which blocks are steps of others."""

    def __init__(self, start_path: list[str]) -> None:
        """`start_path` leads to the start block: ids of the blocks around it, and its own."""
        self.start_path = start_path
        self.steps: set[str] = set()

    def is_step(self, envelope: Envelope) -> bool:
        """True for a block that an agent runs; nothing is remembered of those."""
        return envelope.id in self.steps

    def start_within(self, envelope: Envelope) -> str | None:
        """The sequence of `envelope` in which the run is still to begin."""
        if not self.start_path:
            return None
        first = self.start_path[0]
        names = (name for name, blocks in envelope.sequences.items() if any(b.id == first for b in blocks))
        return next(names, None)


def mistyped_params(execution: Execution, version: WorkflowVersion, kinds: Registry) -> list[str]:
    """One sentence for each; other parameters that nothing uses, such as a sheet's columns, are harmless."""
    declared = {str(parameter["name"]) for parameter in version.parameters}
    undeclared = [name for name in execution.params if name not in declared]
    if not undeclared:
        return []
    # most undeclared ones are used all the same: their templates are found without reading any
    written = orjson.dumps([version.blocks, version.output]).decode()
    named = set(re.findall(r"\bparams\.([\w-]+)", written))
    unused = [name for name in undeclared if name not in named]
    if not unused:
        return []
    used = {*used_params(tree.from_json(version.blocks), kinds, version.output)}
    missing = sorted((used | declared) - execution.params.keys())
    meant = {name: nearest(name, missing) for name in unused[:_MAX_COMPARED] if name not in used}
    return [
        f"The parameter `{name}` was given and nothing uses it; did you mean `{other}`?"
        for name, other in meant.items()
        if other is not None
    ]
