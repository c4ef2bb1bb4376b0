"""The input and output of a workflow, as JSON Schema: declared, or read off its blocks."""

from collections.abc import Iterable
from typing import Any

from pagehand.blocks import Registry
from pagehand.checks.fragments import templates_in
from pagehand.checks.grammar import CHECKING, code_problem, names_in_code, names_of, problem_of
from pagehand.checks.workflow import code_of, fragments_of_block
from pagehand.cooperative import is_large
from pagehand.records import Json, Workflow, is_object
from pagehand.workflow import tree
from pagehand.workflow.parameters import input_schema
from pagehand.workflow.tree import Envelope


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
