"""One pass over a workflow: checks every block and the names it uses, and reads off its input and output."""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pagehand.blocks import Registry
from pagehand.blocks.base import Block, CodeFragment
from pagehand.blocks.user_code import is_javascript
from pagehand.checks.fragments import Fragment, Name, fragments_of, locator_fragments, templates_in
from pagehand.checks.grammar import (
    CHECKING,
    code_problem,
    javascript_warning,
    names_in_code,
    names_of,
    problem_of,
)
from pagehand.errors import InvalidRequest
from pagehand.loop import is_large
from pagehand.records import Json, Workflow, is_object
from pagehand.workflow import tree
from pagehand.workflow.block_keys import sentence
from pagehand.workflow.parameters import input_schema
from pagehand.workflow.refusals import listed, nearest
from pagehand.workflow.tree import Envelope

_MOST_WARNINGS = 200
_CPU_SECONDS = 5.0
"""Reading code takes most of it: thousands of long programs fit into a request."""
_LOOP_NAMES = frozenset(("item", "index"))
_TRANSFORMER_NAMES = frozenset(("params", "blocks", "item", "index", "execution", "now"))
ALWAYS: Final = ("params", "blocks", "login", "execution", "now")
_SHOWN: Final = 20


@dataclass(slots=True, frozen=True)
class WorkflowWarning:
    """Something that is probably not meant, and does not keep the workflow from being kept."""

    block_reference_id: str | None
    field: str
    message: str


def check_workflow(
    blocks: list[Envelope],
    kinds: Registry,
    *,
    output: Any = None,
    parameters: Iterable[Mapping[str, Any]] = (),
    before: Iterable[Envelope] = (),
) -> list[WorkflowWarning]:
    """Refuse what can never work, naming block and field; what is doubtful comes back as warnings.

    `before` are the blocks as they were, so that a deleted one can be called that.
    """
    checker = _Checker(blocks, kinds, frozenset(str(parameter["name"]) for parameter in parameters), before)
    checker.sequence(blocks, checker.scope)
    for fragment in templates_in(output, "output"):
        checker.names(None, fragment.field, names_of(fragment), checker.scope)
    checker.unused_parameters()
    return checker.warnings


@dataclass(slots=True, frozen=True)
class Scope:
    """The names that templates and expressions may use at one place."""

    blocks: Mapping[str, int]
    """The references of all blocks, and their places in the order of the workflow."""
    declared: frozenset[str] | None
    """The parameters that the workflow declares; None when it declares none."""
    deleted: frozenset[str] = frozenset()
    """References of blocks that the current edit deletes."""
    added: frozenset[str] = field(default_factory=frozenset[str])
    """Names that the loops around it give: `item`, `index` and every `itemName`."""

    def inside(self, names: Iterable[str]) -> "Scope":
        """The scope of blocks nested in one that adds these names."""
        return replace(self, added=self.added | frozenset(names))

    def problem(self, name: Name) -> str | None:
        """Why a name cannot be right, and what to write instead; None when it may be."""
        if name.root in ("item", "index") and name.root not in self.added:
            return f"`{name.written}` is known only inside a loop; this block does not stand in one"
        if name.root not in ALWAYS and name.root not in self.added:
            return self._unknown(name)
        if name.root == "blocks" and name.member is not None and name.member not in self.blocks:
            return self._no_block(name.written, name.member)
        if name.root == "params" and name.member is not None and self._is_undeclared(name.member):
            hint = _hint(name.member, sorted(self.declared or ()))
            return f"`{name.written}`: the workflow declares no parameter `{name.member}`{hint}"
        return None

    def _is_undeclared(self, member: str) -> bool:
        return self.declared is not None and member not in self.declared

    def _unknown(self, name: Name) -> str:
        known = (*ALWAYS, *sorted(self.added))
        meant = nearest(name.root, known)
        # `{{table}}` is easily written for `{{blocks.table}}`
        if meant is None and name.root in self.blocks:
            return f"`{name.written}`: a block's output is read as `blocks.{name.root}`"
        hint = f"did you mean `{meant}`?" if meant else f"there is {listed(known)}"
        return f"`{name.written}`: there is no `{name.root}`; {hint}"

    def _no_block(self, written: str, member: str) -> str:
        # the reference was right until this very edit: a guess at another name would mislead
        if member in self.deleted:
            return f"`{written}` names the block `{member}`, which this edit deletes; change this block first"
        known = sorted(self.blocks)
        return f"`{written}`: there is no block `{member}` in this workflow{_hint(member, known)}"


def _hint(name: str, known: list[str]) -> str:
    if meant := nearest(name, known):
        return f"; did you mean `{meant}`?"
    return f"; there is {listed(known[:_SHOWN])}" if known else ""


class _Checker:
    def __init__(
        self, blocks: list[Envelope], kinds: Registry, declared: frozenset[str], before: Iterable[Envelope]
    ) -> None:
        self._kinds = kinds
        self._declared = declared
        self._used: set[str] = set()
        self._code_sees_params = False
        self._end = time.thread_time() + _CPU_SECONDS
        self.warnings: list[WorkflowWarning] = []
        places = {inner.block_reference_id: place for place, inner in enumerate(tree.walk(blocks))}
        gone = frozenset(inner.block_reference_id for inner in tree.walk(before)) - places.keys()
        self._loops = dict(self._loops_around(blocks, frozenset()))
        self._branches = dict(self._branches_around(blocks, {}))
        # a workflow that declares nothing takes any params
        self.scope = Scope(places, declared or None, gone)

    def sequence(self, blocks: list[Envelope], scope: Scope) -> None:
        """Check blocks that stand beside each other."""
        ended_by: Envelope | None = None
        for block in blocks:
            if ended_by is not None:
                self._warn(block, "type", f"never reached: `{ended_by.block_reference_id}` ends the sequence")
                # one warning is enough for all that follows
                ended_by = None
            kind = self._kinds[block.type]
            self._block(block, kind, scope)
            inner = scope.inside(kind.names_inside(block.data))
            for children in block.sequences.values():
                self.sequence(children, inner)
            if kind.ends_sequence(block.data):
                ended_by = block

    def _block(self, block: Envelope, kind: type[Block], scope: Scope) -> None:
        if time.thread_time() > self._end:
            raise InvalidRequest(
                f"The workflow takes more than {_CPU_SECONDS:g} s of processor time to check; "
                "make its code shorter, or split it into several workflows"
            )
        if kind.needs_loop and "index" not in scope.added:
            self._warn(block, "type", f"{kind.title} blocks belong inside a Loop: outside of one they fail")
        # such as `index`, which a Loop's own `while` condition knows before any round
        own = {f"data.{prefix}": scope.inside(names) for prefix, names in kind.own_names.items()}
        for fragment in fragments_of_block(block, kind):
            here = next((inner for prefix, inner in own.items() if fragment.field.startswith(prefix)), scope)
            if (problem := problem_of(fragment)) is not None:
                raise self._refusal(block, fragment.field, problem)
            self.names(block, fragment.field, names_of(fragment), here, is_each_round=here is not scope)
        for code in code_of(block, kind):
            self._check_code(block, code, scope)
        for name, warning in kind.warnings(block.data, block.locator):
            self._warn(block, name, warning)

    def _check_code(self, block: Envelope, code: CodeFragment, scope: Scope) -> None:
        if (problem := code_problem(code)) is not None:
            raise self._refusal(block, code.field, problem)
        names = names_in_code(code)
        self.names(block, code.field, names, scope.inside(code.names - _LOOP_NAMES), is_code=True)
        if code.language == "javascript" and (warning := javascript_warning(code.text)) is not None:
            self._warn(block, code.field, warning)
        # a function may read any parameter from its context
        self._code_sees_params = self._code_sees_params or "context" in code.text or "params" in code.text

    def names(
        self,
        block: Envelope | None,
        field: str,
        names: Iterable[Name],
        scope: Scope,
        *,
        is_code: bool = False,
        is_each_round: bool = False,
    ) -> None:
        """Check the names that a field uses.

        Code may have uses for an output that is null. What a loop judges in each round, such as its `while`,
        reads outputs of its blocks in the round before.
        """
        for name in names:
            if (problem := scope.problem(name)) is not None:
                raise self._refusal(block, field, problem)
            if name.root == "params" and name.member is not None:
                self._used.add(name.member)
            elif name.root == "params":
                # `params` as a whole may be read in any way
                self._code_sees_params = True
            if block is not None and name.root == "blocks" and name.member is not None:
                around = self._loops[block.block_reference_id]
                loops = around | {block.block_reference_id} if is_each_round else around
                self._check_order(block, field, name.member, loops, is_code=is_code)

    def _check_order(
        self, block: Envelope, field: str, reference: str, loops: frozenset[str], *, is_code: bool
    ) -> None:
        own = block.block_reference_id
        if (container := self._branches_apart(own, reference)) is not None:
            problem = (
                f"`{reference}` is in another branch of `{container}`, which has not run when this one does"
            )
            if not is_code:
                raise self._refusal(block, field, f"{problem}; move it before `{container}`")
            self._warn(block, field, f"{problem}: its output is null here")
            return
        if self.scope.blocks[reference] < self.scope.blocks[own]:
            return
        which = "is this very block" if reference == own else "comes later"
        if loops & self._loops[reference]:
            self._warn(block, field, f"`{reference}` {which}: its output is null in the first round")
        elif is_code:
            self._warn(block, field, f"`{reference}` {which}: its output is null here")
        else:
            raise self._refusal(
                block, field, f"`{reference}` {which}, so it never has an output here; move one of the two"
            )

    def _branches_apart(self, first: str, second: str) -> str | None:
        """The block of whose branches only one runs, if the two are in different ones."""
        mine, theirs = self._branches[first], self._branches[second]
        return next((name for name, branch in mine.items() if theirs.get(name, branch) != branch), None)

    def _branches_around(
        self, blocks: list[Envelope], branches: Mapping[str, str]
    ) -> Iterator[tuple[str, Mapping[str, str]]]:
        """The branch that each block is in, of every block around it."""
        for block in blocks:
            yield block.block_reference_id, branches
            for name, children in block.sequences.items():
                yield from self._branches_around(children, {**branches, block.block_reference_id: name})

    def _loops_around(
        self, blocks: list[Envelope], loops: frozenset[str]
    ) -> Iterator[tuple[str, frozenset[str]]]:
        for block in blocks:
            yield block.block_reference_id, loops
            is_loop = "index" in self._kinds[block.type].names_inside(block.data)
            inner = loops | {block.block_reference_id} if is_loop else loops
            for children in block.sequences.values():
                yield from self._loops_around(children, inner)

    def unused_parameters(self) -> None:
        """Warn of parameters that are declared and that nothing reads."""
        if self._code_sees_params:
            return
        for name in sorted(self._declared - self._used):
            self.warnings.append(
                WorkflowWarning(None, f"parameters.{name}", f"`{name}` is declared and never used")
            )

    def _warn(self, block: Envelope, field: str, message: str) -> None:
        if len(self.warnings) < _MOST_WARNINGS:
            self.warnings.append(WorkflowWarning(block.block_reference_id, field, message))

    @staticmethod
    def _refusal(block: Envelope | None, field: str, problem: str) -> InvalidRequest:
        where = f"block `{block.block_reference_id}`, `{field}`" if block else f"`{field}`"
        return InvalidRequest(sentence(f"{where}: {problem}"))


def fragments_of_block(block: Envelope, kind: type[Block]) -> Iterator[Fragment]:
    """The fragments of a block that have a grammar, code apart."""
    yield from fragments_of(kind, block.data)
    yield from locator_fragments(block.locator or {}, "locator")


def code_of(block: Envelope, kind: type[Block]) -> Iterator[CodeFragment]:
    """The code of a block, its transformerFn included."""
    yield from kind.code_in(block.data)
    if text := block.transformer_fn:
        language = "javascript" if is_javascript(text) else "python"
        yield CodeFragment("transformerFn", text, language, 2, _TRANSFORMER_NAMES)


async def schemas_without_blocking(workflow: Workflow, kinds: Registry) -> tuple[Json, Json]:
    """`schemas_of`; in a thread if the workflow is so large that it would block the event loop."""
    if is_large(workflow.blocks):
        return await CHECKING.run(schemas_of, workflow, kinds)
    return schemas_of(workflow, kinds)


def schemas_of(workflow: Workflow, kinds: Registry) -> tuple[Json, Json]:
    """The workflow's `inputSchema` and `outputSchema`."""
    blocks = tree.from_json(workflow.blocks)
    used = used_params(blocks, kinds, workflow.output)
    return input_schema(workflow.parameters, used), _output_schema(blocks, workflow.output)


def used_params(blocks: Iterable[Envelope], kinds: Registry, output: Any) -> list[str]:
    """The parameters that templates and code name, in the order they are first named."""
    names = [name for fragment in templates_in(output, "output") for name in names_of(fragment)]
    for block in tree.walk(blocks):
        kind = kinds[block.type]
        for fragment in fragments_of_block(block, kind):
            # a workflow may be older than a check: what is wrong in it must not keep it from being shown
            names += names_of(fragment) if problem_of(fragment) is None else ()
        for code in code_of(block, kind):
            names += names_in_code(code) if code_problem(code) is None else ()
    return list(dict.fromkeys(name.member for name in names if name.root == "params" and name.member))


def _output_schema(blocks: list[Envelope], output: Any) -> Json:
    """What is known of the response: the shape of `output`, else the blocks that have a schema."""
    if is_object(output):
        return {"type": "object", "properties": {key: {} for key in output}}
    if output is not None:
        return {"type": "object"}
    known = {block.block_reference_id: block.data["schema"] for block in blocks if _has_schema(block)}
    return {"type": "object", "properties": known}


def _has_schema(block: Envelope) -> bool:
    return isinstance(block.data.get("schema"), dict) and not block.transformer_fn
