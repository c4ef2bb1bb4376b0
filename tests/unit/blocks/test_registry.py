"""Kinds are found by being there, and say what they look like."""

import importlib
import sys
from pathlib import Path
from typing import Any, ClassVar

import jsonschema_rs
import pytest

from pagehand.blocks import Registry, envelope_schema, examples, kinds
from pagehand.blocks.base import Block
from pagehand.blocks.data.transform import Transform
from pagehand.blocks.flow.if_ import If
from pagehand.blocks.flow.loop import Loop
from pagehand.blocks.flow.wait import Wait
from pagehand.blocks.registry import discover
from pagehand.errors import OurFault
from pagehand.workflow.parse import parse_blocks


def mine() -> list[type[Block]]:
    return [
        kind
        for kind in kinds()
        if kind.__module__.startswith(("pagehand.blocks.flow", "pagehand.blocks.data"))
    ]


def test_kinds_are_found_by_type_and_by_display_name() -> None:
    assert kinds().kind_named("LoopV2") is kinds().kind_named("Loop") is Loop
    assert kinds().kind_named("Teleport") is None
    found = {kind.type for kind in mine()}
    assert found >= {
        "Wait",
        "WaitForCondition",
        "FailOnCondition",
        "If",
        "LoopV2",
        "ExitFromLoop",
        "Next",
        "Transform",
        "CodeV2",
        "ParseToCsv",
        "ExtractFromInput",
    }


def test_two_kinds_of_one_name_are_refused() -> None:
    class Nap(Block):
        type: ClassVar[str] = "Nap"
        title: ClassVar[str] = "Wait"

    with pytest.raises(OurFault, match=r"Two block kinds are called `Wait`.*flow.wait.Wait.*Nap"):
        Registry([Wait, Nap])


def test_a_stored_type_that_is_gone_is_our_fault() -> None:
    with pytest.raises(OurFault, match="Gone"):
        kinds().parse("Gone", {})


def package(folder: Path, name: str, **modules: str) -> Any:
    (folder / name).mkdir()
    for module, text in {"__init__": "", **modules}.items():
        (folder / name / f"{module}.py").write_text(text)
    return __import__(name)


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    return tmp_path


NAP = """from typing import ClassVar
from pagehand.blocks.base import Block
from pagehand.blocks.flow.wait import Wait

class Rest(Block):
    pass

class Nap(Rest):
    type: ClassVar[str] = "Nap"
    title: ClassVar[str] = "Nap"
"""


def test_a_module_brings_only_the_kinds_it_defines(on_path: Path) -> None:
    found = list(discover(package(on_path, "naps", nap=NAP)))
    assert [kind.type for kind in found] == ["Nap"]


def test_a_module_that_cannot_be_loaded_is_named(on_path: Path) -> None:
    broken = package(on_path, "broken_blocks", sleepy="import no_such_thing")
    with pytest.raises(ImportError) as caught:
        list(discover(broken))
    assert "`broken_blocks.sleepy`" in "".join(caught.value.__notes__)


def test_a_package_outside_adds_its_kinds_by_entry_point(on_path: Path) -> None:
    package(on_path, "outside_naps", nap=NAP.replace('"Nap"', '"OutsideNap"'))
    metadata = on_path / "outside_naps-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: outside-naps\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[pagehand.blocks]\nnap = outside_naps.nap\n")
    found = list(discover(package(on_path, "empty_blocks")))
    assert [kind.type for kind in found] == ["OutsideNap"]


@pytest.mark.parametrize("kind", mine(), ids=lambda kind: kind.type)
def test_every_kind_is_described_with_examples_that_parse(kind: type[Block]) -> None:
    module = sys.modules[kind.__module__]
    assert module.__doc__
    given = examples(kind)
    assert given
    parse_blocks(given, kinds())
    for name, field in kind.model_json_schema()["properties"].items():
        assert field.get("description"), name


@pytest.mark.parametrize("kind", mine(), ids=lambda kind: kind.type)
def test_the_schema_of_a_kind_takes_its_examples_and_refuses_unknown_keys(kind: type[Block]) -> None:
    schema = envelope_schema(kind)
    schema.setdefault("$defs", {})["Block"] = {"type": "object"}
    validator = jsonschema_rs.validator_for(schema)
    for example in examples(kind):
        if kinds().kind_named(example["type"]) is kind:
            validator.validate({**example, "type": kind.type})
            data = {**example["data"], "unknownKey": 1}
            assert not validator.is_valid({**example, "type": kind.type, "data": data})


def test_a_schema_says_that_typed_fields_take_templates() -> None:
    validator = jsonschema_rs.validator_for(envelope_schema(Wait))
    assert validator.is_valid({"type": "Wait", "data": {"durationMs": "{{params.ms}}"}})
    assert not validator.is_valid({"type": "Wait", "data": {"durationMs": "long"}})


def test_a_schema_can_refer_to_models_kept_elsewhere() -> None:
    schema = envelope_schema(If, "#/components/schemas/{model}")
    assert schema["properties"]["sequenceData"]["properties"]["trueSequence"]["items"] == {
        "$ref": "#/components/schemas/Block"
    }
    assert "#/$defs" not in str(schema)


def test_filling_in_leaves_code_and_conditions_as_written() -> None:
    names = {"params": {"n": 2}, "list": [1]}
    assert Transform.resolve_data({"input": "{{params.n}}", "code": "{{params.n}}"}, names) == {
        "input": 2,
        "code": "{{params.n}}",
    }
    over = {"while": {"element": {"css": "{{params.n}}"}}}
    assert Loop.resolve_data({"over": over, "maxIterations": "{{params.n}}"}, names) == {
        "over": over,
        "maxIterations": 2,
    }
    assert Loop.resolve_data({"over": {"items": "{{list}}"}}, names) == {"over": {"items": [1]}}
    assert Loop.resolve_data({"over": {"pages": {"text": "p{{params.n}}"}}}, names) == {
        "over": {"pages": {"text": "p2"}}
    }
    assert If.resolve_data({"condition": "{{params.n}}"}, names) == {"condition": "{{params.n}}"}
