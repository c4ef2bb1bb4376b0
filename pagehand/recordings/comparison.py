"""Compares a run with the recorded one: which block is the first that differs."""

from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec

from pagehand.recordings.recording import Recording, Step

_OF_ONE_RUN: Final = frozenset(("id", "key", "downloadUrl", "url", "messageId", "createdAt", "executionId"))
"""Fields of files, mails and the like that are new in every run."""
_FILE_FIELDS: Final = frozenset(("downloadUrl", "messageId"))
_ANSWER_FIELDS: Final = frozenset(("status", "headers", "data"))
_SHOWN: Final = 300


def first_difference(recorded: Recording, now: Recording) -> str:
    """A sentence about the first block that differs; empty when none does."""
    known = {step.block for step in recorded.steps}
    failed_before = {step.block for step in recorded.steps if step.failed}
    for step in now.steps:
        if step.failed and step.block not in failed_before:
            return f"{_name(step)} failed"
        # a block that was added since has nothing to differ from
        is_known = step.block in known
        if is_known and not step.failed and _output(recorded, step) != _output(now, step):
            before, after = _text(_output(recorded, step)), _text(_output(now, step))
            return f"{_name(step)} differs: recorded {before}, now {after}"
    missing = [step for step in recorded.steps if step.block not in {done.block for done in now.steps}]
    if now.status != recorded.status:
        return f"The run is {now.status}, recorded was {recorded.status}"
    # a block that was taken out of the workflow is no difference, unless the run stopped before it
    return f"{_name(missing[0])} did not run" if missing and now.status == "Failed" else ""


def _name(step: Step) -> str:
    return f"“{step.name}” (`{step.block}`)"


def _output(run: Recording, step: Step) -> Any:
    return _stable(run.response.get(step.block))


def _stable(value: Any) -> Any:
    """The value without what is new in every run."""
    if isinstance(value, list):
        return [_stable(item) for item in cast("list[Any]", value)]
    if not isinstance(value, Mapping):
        return value
    given = cast("Mapping[str, Any]", value)
    left_out = _OF_ONE_RUN if _FILE_FIELDS & given.keys() else frozenset[str]()
    if given.keys() >= _ANSWER_FIELDS:  # the headers of an answer are its connection's, too
        left_out |= {"headers"}
    return {key: _stable(item) for key, item in given.items() if key not in left_out}


def _text(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
