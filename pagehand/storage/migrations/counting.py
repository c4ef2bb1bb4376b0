"""SQL that keeps `execution_counts` exact: triggers, so that no writer can forget.

Each execution is counted once per dimension it has: its workflow, its login, both together, its batch, the
hour of its start. PostgreSQL appends changes to `execution_count_changes` and folds them in later (see
`counts.py`): workers that add to the same counter would wait for each other; SQLite has one writer and adds
at once.
"""

SQLITE_KEYS = {
    "workflow": "{row}.workflow_id",
    "login": "{row}.login_id",
    "workflow login": "{row}.workflow_id || ' ' || {row}.login_id",
    "batch": "{row}.batch_id",
    "hour": "printf('%08d', {row}.start_time / 3600000)",
}


def _sqlite_key(dimension: str, row: str) -> str:
    return SQLITE_KEYS[dimension].format(row=row)


def _sqlite_count(row: str, change: int) -> str:
    """Add `change` to each of the row's counters; the dimensions it lacks are left out."""
    return "\n".join(
        f"""
      INSERT INTO execution_counts (organization_id, dimension, key, status, is_test, count, newest)
      SELECT {row}.organization_id, '{dimension}', {_sqlite_key(dimension, row)}, {row}.status, {row}.is_test,
        {change}, {row}.n WHERE ({_sqlite_key(dimension, row)}) IS NOT NULL
      ON CONFLICT DO UPDATE SET count = count + {change}, newest = max(newest, excluded.newest);"""
        for dimension in SQLITE_KEYS
    )


def _sqlite_drop_empty() -> str:
    """Forget counters that came down to nothing, or each hour would keep one per passing status."""
    return "\n".join(
        f"""
      DELETE FROM execution_counts
      WHERE organization_id = OLD.organization_id AND dimension = '{dimension}'
        AND key = ({_sqlite_key(dimension, "OLD")}) AND status = OLD.status AND is_test = OLD.is_test
        AND count = 0;"""  # noqa: S608  (made of the names above)
        for dimension in SQLITE_KEYS
    )


SQLITE_COUNTING = (
    f"CREATE TRIGGER executions_added AFTER INSERT ON executions BEGIN {_sqlite_count('NEW', 1)} END",
    f"""
    CREATE TRIGGER executions_changed AFTER UPDATE OF status, start_time ON executions
    WHEN OLD.status <> NEW.status OR OLD.start_time <> NEW.start_time
    BEGIN {_sqlite_count("OLD", -1)} {_sqlite_count("NEW", 1)} {_sqlite_drop_empty()} END
    """,
    f"""
    CREATE TRIGGER executions_deleted AFTER DELETE ON executions
    BEGIN {_sqlite_count("OLD", -1)} {_sqlite_drop_empty()} END
    """,
)


def _postgres_function(name: str, rows: str) -> str:
    return f"""
    CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO execution_count_changes (organization_id, dimension, key, status, is_test, change, newest)
      SELECT r.organization_id, d.dimension, d.key, r.status, r.is_test, sum(r.change), max(r.n)
      FROM ({rows}) AS r CROSS JOIN LATERAL (VALUES ('workflow', r.workflow_id), ('login', r.login_id),
        ('workflow login', r.workflow_id || ' ' || r.login_id), ('batch', r.batch_id),
        ('hour', lpad((r.start_time / 3600000)::text, 8, '0'))) AS d (dimension, key)
      WHERE d.key IS NOT NULL
      GROUP BY r.organization_id, d.dimension, d.key, r.status, r.is_test
      HAVING sum(r.change) <> 0;
      RETURN NULL;
    END $$
    """  # noqa: S608  (as above)


_GONE = "SELECT *, -1 AS change FROM gone"
_CAME = "SELECT *, 1 AS change FROM came"

POSTGRES_COUNTING = (
    """
    CREATE TABLE execution_count_changes (
      organization_id text NOT NULL, dimension text NOT NULL, key text NOT NULL, status text NOT NULL,
      is_test boolean NOT NULL, change bigint NOT NULL, newest bigint NOT NULL
    )
    """,
    "CREATE INDEX execution_counts_empty ON execution_counts (count) WHERE count = 0",
    _postgres_function("count_added_executions", _CAME),
    _postgres_function("count_changed_executions", f"{_GONE} UNION ALL {_CAME}"),
    _postgres_function("count_deleted_executions", _GONE),
    """
    CREATE TRIGGER executions_added AFTER INSERT ON executions REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION count_added_executions()
    """,
    """
    CREATE TRIGGER executions_changed AFTER UPDATE ON executions
    REFERENCING OLD TABLE AS gone NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION count_changed_executions()
    """,
    """
    CREATE TRIGGER executions_deleted AFTER DELETE ON executions REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_executions()
    """,
)
