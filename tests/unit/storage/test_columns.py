"""Columns that hold records: what is written is read back, and what cannot be read does not hide its row."""

from typing import Any

import pytest
from sqlalchemy.dialects import sqlite

from pagehand.records import Authentication, AuthenticationStatus, Cancellation, ExecutionFailure
from pagehand.storage.columns import JsonStruct, JsonStructList, JsonText

DIALECT = sqlite.dialect()
SIGN_IN = Authentication(
    browser_session_id="bs_1", status=AuthenticationStatus.WAITING_FOR_CODE, live_view_url="https://x/live"
)
FAILURE = ExecutionFailure(
    code="Cancelled", message="Cancelled by Ada.", cancelled=Cancellation(by="Ada", at="2026-01-01")
)


def written(column: JsonText, value: Any) -> str | None:
    return column.bind_processor(DIALECT)(value)


def read(column: JsonText, text: str | None) -> Any:
    return column.result_processor(DIALECT, None)(text)


@pytest.mark.parametrize("records", [[], [SIGN_IN], [SIGN_IN, SIGN_IN]])
def test_a_list_of_records_is_read_back_as_it_was_written(records: list[Authentication]) -> None:
    column = JsonStructList(Authentication)
    assert read(column, written(column, records)) == records


@pytest.mark.parametrize("failure", [None, FAILURE])
def test_a_record_or_none_is_read_back_as_it_was_written(failure: ExecutionFailure | None) -> None:
    column = JsonStruct(ExecutionFailure)
    assert read(column, written(column, failure)) == failure


def test_records_are_kept_by_their_names_on_the_wire() -> None:
    text = '[{"browserSessionId":"bs_1","status":"WaitingForCode","liveViewUrl":"https://x/live"}]'
    assert written(JsonStructList(Authentication), [SIGN_IN]) == text


def test_half_a_surrogate_pair_in_a_message_is_stored_all_the_same() -> None:
    column = JsonStruct(ExecutionFailure)
    stored = read(column, written(column, ExecutionFailure(code="X", message="a\ud800b")))
    assert stored.message.startswith("a")
    assert stored.message.endswith("b")


@pytest.mark.parametrize("text", ["not JSON", '{"status": "Unheard of"}', '[{"status": "Unheard of"}]'])
def test_what_cannot_be_read_is_left_out_so_that_its_row_can_be_read(text: str) -> None:
    assert read(JsonStructList(Authentication), text) == []
    assert read(JsonStruct(ExecutionFailure), text) is None
