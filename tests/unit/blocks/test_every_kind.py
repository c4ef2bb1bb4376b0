"""Every kind explains itself, shows an example and is run by a test; those of the contract keep their names.

A new kind needs no entry here: it is found by being there, and so is the test that runs it.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

from pagehand.blocks import description, examples, kinds
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks

TESTS = Path(__file__).parents[2]
RUNS_BLOCKS = frozenset(
    ("perform", "run", "run_block", "examples_of", "call", "send", "start", "execute", "tried", "create")
)
"""Calls by which tests run blocks on a real sandbox, page, server or service."""
KINDS = sorted(kind.type for kind in kinds())

CONTRACT = {
    "Navigate": "Navigate",
    "SearchAndNavigate": "Search and Navigate",
    "Search": "Search",
    "ClosePage": "Close Page",
    "ClosePopup": "Close Popup",
    "Login": "Login",
    "Form": "Form Block",
    "Input": "Input",
    "DateInput": "Date Input",
    "Dropdown": "Dropdown",
    "Mouse": "Mouse Block",
    "Hover": "Hover Block",
    "Multistep": "Multistep",
    "Extract": "Extract",
    "ExtractImages": "Extract Images",
    "DownloadFile": "Download File Block",
    "SaveAsPdf": "Save As PDF Block",
    "Wait": "Wait",
    "WaitForCondition": "WaitForCondition",
    "WaitForCaptchaSolve": "Wait For Captcha Solve",
    "FailOnCondition": "FailOnCondition",
    "If": "If",
    "LoopV2": "Loop",
    "ExitFromLoop": "Exit From Loop",
    "Next": "Next",
    "ExtractFromInput": "Generate",
    "API": "API",
    "CodeV2": "CodeV2",
    "Transform": "Transform",
    "ParseToCsv": "Parse to CSV",
    "QueryKnowledgeBase": "QueryKnowledgeBase",
    "ParseDocument": "ParseDocument",
    "FillDocument": "FillDocument",
    "FillSpreadsheet": "Fill Spreadsheet",
    "FindDocument": "FindDocument",
    "RemovePagesFromPdf": "RemovePagesFromPdf",
    "UnzipFile": "UnzipFile",
    "SendEmail": "SendEmail",
}
"""Types and display names that workflows of other installations rely on."""


def test_the_kinds_of_the_contract_keep_their_names() -> None:
    names = {kind.type: kind.title for kind in kinds()}
    assert {name: names.get(name) for name in CONTRACT} == CONTRACT


@pytest.mark.parametrize("type_name", KINDS)
def test_a_kind_explains_itself_and_shows_an_example(type_name: str) -> None:
    kind = kinds()[type_name]
    assert len(description(kind).split()) > 10
    assert kind.__doc__
    assert examples(kind)
    for example in examples(kind):
        used = {block.type for block in tree.walk(parse_blocks([example], kinds()))}
        assert type_name in used


@pytest.mark.parametrize("type_name", KINDS)
def test_a_kind_is_run_for_real_by_a_test(type_name: str) -> None:
    names = {type_name, kinds()[type_name].title}
    assert names & _run_by_tests(), f"no test that runs blocks names `{type_name}`"


RUN = """
NAP = {"type": "Nap", "data": {}}

async def test_naps(perform):
    await perform(NAP)
"""
ONLY_PARSED = """
async def test_naps():
    assert parse_blocks([{"type": "Nap", "data": {}}], kinds())

async def test_another(perform):
    await perform({"type": "Wait"})
"""


def test_a_kind_counts_as_run_where_its_own_test_runs_it() -> None:
    assert "Nap" in _run_in(RUN)
    assert "Nap" not in _run_in(RUN.replace("perform(NAP)", "parse_blocks([NAP])"))
    assert "Nap" not in _run_in(RUN.replace("test_naps", "naps"))


def test_a_kind_that_is_only_parsed_beside_another_that_runs_does_not_count() -> None:
    assert _run_in(ONLY_PARSED) == {"Wait"}


@cache
def _run_by_tests() -> frozenset[str]:
    folders = ("unit/blocks", "unit/documents", "browser", "acceptance")
    paths = [path for folder in folders for path in (TESTS / folder).rglob("test_*.py")]
    others = [path for path in paths if path.name != Path(__file__).name]
    return frozenset(name for path in others for name in _run_in(path.read_text(encoding="utf-8")))


def _run_in(source: str) -> set[str]:
    """Names, as values of `type` or as arguments, in tests that run blocks and in what those tests use."""
    parts = _parts(ast.parse(source))
    found: set[str] = set()
    for name in parts:
        if not name.startswith("test_"):
            continue
        nodes = [node for used in _used_by(name, parts) for node in ast.walk(parts[used])]
        if _called(nodes) & RUNS_BLOCKS:
            found |= _names(nodes)
    return found


def _parts(module: ast.Module) -> dict[str, ast.stmt]:
    """The module's functions, classes and values by name."""
    parts: dict[str, ast.stmt] = {}
    for statement in module.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            parts[statement.name] = statement
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            parts |= {target.id: statement for target in targets if isinstance(target, ast.Name)}
    return parts


def _used_by(name: str, parts: dict[str, ast.stmt]) -> set[str]:
    """The part, and all others that it uses, directly or not."""
    used, left = set[str](), [name]
    while left:
        if (part := left.pop()) not in used:
            used.add(part)
            left += [
                item
                for node in ast.walk(parts[part])
                for item in (getattr(node, "id", None), getattr(node, "arg", None))
                if item in parts
            ]
    return used


def _called(nodes: list[ast.AST]) -> set[str]:
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    return {getattr(function, "attr", getattr(function, "id", "")) for function in calls}


def _names(nodes: list[ast.AST]) -> set[str]:
    arguments = [argument for node in nodes if isinstance(node, ast.Call) for argument in node.args]
    typed = [
        value
        for node in nodes
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "type"
    ]
    return {
        node.value
        for node in (*arguments, *typed)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
