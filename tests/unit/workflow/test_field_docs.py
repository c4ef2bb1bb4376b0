"""Texts below fields become descriptions in schemas."""

from typing import Annotated, Any

from pydantic import Field

from pagehand.workflow.wire import WireModel


class Base(WireModel):
    first_name: str = ""
    """As on the
    passport."""
    age: Annotated[int, Field(description="In years.")] = 0
    """Not shown: the field has a description of its own."""
    silent: str = ""


class Derived(Base):
    first_name: str = "Ada"
    """Of the person who signs."""
    other: Base | None = None
    """Somebody else."""

    class Inner(WireModel):
        depth: int = 0
        """In metres."""


def _descriptions(model: type[WireModel]) -> dict[str, Any]:
    return {name: shown.get("description") for name, shown in model.model_json_schema()["properties"].items()}


def test_text_below_a_field_is_its_description() -> None:
    assert _descriptions(Base) == {"firstName": "As on the\npassport.", "age": "In years.", "silent": None}


def test_derived_class_keeps_texts_and_replaces_those_it_writes_anew() -> None:
    assert _descriptions(Derived) == {
        "firstName": "Of the person who signs.",
        "age": "In years.",
        "silent": None,
        "other": "Somebody else.",
    }


def test_class_within_a_class_has_its_texts() -> None:
    assert _descriptions(Derived.Inner) == {"depth": "In metres."}
