"""Every error that can fail an execution has a code that the docs and OpenAPI list."""

from collections.abc import Iterator

from msgspec import to_builtins

from pagehand import blocks, sandbox
from pagehand.engine.reporting.report import Failure
from pagehand.errors import FAILURE_CODES, Cancelled, NotPresent, PagehandError
from pagehand.logins import failures
from pagehand.page import phrases
from pagehand.records import Cancellation
from pagehand.workflow.tree import Envelope

LOADED = (blocks.kinds(), sandbox, phrases, failures)
"""The packages that have errors of their own."""


def every(kind: type[PagehandError]) -> Iterator[type[PagehandError]]:
    yield kind
    for narrower in kind.__subclasses__():
        yield from every(narrower)


def test_every_error_has_a_listed_code_and_every_code_an_error() -> None:
    assert all(LOADED)
    assert {kind.code for kind in every(PagehandError)} == set(FAILURE_CODES)


def test_a_failure_tells_programs_the_code_of_its_class_and_the_block() -> None:
    block = Envelope(
        id="block_1", name="Save", block_reference_id="save", type="Mouse", data={}, locator={"css": "#s"}
    )
    failure = Failure(block, NotPresent("No element matches.")).to_record()
    assert to_builtins(failure) == {
        "code": "ElementNotFound",
        "message": "No element matches.",
        "blockId": "block_1",
        "blockReferenceId": "save",
        "locator": {"css": "#s"},
        "cancelled": None,
    }


def test_a_cancelled_one_says_by_whom_and_when() -> None:
    error = Cancelled("Cancelled by Ada.", by="Ada", at="2026-01-01T00:00:00.000Z")
    failure = Failure(None, error).to_record()
    assert (failure.code, failure.block_id) == ("Cancelled", None)
    assert failure.cancelled == Cancellation(by="Ada", at="2026-01-01T00:00:00.000Z")
