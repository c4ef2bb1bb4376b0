"""Parameters that nothing uses, although their names look like those of parameters that are used."""

import re
from typing import Final

import orjson

from pagehand.blocks import Registry
from pagehand.checks.schemas import used_params
from pagehand.records import Execution, WorkflowVersion
from pagehand.workflow import tree
from pagehand.workflow.refusals import nearest

_MAX_COMPARED: Final = 50
"""Comparing names takes time; a sheet may have hundreds of columns that nothing uses."""


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
