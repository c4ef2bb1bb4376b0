"""The changes of an execution's state, each one guarded UPDATE within the caller's transaction.

The guard makes a late writer lose. The token says whose change was the latest: a change whose answer was lost
is asked for again with the same token, finds itself done and is not made twice.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, Update, bindparam, delete, or_, select, update

from pagehand.records import FileInfo, FinalState, Status, WebhookEvent
from pagehand.storage.deliveries import write_webhook_event
from pagehand.storage.files import file_values
from pagehand.storage.tables import execution_outputs, executions, files

_HIDDEN = {"n", "queued_at", "token", "params_bytes"}
COLUMNS = [column for column in executions.c if column.name not in _HIDDEN]
"""What makes an `Execution`."""
UNFINISHED = (Status.ENQUEUED, Status.IN_PROGRESS, Status.PAUSED)
_RUNNING = (Status.IN_PROGRESS, Status.PAUSED)
# NULL is neither equal nor unequal in SQL: a row that no token has marked yet must pass
_IS_OTHER = or_(executions.c.token.is_(None), executions.c.token != bindparam("token"))

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
    .returning(*COLUMNS)
)
CLAIMED = select(*COLUMNS).where(
    executions.c.id == bindparam("held_id"),
    executions.c.token == bindparam("token"),
    executions.c.status == Status.IN_PROGRESS,
)
_HOLD = select(executions.c.id, executions.c.status, executions.c.token).order_by(executions.c.id)
_TOKEN = select(executions.c.token).where(executions.c.id == bindparam("held_id"))
# what to set is named by the values it is run with
WAITING = update(executions).where(
    executions.c.id == bindparam("held_id"), executions.c.status == Status.ENQUEUED
)
HELD = update(executions).where(
    executions.c.id == bindparam("held_id"),
    executions.c.fence == bindparam("held_fence"),
    executions.c.status.in_(UNFINISHED),
)
REQUEUE = (
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
        executions.c.status.in_(_RUNNING),
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
"""What an end writes."""
_FORGET_OUTPUTS = delete(execution_outputs).where(execution_outputs.c.execution_id == bindparam("held_id"))


def claim(
    connection: Connection, execution_id: str, at: int, token: str | None, webhook_event: WebhookEvent | None
) -> RowMapping | None:
    """Begin a run; the row, or None if somebody else was first."""
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
    """Make one change, once; False if the guard forbids it. Without a token it may be made again."""
    if token is None:
        is_changed = connection.execute(statement, values).rowcount == 1
    else:
        marked = statement.values(token=bindparam("token")).where(_IS_OTHER)
        is_changed = connection.execute(marked, {**values, "token": token}).rowcount == 1
        # not changed because it has our token: the first try went through and its answer was lost
        if not is_changed:
            return connection.execute(_TOKEN, {"held_id": values["held_id"]}).scalar() == token
    if is_changed and webhook_event is not None:
        write_webhook_event(connection, webhook_event)
    return is_changed


def end(connection: Connection, state: FinalState, fence: int | None, *, token: str | None) -> bool:
    """Give an execution its final state; what it had put out piece by piece is in its response now."""
    own = {"held_id": state.execution_id}
    held = own if fence is None else {**own, "held_fence": fence}
    before = connection.execute(_TOKEN, own).scalar()
    if token is not None and before == token:
        return True
    is_ended = change(
        connection, WAITING if fence is None else HELD, held | state.final, token, state.webhook_event
    )
    if is_ended:
        # in the same transaction: a reader never sees an output both in pieces and in the response
        connection.execute(_FORGET_OUTPUTS, own)
        if state.file is not None:
            connection.execute(files.insert().values(file_values(state.file)))
    return is_ended


def _whole_end(guarded: Update, *, with_file: bool) -> Select[Any]:
    """The same as `end` without a webhook event, in one statement of PostgreSQL; the row, or nothing."""
    given = {name: bindparam(name, type_=executions.c[name].type) for name in (*FINAL_COLUMNS, "token")}
    ended = guarded.values(given).where(_IS_OTHER).returning(*COLUMNS).cte("ended")
    outputs = execution_outputs.c.execution_id.in_(select(ended.c.id))
    whole = select(ended).add_cte(delete(execution_outputs).where(outputs).cte("forgotten"))
    if not with_file:
        return whole
    file = [bindparam(f"file_{column.name}", type_=column.type) for column in files.c]
    return whole.add_cte(
        files.insert().from_select(list(files.c), select(*file).select_from(ended)).cte("filed")
    )


_WHOLE_ENDS = {
    (is_held, with_file): _whole_end(HELD if is_held else WAITING, with_file=with_file)
    for is_held in (True, False)
    for with_file in (True, False)
}


def whole_end(state: FinalState, fence: int | None, token: str) -> tuple[Select[Any], dict[str, Any]]:
    """The statement, for PostgreSQL, that ends an execution without a webhook event, and its values."""
    values = {"held_id": state.execution_id, "held_fence": fence, "token": token, **state.final}
    if fence is None:
        del values["held_fence"]
    if state.file is not None:
        values |= {f"file_{name}": value for name, value in file_values(state.file).items()}
    return _WHOLE_ENDS[fence is not None, state.file is not None], values


def end_waiting(connection: Connection, ends: Sequence[FinalState], token: str) -> list[str]:
    """Give many that are Enqueued their final states, in few statements; the ids of those that have them."""
    ids = [end.execution_id for end in ends]
    # in the order of ids, so that two processes never wait for each other in a circle
    held = connection.execute(_HOLD.where(executions.c.id.in_(ids)).with_for_update()).all()
    before = {row.id for row in held if row.token == token}
    waiting = {row.id for row in held if row.status == Status.ENQUEUED} - before
    ending = [end for end in ends if end.execution_id in waiting]
    if ending:
        marked = WAITING.values(token=bindparam("token"))
        values = [{"held_id": end.execution_id, "token": token, **end.final} for end in ending]
        connection.execute(marked, values)
        connection.execute(delete(execution_outputs).where(execution_outputs.c.execution_id.in_(waiting)))
        _write_files(connection, [end.file for end in ending if end.file is not None])
        _write_webhook_events(
            connection, [end.webhook_event for end in ending if end.webhook_event is not None]
        )
    return [execution_id for execution_id in ids if execution_id in waiting or execution_id in before]


def _write_files(connection: Connection, added: Sequence[FileInfo]) -> None:
    if added:
        connection.execute(files.insert(), [file_values(file) for file in added])


def _write_webhook_events(connection: Connection, events: Sequence[WebhookEvent]) -> None:
    """Write the webhook events of many changes; the end of a batch is looked for once, after all of them."""
    deliveries = [delivery for item in events for delivery in item.deliveries]
    batch_ends = {item.batch_end.batch_id: item.batch_end for item in events if item.batch_end is not None}
    write_webhook_event(connection, WebhookEvent(deliveries=deliveries))
    for batch_end in batch_ends.values():
        write_webhook_event(connection, WebhookEvent(batch_end=batch_end))


def requeue(connection: Connection, values: dict[str, Any], token: str | None) -> bool:
    """Send a run back to the queue; what it had put out is forgotten."""
    is_queued = change(connection, REQUEUE, values, token, None)
    if is_queued:
        connection.execute(_FORGET_OUTPUTS, {"held_id": values["held_id"]})
    return is_queued
