"""Blocks that tests make workflows of."""

from typing import Any

from support.service import Json


def value(ref: str, given: Any = 1, code: str = "input") -> Json:
    """Puts out what it is given."""
    return {"type": "Transform", "blockReferenceId": ref, "data": {"input": given, "code": code}}


def wait(milliseconds: int, ref: str = "nap") -> Json:
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
