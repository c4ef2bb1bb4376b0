"""Blocks that tests make workflows of."""

from typing import Any

from support.service import Json


def value(ref: str, given: Any = 1, code: str = "input") -> Json:
    """Puts out what it is given."""
    return {"type": "Transform", "blockReferenceId": ref, "data": {"input": given, "code": code}}


def wait(milliseconds: int | str, ref: str = "nap") -> Json:
    return {"type": "Wait", "blockReferenceId": ref, "data": {"durationMs": milliseconds}}


def navigate(url: str, ref: str = "page") -> Json:
    return {"type": "Navigate", "blockReferenceId": ref, "data": {"url": url}}


def fail(message: str, ref: str = "stop") -> Json:
    """Ends the run with `message`."""
    data = {"condition": "1 == 1", "message": message}
    return {"type": "FailOnCondition", "blockReferenceId": ref, "data": data}


def branch(condition: str, then: list[Json], otherwise: list[Json], ref: str = "branch") -> Json:
    return {
        "type": "If",
        "blockReferenceId": ref,
        "data": {"condition": condition},
        "sequenceData": {"trueSequence": then, "falseSequence": otherwise},
    }


def loop(items: Any, blocks: list[Json], ref: str = "loop") -> Json:
    return {
        "type": "LoopV2",
        "blockReferenceId": ref,
        "data": {"over": {"items": items}},
        "sequenceData": {"sequence": blocks},
    }


def click(role: str, text: str, **data: Any) -> Json:
    """Clicks what has this role and name."""
    return {"type": "Mouse", "locator": {"role": role, "text": text}, "data": data}


def click_at(css: str, **data: Any) -> Json:
    return {"type": "Mouse", "locator": {"css": css}, "data": data}


def form(*fields: Json, **data: Any) -> Json:
    return {"type": "Form", "data": {"fields": list(fields), **data}}


def field(key: str, given: Any, input_type: str = "TextInput", **data: Any) -> Json:
    """A field of a form, named by its label."""
    return {"key": key, "inputType": input_type, "value": given, **data}


def fill(key: str, given: Any, input_type: str = "TextInput", **data: Any) -> Json:
    """Fills in the field with this label."""
    return {"type": "Input", "data": field(key, given, input_type, **data)}


def extract(ref: str, schema: Json, locator: Json | None = None, **data: Any) -> Json:
    """Reads what the schema names off the page."""
    block: Json = {"type": "Extract", "blockReferenceId": ref, "data": {"schema": schema, **data}}
    return {**block, "locator": locator} if locator else block


def rows_of(**types: str) -> Json:
    """The schema of a list of objects that have all of these."""
    properties = {name: {"type": kind} for name, kind in types.items()}
    return {"type": "array", "items": {"type": "object", "properties": properties, "required": list(types)}}


def pages(next_page: Json, blocks: list[Json], ref: str = "pages", **data: Any) -> Json:
    """Does the blocks on every page."""
    return {
        "type": "LoopV2",
        "blockReferenceId": ref,
        "data": {"over": {"pages": next_page}, **data},
        "sequenceData": {"sequence": blocks},
    }


def go_to(url: str) -> Json:
    """Opens a page; for workflows that open several."""
    return {"type": "Navigate", "data": {"url": url}}
