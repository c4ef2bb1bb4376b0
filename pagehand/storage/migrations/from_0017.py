"""The steps from the seventeenth version of the tables on."""

import sqlalchemy as sa

from pagehand.errors import Conflict
from pagehand.records import LOST_AFTER_SECONDS
from pagehand.storage.migrations.first_tables import BIG, SERIAL
from pagehand.storage.migrations.operations import Operations
from pagehand.storage.pages import folded


def step_0017(op: Operations) -> None:
    """What conversations propose to change in workflows; earlier ones propose nothing."""
    op.add_column("threads", sa.Column("workflow_version", sa.Integer))
    op.add_column("threads", sa.Column("proposed_operations", sa.Text))
    op.add_column("threads", sa.Column("proposal", sa.Text))
    op.add_column("threads", sa.Column("proposal_version", sa.Integer))


def step_0018(op: Operations) -> None:
    """With thousands waiting, the next few are found without reading and sorting all."""
    op.create_index(
        "executions_waiting",
        "executions",
        ["organization_id", sa.text("priority DESC"), "n"],
        where="status = 'Enqueued'",
    )


_ROWS_AT_ONCE = 1000


def step_0019(op: Operations) -> None:
    """Names of files as searches compare them."""
    op.add_column("files", sa.Column("search_text", sa.Text))
    files = sa.table("files", sa.column("id"), sa.column("name"), sa.column("search_text"))
    change = (
        files.update().where(files.c.id == sa.bindparam("file_id")).values(search_text=sa.bindparam("text"))
    )
    connection = op.connection
    known = connection.execute(sa.select(files.c.id, files.c.name)).all()
    for first in range(0, len(known), _ROWS_AT_ONCE):
        part = known[first : first + _ROWS_AT_ONCE]
        connection.execute(change, [{"file_id": row.id, "text": folded(row.name)} for row in part])


# A function, because each of its statements sees what was committed when that statement begins: the count
# must include whatever was added before the lock was had. One statement alone would count first.
_COUNT_WITH_LOCK = """
    CREATE FUNCTION count_queued_with_lock(organization text) RETURNS bigint LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(7240537, hashtext(organization));
      RETURN (SELECT coalesce(sum(count), 0) FROM execution_counts
          WHERE organization_id = organization AND dimension = 'workflow' AND status = 'Enqueued')
        + (SELECT coalesce(sum(change), 0) FROM execution_count_changes
          WHERE organization_id = organization AND dimension = 'workflow' AND status = 'Enqueued');
    END $$
"""


def step_0020(op: Operations) -> None:
    """The table that rates are counted in, and PostgreSQL's way to count the executions that wait."""
    op.create_table(
        "recent_accepts",
        sa.Column("n", SERIAL, primary_key=True, autoincrement=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("at", BIG, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
    )
    op.create_index("recent_accepts_by_age", "recent_accepts", ["organization_id", "at"])
    if not op.is_sqlite:
        op.execute(_COUNT_WITH_LOCK)


def step_0021(op: Operations) -> None:
    """The sessions of people who signed in to the console, so that one can be ended."""
    op.create_table(
        "console_sessions",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("key_id", sa.Text, sa.ForeignKey("api_keys.id"), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
    )
    op.create_index("console_sessions_by_key", "console_sessions", ["key_id", "created_at"])


def step_0022(op: Operations) -> None:
    """Which executions need a browser, true for those that wait already, and an index by that."""
    op.add_column(
        "executions", sa.Column("needs_browser", sa.Boolean, nullable=False, server_default=sa.true())
    )
    op.create_index(
        "executions_admissible",
        "executions",
        ["organization_id", "needs_browser", sa.text("priority DESC"), "n"],
        where="status = 'Enqueued'",
    )
    op.drop_index("executions_waiting")


def step_0023(op: Operations) -> None:
    """Indexes by which the clean-up finds what is old and what belongs to it."""
    op.create_index("repeats_by_execution", "repeats", ["execution_id"])
    for name, table, condition in (
        ("files_uploaded", "files", "execution_id IS NULL"),
        ("deliveries_ended", "deliveries", "next_at IS NULL"),
    ):
        op.create_index(name, table, ["created_at"], where=condition)


_LARGE = (
    ("params", "TEXT NOT NULL DEFAULT '{}'"),
    ("secret_params", "TEXT"),
    ("start_block", "TEXT"),
    ("context", "TEXT"),
    ("response", "TEXT"),
)


def step_0024(op: Operations) -> None:
    """The large columns of executions behind all others, in SQLite databases that have no executions yet.

    SQLite walks through everything in front of a column: a list walked through 18 MB of response to show
    why a run failed. Other databases keep their order: rewriting all executions takes minutes and as much
    disk again.
    """
    if not op.is_sqlite or op.connection.scalar(sa.text("SELECT n FROM executions LIMIT 1")):
        return
    for name, kind in _LARGE:
        op.execute(f"ALTER TABLE executions DROP COLUMN {name}")
        op.execute(f"ALTER TABLE executions ADD COLUMN {name} {kind}")


_OUR_TABLES = (
    "alembic_version api_keys assignments awaited_logins batches console_sessions deliveries "
    "document_tags documents engine_owner events execution_count_changes execution_counts "
    "execution_outputs execution_search execution_trigrams executions files held_logins login_health "
    "login_mails login_sessions logins memories messages messages_to_runs organization_proxies "
    "organizations passage_words passages plans recent_accepts repeats schedule_runs schedules tags "
    "threads webhooks workers workflow_tags workflow_versions workflows"
)
_QUEUE_TABLES = [f"procrastinate_{name}" for name in ("jobs", "workers", "periodic_defers", "events")]
_HAS_QUEUE = sa.text("SELECT to_regclass('procrastinate_workers') IS NOT NULL")
# An application without any job or worker right now still has its own tables, or has made these in another
# schema or as another role. The tables of extensions belong to no application.
_MAY_BE_SHARED = sa.text("""
    WITH queue AS (
      SELECT oid, relnamespace, relowner FROM pg_class
      WHERE relname = ANY(:queue_tables) AND relkind = 'r' AND pg_table_is_visible(oid)
    )
    SELECT EXISTS (SELECT 1 FROM procrastinate_jobs WHERE task_name <> 'pagehand.execution')
      OR EXISTS (SELECT 1 FROM procrastinate_workers WHERE id NOT IN (SELECT number FROM workers))
      OR EXISTS (SELECT 1 FROM procrastinate_periodic_defers)
      OR EXISTS (SELECT 1 FROM queue JOIN pg_class AS ours ON ours.oid = 'executions'::regclass
        WHERE (queue.relnamespace, queue.relowner) <> (ours.relnamespace, ours.relowner))
      OR EXISTS (SELECT 1 FROM pg_class AS other
        WHERE relkind IN ('r', 'p') AND relnamespace IN (SELECT relnamespace FROM queue)
        AND relname <> ALL(string_to_array(:our_tables, ' ')) AND relname <> ALL(:queue_tables)
        AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = other.oid AND deptype = 'e'))
      OR EXISTS (SELECT 1 FROM pg_depend JOIN pg_rewrite ON pg_rewrite.oid = objid
        WHERE refobjid IN (SELECT oid FROM queue))
      OR EXISTS (SELECT 1 FROM pg_constraint WHERE confrelid IN (SELECT oid FROM queue)
        AND conrelid NOT IN (SELECT oid FROM queue))
""")
_IS_IN_USE = sa.text(
    "SELECT EXISTS (SELECT 1 FROM procrastinate_workers JOIN workers ON number = procrastinate_workers.id "
    "WHERE last_heartbeat > now() - make_interval(secs => :seconds))"
)
_MOVE_HEARTBEATS = (
    "UPDATE workers SET beat_at = CAST(EXTRACT(EPOCH FROM last_heartbeat) * 1000 AS BIGINT) "
    "FROM procrastinate_workers WHERE procrastinate_workers.id = number"
)
_MOVE_JOBS = (
    "INSERT INTO assignments (execution_id, worker_id) SELECT lock, 'worker_' || worker_id "
    "FROM procrastinate_jobs WHERE status = 'doing' AND worker_id IS NOT NULL "
    "AND task_name = 'pagehand.execution'"
)
_NAMES = sa.text(
    "SELECT 'TABLE', oid::regclass::text FROM pg_class "
    "WHERE relname LIKE 'procrastinate\\_%' AND relkind = 'r' AND pg_table_is_visible(oid) "
    "UNION ALL SELECT 'FUNCTION', oid::regprocedure::text FROM pg_proc "
    "WHERE proname LIKE 'procrastinate\\_%' AND pg_function_is_visible(oid) "
    "UNION ALL SELECT 'TYPE', oid::regtype::text FROM pg_type "
    "WHERE typname LIKE 'procrastinate\\_%' AND typtype IN ('e', 'c') AND typrelid NOT IN "
    "(SELECT oid FROM pg_class WHERE relkind = 'r') AND pg_type_is_visible(oid)"
)


def step_0025(op: Operations) -> None:
    """Workers take executions from their own table instead of Procrastinate's queue.

    What a worker of the version before still runs stays assigned to it. Without its queue it can send no
    heartbeat, so it stops acting after 20 seconds and counts as lost after 30.

    Procrastinate's tables stay if another application may use them too. Then a worker of the version before
    would go on with them and take every running execution for lost, so it has to be stopped first.
    """
    op.add_column("workers", sa.Column("beat_at", BIG, nullable=False, server_default=sa.text("0")))
    op.create_index("workers_by_id", "workers", ["id"], unique=True)
    op.create_table(
        "assignments",
        sa.Column("execution_id", sa.Text, primary_key=True),
        sa.Column("worker_id", sa.Text, nullable=False),
    )
    op.create_index("batches_paused", "batches", ["id"], where="paused_at IS NOT NULL")
    if op.is_sqlite:
        return
    op.execute("ALTER TABLE workers ALTER COLUMN number ADD GENERATED BY DEFAULT AS IDENTITY")
    op.execute("SELECT setval(pg_get_serial_sequence('workers', 'number'), max(number)) FROM workers")
    if op.connection.scalar(_HAS_QUEUE):
        _replace_procrastinate(op)


def _replace_procrastinate(op: Operations) -> None:
    connection = op.connection
    names = {"our_tables": _OUR_TABLES, "queue_tables": _QUEUE_TABLES}
    is_shared = connection.scalar(_MAY_BE_SHARED, names)
    if is_shared and connection.scalar(_IS_IN_USE, {"seconds": LOST_AFTER_SECONDS}):
        raise Conflict(
            "Another application may use the tables `procrastinate_…`, so they stay, and the workers of the "
            "version before would go on with them. Stop those workers, wait half a minute, then start again."
        )
    op.execute(_MOVE_HEARTBEATS)
    op.execute(_MOVE_JOBS)
    if is_shared:
        op.execute("DELETE FROM procrastinate_jobs WHERE task_name = 'pagehand.execution'")
    else:
        _drop_procrastinate(op)


def _drop_procrastinate(op: Operations) -> None:
    for kind, name in op.connection.execute(_NAMES).all():
        op.execute(f"DROP {kind} IF EXISTS {name} CASCADE")
    # Without columns: a process of the version before finds its tables and fails. Otherwise it would make new
    # ones, find nothing in them, and take every running execution for lost.
    for name in ("procrastinate_jobs", "procrastinate_workers"):
        op.execute(f"CREATE TABLE {name} ()")


def step_0026(op: Operations) -> None:
    """More segments in SQLite's search index before it merges them all at once, in somebody's transaction.

    The clean-up merges a few pages at a time, and so does FTS5 itself. With its default of 16 segments, many
    small changes beside a large segment had it rewrite the whole index while all other writers waited.
    """
    if op.is_sqlite:
        op.execute("INSERT INTO execution_trigrams (execution_trigrams, rank) VALUES ('crisismerge', 1000)")


def step_0027(op: Operations) -> None:
    """Which blocks of a workflow get a picture: in those that exist every block that changes the page."""
    for table in ("workflows", "workflow_versions"):
        op.add_column(table, sa.Column("pictures", sa.Text, nullable=False, server_default="all"))


def step_0028(op: Operations) -> None:
    """What a workflow was like when its file was last applied or exported."""
    op.add_column("workflows", sa.Column("file_digest", sa.Text))


def step_0029(op: Operations) -> None:
    """The format of a webhook, the same as before for those that exist, and what belongs into one mail."""
    op.add_column("webhooks", sa.Column("format", sa.Text, nullable=False, server_default="pagehand"))
    op.add_column("deliveries", sa.Column("topic", sa.Text))
    op.add_column("deliveries", sa.Column("digest_id", sa.Text))


def step_0030(op: Operations) -> None:
    """Schedules that look for the elements of a workflow instead of running it; none of those that exist."""
    op.add_column("schedules", sa.Column("look", sa.Boolean, nullable=False, server_default=sa.false()))


def step_0031(op: Operations) -> None:
    """What each who keeps files of a workflow knows of it; `file_digest` stays what all may replace."""
    op.add_column("workflows", sa.Column("exported_digests", sa.Text, nullable=False, server_default="{}"))


def step_0032(op: Operations) -> None:
    """The rows of a sheet that a batch was started without; nothing is known of those of earlier batches."""
    op.add_column("batches", sa.Column("skipped", sa.Integer, nullable=False, server_default=sa.text("0")))
    op.add_column("batches", sa.Column("skipped_rows", sa.Text))
