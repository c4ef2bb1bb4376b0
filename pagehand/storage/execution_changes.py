"""Changes of an execution's state, each one guarded UPDATE within the caller's transaction.

The guard (status and fence) refuses a late writer. The token identifies the latest change: a change whose
answer was lost is made again with the same token, finds that it was made and does nothing. Responses of many
megabytes are written in pieces: drivers and SQLite copy what is bound to a statement.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Raw
from sqlalchemy import (
    Connection,
    RowMapping,
    Select,
    Update,
    bindparam,
    delete,
    func,
    or_,
    select,
    text,
    update,
)

from pagehand.records import FileInfo, FinalState, Json, Status, WebhookEvent
from pagehand.storage.execution_rows import ENDED_COLUMNS, EXECUTION_COLUMNS
from pagehand.storage.files import file_values
from pagehand.storage.run_claim import RUNNING, UNFINISHED
from pagehand.storage.tables import execution_outputs, executions, files
from pagehand.storage.webhooks import write_webhook_event

_LARGE_BYTES: Final = 1024 * 1024
_PIECE_BYTES: Final = 1024 * 1024
# in the table of outputs, which are deleted in the same transaction; no output has a position below 0
_JOIN_PIECES: Final = text("""
    UPDATE executions SET response = (
      SELECT string_agg(value, '' ORDER BY position) FROM execution_outputs
      WHERE execution_id = :id AND position < 0
    ) WHERE id = :id
""")


# NULL is neither equal nor unequal in SQL: a row without a token must match
_HAS_OTHER_TOKEN = or_(executions.c.token.is_(None), executions.c.token != bindparam("token"))

# built once: building a statement takes longer than running it
CLAIM = (
    update(executions)
    .values(
        status=Status.IN_PROGRESS,
        fence=executions.c.fence + 1,
        start_time=bindparam("at"),
        token=bindparam("token"),
    )
    .where(executions.c.id == bindparam("held_id"), executions.c.status == Status.ENQUEUED)
    .returning(*EXECUTION_COLUMNS)
)
CLAIMED = select(*EXECUTION_COLUMNS).where(
    executions.c.id == bindparam("held_id"),
    executions.c.token == bindparam("token"),
    executions.c.status == Status.IN_PROGRESS,
)
_SELECT_STATES = select(executions.c.id, executions.c.status, executions.c.token).order_by(executions.c.id)
_SELECT_TOKEN = select(executions.c.token).where(executions.c.id == bindparam("held_id"))
# which columns to set follows from the values it is executed with
UPDATE_WAITING = update(executions).where(
    executions.c.id == bindparam("held_id"), executions.c.status == Status.ENQUEUED
)
UPDATE_HELD = update(executions).where(
    executions.c.id == bindparam("held_id"),
    executions.c.fence == bindparam("held_fence"),
    executions.c.status.in_(UNFINISHED),
)
_REQUEUE = (
    update(executions)
    .values(
        status=Status.ENQUEUED,
        fence=executions.c.fence + 1,
        start_time=executions.c.accepted_at,
        session_id=None,
        vendor_id=None,
        live_view_url=None,
        waiting=None,
        response=None,
    )
    .where(
        executions.c.id == bindparam("held_id"),
        executions.c.fence == bindparam("held_fence"),
        executions.c.status.in_(RUNNING),
    )
)
FINAL_COLUMNS = (
    "status",
    "end_time",
    "duration_ms",
    "response",
    "response_file",
    "summary",
    "error_analysis",
    "failure",
    "context",
    "downloads",
    "live_view_url",
    "waiting",
)
"""The columns that the end of an execution writes."""
_DELETE_OUTPUTS = delete(execution_outputs).where(execution_outputs.c.execution_id == bindparam("held_id"))


def claim(
    connection: Connection, execution_id: str, at: int, token: str | None, webhook_event: WebhookEvent | None
) -> RowMapping | None:
    """Begin a run; the row, or None if another run was first."""
    values = {"held_id": execution_id, "at": at, "token": token}
    row = connection.execute(CLAIM, values).mappings().first()
    if row is None:
        return connection.execute(CLAIMED, {"held_id": execution_id, "token": token}).mappings().first()
    if webhook_event is not None:
        write_webhook_event(connection, webhook_event)
    return row


def change(
    connection: Connection,
    statement: Update,
    values: dict[str, Any],
    token: str | None,
    webhook_event: WebhookEvent | None,
) -> bool:
    """Make one change; False if the guard refuses it. Without a token it may be made twice."""
    if token is None:
        is_changed = connection.execute(statement, values).rowcount == 1
    else:
        marked = statement.values(token=bindparam("token")).where(_HAS_OTHER_TOKEN)
        is_changed = connection.execute(marked, {**values, "token": token}).rowcount == 1
        # with our token already: the first try succeeded and its answer was lost
        if not is_changed:
            return connection.execute(_SELECT_TOKEN, {"held_id": values["held_id"]}).scalar() == token
    if is_changed and webhook_event is not None:
        write_webhook_event(connection, webhook_event)
    return is_changed


def end(connection: Connection, state: FinalState, fence: int | None, *, token: str | None) -> bool:
    """Give an execution its final state and delete its output pieces, which its response now holds."""
    own = {"held_id": state.execution_id}
    guard = own if fence is None else {**own, "held_fence": fence}
    before = connection.execute(_SELECT_TOKEN, own).scalar()
    if token is not None and before == token:
        return True
    response = large_response(state)
    is_ended = change(
        connection,
        UPDATE_WAITING if fence is None else UPDATE_HELD,
        guard | state.final | ({} if response is None else {"response": None}),
        token,
        state.webhook_event,
    )
    if is_ended:
        if response is not None:
            write_response(connection, state.execution_id, response)
        # in the same transaction: a reader never sees an output both as a piece and in the response
        connection.execute(_DELETE_OUTPUTS, own)
        if state.file is not None:
            connection.execute(files.insert().values(file_values(state.file)))
    return is_ended


def _build_end_statement(guarded: Update, *, with_file: bool) -> Select[Any]:
    """PostgreSQL's statement that does what `end` does without a webhook event; the row, or nothing."""
    given = {name: bindparam(name, type_=executions.c[name].type) for name in (*FINAL_COLUMNS, "token")}
    ended = guarded.values(given).where(_HAS_OTHER_TOKEN).returning(*ENDED_COLUMNS).cte("ended")
    outputs = execution_outputs.c.execution_id.in_(select(ended.c.id))
    statement = select(ended).add_cte(delete(execution_outputs).where(outputs).cte("forgotten"))
    if not with_file:
        return statement
    file = [bindparam(f"file_{column.name}", type_=column.type) for column in files.c]
    return statement.add_cte(
        files.insert().from_select(list(files.c), select(*file).select_from(ended)).cte("filed")
    )


_END_STATEMENTS = {
    (is_held, with_file): _build_end_statement(
        UPDATE_HELD if is_held else UPDATE_WAITING, with_file=with_file
    )
    for is_held in (True, False)
    for with_file in (True, False)
}


def end_statement(state: FinalState, fence: int | None, token: str) -> tuple[Select[Any], dict[str, Any]]:
    """PostgreSQL's statement that ends an execution without a webhook event, and its values."""
    values = {"held_id": state.execution_id, "held_fence": fence, "token": token, **state.final}
    if fence is None:
        del values["held_fence"]
    if state.file is not None:
        values |= {f"file_{name}": value for name, value in file_values(state.file).items()}
    return _END_STATEMENTS[fence is not None, state.file is not None], values


def end_waiting(connection: Connection, ends: Sequence[FinalState], token: str) -> list[str]:
    """Give many enqueued executions their final states, in few statements; the ids of those that ended."""
    ids = [end.execution_id for end in ends]
    # locked in the order of ids, so that two processes cannot deadlock
    locked = connection.execute(_SELECT_STATES.where(executions.c.id.in_(ids)).with_for_update()).all()
    ended_before = {row.id for row in locked if row.token == token}
    waiting = {row.id for row in locked if row.status == Status.ENQUEUED} - ended_before
    ending = [end for end in ends if end.execution_id in waiting]
    if ending:
        marked = UPDATE_WAITING.values(token=bindparam("token"))
        values = [{"held_id": end.execution_id, "token": token, **end.final} for end in ending]
        connection.execute(marked, values)
        connection.execute(delete(execution_outputs).where(execution_outputs.c.execution_id.in_(waiting)))
        _write_files(connection, [end.file for end in ending if end.file is not None])
        _write_webhook_events(
            connection, [end.webhook_event for end in ending if end.webhook_event is not None]
        )
    return [execution_id for execution_id in ids if execution_id in waiting or execution_id in ended_before]


def _write_files(connection: Connection, added: Sequence[FileInfo]) -> None:
    if added:
        connection.execute(files.insert(), [file_values(file) for file in added])


def _write_webhook_events(connection: Connection, events: Sequence[WebhookEvent]) -> None:
    """Write the webhook events of many changes; the end of a batch is checked once, after all of them."""
    deliveries = [delivery for item in events for delivery in item.deliveries]
    batch_ends = {item.batch_end.batch_id: item.batch_end for item in events if item.batch_end is not None}
    write_webhook_event(connection, WebhookEvent(deliveries=deliveries))
    for batch_end in batch_ends.values():
        write_webhook_event(connection, WebhookEvent(batch_end=batch_end))


def requeue(connection: Connection, values: dict[str, Any], token: str | None) -> bool:
    """Send a run back to the queue and delete its outputs."""
    is_queued = change(connection, _REQUEUE, values, token, None)
    if is_queued:
        connection.execute(_DELETE_OUTPUTS, {"held_id": values["held_id"]})
    return is_queued


def large_response(state: FinalState) -> memoryview | None:
    """The response if it is to be written in pieces."""
    response = state.final["response"]
    if not isinstance(response, Raw) or len(content := memoryview(response)) <= _LARGE_BYTES:
        return None
    return content


def write_response(connection: Connection, execution_id: str, response: memoryview) -> None:
    """Write the response into its row, which has none, within the caller's transaction."""
    if connection.dialect.name == "sqlite":
        _write_blob(connection, execution_id, response)
        return
    pieces = list(_characters(response))
    for position, piece in enumerate(pieces, -len(pieces)):
        # one by one: the driver would put all of them into one buffer
        row: Json = {"execution_id": execution_id, "position": position, "path": [], "value": Raw(piece)}
        connection.execute(execution_outputs.insert(), row)
    connection.execute(_JOIN_PIECES, {"id": execution_id})


def _write_blob(connection: Connection, execution_id: str, response: memoryview) -> None:
    """Fill a zeroblob, which SQLite makes without memory where it is the last column of its table."""
    statement = update(executions).where(executions.c.id == execution_id)
    emptied = statement.values(response=func.zeroblob(len(response))).returning(executions.c.n)
    rowid = connection.execute(emptied).scalar_one()
    driver: Any = connection.connection.dbapi_connection
    with driver.blobopen("executions", "response", rowid) as blob:
        for start in range(0, len(response), _PIECE_BYTES):
            blob.write(response[start : start + _PIECE_BYTES])


def _characters(content: memoryview) -> Iterator[memoryview]:
    """Pieces of UTF-8 text that contain whole characters."""
    start = 0
    while start < len(content):
        end = min(start + _PIECE_BYTES, len(content))
        while end < len(content) and content[end] & 0xC0 == 0x80:  # noqa: PLR2004 - a byte within a character
            end -= 1
        yield content[start:end]
        start = end
