"""The names that templates speak of, in the whole run and in a loop's rounds."""

from collections.abc import Callable
from typing import Any

from pagehand.blocks import kinds
from pagehand.engine.run.scope import Frame, Scope
from pagehand.records import Execution
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow.tree import Envelope
from support.attempts import loop, value

MakeExecution = Callable[..., Execution]


def parsed(*blocks: dict[str, Any]) -> list[Envelope]:
    return parse_blocks([dict(block) for block in blocks], kinds())


def test_what_was_given_comes_before_defaults_and_secrets_before_their_masks(
    make_execution: MakeExecution,
) -> None:
    parameters = [
        {"name": "n", "default": 1},
        {"name": "who", "default": "ann"},
        {"name": "pin"},
        {"name": "off", "default": False},
    ]
    execution = make_execution(params={"n": 2, "pin": "********"})
    scope = Scope(execution, [], parameters, {"pin": "4711"})
    assert scope.params == {"n": 2, "who": "ann", "pin": "4711", "off": False}
    assert execution.params == {"n": 2, "pin": "********"}


def test_every_block_is_known_from_the_start_and_reads_as_null(make_execution: MakeExecution) -> None:
    blocks = parsed(value("a", 1), loop("rows", {"times": 1}, value("b", 1)))
    scope = Scope(make_execution(), blocks)
    assert scope.outputs == {"a": None, "rows": None, "b": None}
    scope.outputs["a"] = 1
    scope.add_blocks(parsed(value("a", 1), value("c", 1)))
    assert scope.outputs == {"a": 1, "rows": None, "b": None, "c": None}
    scope.outputs["b"] = 2
    scope.clear_outputs(blocks)
    assert scope.outputs == {"a": None, "rows": None, "b": None, "c": None}


def test_a_round_sees_its_own_names_and_the_outer_ones_by_theirs(make_execution: MakeExecution) -> None:
    scope = Scope(make_execution(), [])
    whole = Frame(scope, {}, {})
    outer = whole.round({}, {"item": "x", "index": 0, "customer": "x"}, ("rows", 0))
    inner = outer.round({}, {"item": "y", "index": 3}, ("lines", 3))
    names = inner.names()
    assert (names["item"], names["index"], names["customer"]) == ("y", 3, "x")
    assert inner.path == ("rows", 0, "lines", 3)
    assert outer.names()["item"] == "x"
    assert "item" not in whole.names()


def test_outputs_outside_the_response_are_not_written(make_execution: MakeExecution) -> None:
    whole = Frame(Scope(make_execution(), []), {}, {})
    step = whole.round({}, {})
    assert (step.path, step.round({}, {}, ("rows", 0)).path) == (None, None)


def test_a_value_is_kept_whole_for_templates_and_as_shown_for_the_response(
    make_execution: MakeExecution,
) -> None:
    scope, response = Scope(make_execution(), []), dict[str, Any]()
    Frame(scope, response, {}).keep("table", [1, 2, 3], {"id": "file_1"})
    assert (scope.outputs, response) == ({"table": [1, 2, 3]}, {"table": {"id": "file_1"}})


def test_the_login_is_a_name_only_once_there_is_one(make_execution: MakeExecution) -> None:
    scope = Scope(make_execution(attempts=2, is_test=True, name="Monday"), [])
    frame = Frame(scope, {}, {})
    assert "login" not in frame.names()
    scope.login = {"username": "ann"}
    assert frame.names()["login"] == {"username": "ann"}
    execution = frame.names()["execution"]
    assert (execution["attempt"], execution["isTest"], execution["workflow"]["name"]) == (2, True, "Claims")
