"""All 38 kinds are there, explain themselves, show an example, and are run for real by some test."""

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

ALL = {
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
NOT_YET: frozenset[str] = frozenset(())
"""Kinds that are still to be written; one that exists must be taken out of this list."""


def test_there_are_thirty_eight() -> None:
    assert len(ALL) == 38


def test_what_is_listed_as_missing_is_missing() -> None:
    assert sorted(NOT_YET) == sorted(set(ALL) - {kind.type for kind in kinds()})


def test_no_kind_goes_by_a_name_of_its_own() -> None:
    assert {kind.type: kind.title for kind in kinds()}.items() <= ALL.items()


@pytest.mark.parametrize("type_name", sorted(set(ALL) - NOT_YET))
def test_a_kind_explains_itself_and_shows_an_example(type_name: str) -> None:
    kind = kinds()[type_name]
    assert len(description(kind).split()) > 10
    assert kind.__doc__
    assert examples(kind)
    for example in examples(kind):
        used = {block.type for block in tree.walk(parse_blocks([example], kinds()))}
        assert type_name in used


@pytest.mark.parametrize("type_name", sorted(set(ALL) - NOT_YET))
def test_a_kind_is_run_for_real_by_a_test(type_name: str) -> None:
    assert {type_name, ALL[type_name]} & _named_by_tests(), f"no test that runs blocks names `{type_name}`"


@cache
def _named_by_tests() -> frozenset[str]:
    """Names of kinds, as the values of `type` or as arguments, in files whose tests run blocks."""
    folders = ("unit/blocks", "unit/documents", "browser", "acceptance")
    paths = [path for folder in folders for path in (TESTS / folder).rglob("test_*.py")]
    return frozenset(name for path in paths for name in _named_in(path))


def _named_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {getattr(node.func, "attr", getattr(node.func, "id", "")) for node in calls}
    if path.name == Path(__file__).name or not names & RUNS_BLOCKS:
        return set()
    arguments = [argument for node in calls for argument in node.args]
    typed = [
        value
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "type"
    ]
    return {
        node.value
        for node in (*arguments, *typed)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
