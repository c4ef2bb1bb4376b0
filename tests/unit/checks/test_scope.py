"""A name is known or refused with what was probably meant, at every place of a workflow."""

import ast

import pytest

from pagehand.checks.fragments import Name, names_in_expression, names_in_template
from pagehand.checks.workflow import Scope

SCOPE = Scope(blocks={"table": 0, "total": 1}, declared=frozenset(("invoice", "customer")))
OPEN = Scope(blocks={}, declared=None)


def problem(written: str, scope: Scope = SCOPE) -> str | None:
    (name,) = names_in_template("{{" + written + "}}")
    return scope.problem(name)


@pytest.mark.parametrize(
    "written",
    ["params.invoice", "params", "blocks.table.0.x", "blocks", "login.username", "execution.id", "now"],
)
def test_names_there_are_pass(written: str) -> None:
    assert problem(written) is None


def test_without_declarations_any_parameter_passes() -> None:
    assert problem("params.whatever", OPEN) is None


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("param.invoice", "`{{param.invoice}}`: there is no `param`; did you mean `params`?"),
        ("params.invoise", "declares no parameter `invoise`; did you mean `invoice`?"),
        ("params.qqq", "declares no parameter `qqq`; there is `customer`, `invoice`"),
        ("blocks.tabel", "there is no block `tabel` in this workflow; did you mean `table`?"),
        ("total", "`{{total}}`: a block's output is read as `blocks.total`"),
        ("qqq", "there is `params`, `blocks`, `login`, `execution`, `now`"),
        ("item.name", "`{{item.name}}` is known only inside a loop"),
        ("index", "`{{index}}` is known only inside a loop"),
    ],
)
def test_names_there_are_not_come_with_what_was_meant(written: str, reason: str) -> None:
    assert reason in (problem(written) or "")


def test_a_loop_adds_its_names_for_what_is_inside_and_nothing_else() -> None:
    inside = SCOPE.inside(["item", "index"]).inside(["order"])
    assert [problem(name, inside) for name in ("item.x", "index", "order.id")] == [None, None, None]
    assert problem("order.id") is not None


def test_a_block_that_the_edit_deletes_is_named_as_such() -> None:
    scope = Scope(blocks={}, declared=None, deleted=frozenset(("table",)))
    assert "which this edit deletes; change this block first" in (problem("blocks.table", scope) or "")


def test_without_any_block_nothing_is_listed() -> None:
    assert problem("blocks.x", OPEN) == "`{{blocks.x}}`: there is no block `x` in this workflow"


def read(expression: str) -> list[tuple[str, str | None]]:
    return [(name.root, name.member) for name in names_in_expression(ast.parse(expression))]


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("params.n > 3", [("params", "n")]),
        ('params["n"] > 3', [("params", "n")]),
        ("blocks.t[0].x", [("blocks", "t")]),
        ("len(params)", [("len", None), ("params", None)]),
        ('params.get("x")', [("params", None)]),
        ("params[key]", [("params", None), ("key", None)]),
        ("[x for x in item]", [("item", None)]),
        ("lambda params: params.n", []),
        ("(n := index) + n", [("index", None)]),
        ("item.name", [("item", None)]),
    ],
)
def test_an_expression_reads_the_names_it_does_not_bind(
    expression: str, names: list[tuple[str, str | None]]
) -> None:
    assert sorted(read(expression), key=str) == sorted(names, key=str)


def test_names_in_text_are_shown_as_they_were_written() -> None:
    assert list(names_in_template(r"a {{ params.x.y }} \{{no}} {{item}}")) == [
        Name("params", "x", "{{params.x.y}}"),
        Name("item", None, "{{item}}"),
    ]
