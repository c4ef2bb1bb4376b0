"""No module outside `pagehand/blocks` imports or names a kind: what others need to know, kinds declare."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagehand.blocks import kinds

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "pagehand"
TYPES = frozenset(kind.type for kind in kinds())
MODULES = frozenset(kind.__module__ for kind in kinds())
EXCEPTIONS = {
    "imports/": TYPES,  # what other tools record, said as a user would write it
    "exports/": TYPES,  # which kinds a script of another tool can do
    "demo/first_run.py": TYPES,  # a workflow as a user writes it
    "api/resources/blocks.py": frozenset({"Wait"}),  # an example in the API's description
    "api/resources/workflows.py": frozenset({"Navigate", "Transform"}),  # as above
    "instructions/grammar/filling.py": frozenset({"Dropdown"}),  # an `inputType`, not the kind
    "instructions/grammar/loops.py": frozenset({"Next"}),  # the words on a link to the next page
    "instructions/grammar/acting.py": frozenset(
        {"Next", "Search", "Dropdown"}
    ),  # words on buttons; an input type
}
"""Where a kind's name may stand all the same, and why."""


@pytest.mark.slow
def test_no_module_outside_names_a_kind() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in _outside()
        for line, name in _named(path.read_text(encoding="utf-8"))
        if name not in _excepted(path)
    }
    assert sorted(found) == []


@pytest.mark.parametrize("place", EXCEPTIONS)
def test_an_exception_is_still_needed(place: str) -> None:
    paths = [path for path in _outside() if path.relative_to(PACKAGE).as_posix().startswith(place)]
    assert {name for path in paths for _, name in _named(path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize(
    "source",
    [
        'block = {"type": "Mouse"}',
        'if block.type == "Mouse": pass',
        "from pagehand.blocks.page.mouse import Mouse",
        "import pagehand.blocks.page.mouse",
        "from pagehand.blocks.page import mouse",
    ],
)
def test_naming_a_kind_is_noticed(source: str) -> None:
    assert len(list(_named(source))) == 1


def _outside() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if PACKAGE / "blocks" not in path.parents]


def _excepted(path: Path) -> frozenset[str]:
    place = path.relative_to(PACKAGE).as_posix()
    return next((names for start, names in EXCEPTIONS.items() if place.startswith(start)), frozenset[str]())


def _named(source: str) -> Iterator[tuple[int, str]]:
    module = ast.parse(source)
    # what a package exports are names of its own, such as the record `Login`
    module.body = [item for item in module.body if not ast.unparse(item).startswith("__all__")]
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and node.value in TYPES:
            yield node.lineno, str(node.value)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names if name.name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            names = {node.module or "", *(f"{node.module}.{name.name}" for name in node.names)}
            yield from ((node.lineno, name) for name in names & MODULES)
