"""A failure for programs: without secrets, and storable whatever the page or the author wrote."""

from pagehand.engine.reporting.report import redact_failure
from pagehand.records import Cancellation, ExecutionFailure
from pagehand.secrets.redactor import Redactor

SECRET = "hunter2-secret"


def secret_redactor() -> Redactor:
    redactor = Redactor()
    redactor.add(SECRET)
    return redactor


def test_secrets_are_hidden_in_everything_that_people_wrote() -> None:
    failure = ExecutionFailure(
        code="ElementNotFound",
        message=f"No element matches {SECRET}.",
        block_id="block_1",
        block_reference_id=SECRET,
        locator={"text": SECRET},
        cancelled=Cancellation(by=f"Ada {SECRET}", at="2026-01-01T00:00:00.000Z"),
    )
    assert redact_failure(failure, secret_redactor()) == ExecutionFailure(
        code="ElementNotFound",
        message="No element matches ***.",
        block_id="block_1",
        block_reference_id="***",
        locator={"text": "***"},
        cancelled=Cancellation(by="Ada ***", at="2026-01-01T00:00:00.000Z"),
    )
    assert failure.message == f"No element matches {SECRET}."


def test_a_secret_called_like_a_field_does_not_hide_the_field() -> None:
    redactor = Redactor()
    redactor.add("message")
    assert redact_failure(ExecutionFailure(code="X", message="a message"), redactor).message == "a ***"


def test_what_no_store_takes_is_replaced() -> None:
    failure = redact_failure(
        ExecutionFailure(code="X", message="a\ud800b", locator={"text": "\ud800"}), Redactor()
    )
    failure.message.encode()
    assert failure.locator is not None
    failure.locator["text"].encode()
