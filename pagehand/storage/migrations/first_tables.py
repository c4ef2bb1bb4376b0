"""The tables of the first version."""

import sqlalchemy as sa

from pagehand.storage.migrations.counting import POSTGRES_COUNTING, SQLITE_COUNTING
from pagehand.storage.migrations.operations import Operations

BIG = sa.BigInteger
# SQLite numbers rows by itself only in a column whose type is exactly INTEGER
SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def step_0001(op: Operations) -> None:
    """Create every table, the counters' triggers and the trigram index."""
    _create_tables(op)
    for statement in (
        (*SQLITE_COUNTING, *_SQLITE_TRIGRAMS) if op.is_sqlite else (*POSTGRES_COUNTING, *_POSTGRES_TRIGRAMS)
    ):
        op.execute(statement)


# The index holds which trigrams a text has, not where (`detail=none`): a match is checked against the text.
# The text is already case-folded; what lies beyond 100,000 characters is searched without the index.
_SQLITE_TRIGRAMS = (
    """
    CREATE VIRTUAL TABLE execution_trigrams USING fts5(
      text, content = '', columnsize = 0, detail = none, tokenize = 'trigram case_sensitive 1'
    )
    """,
    # the added letter makes the last two begin a trigram, like any other two
    """
    CREATE TRIGGER execution_search_added AFTER INSERT ON execution_search BEGIN
      INSERT INTO execution_trigrams (rowid, text) VALUES (NEW.n, substr(NEW.text, 1, 100000) || char(31));
    END
    """,
    "CREATE VIRTUAL TABLE execution_trigrams_words USING fts5vocab(execution_trigrams, row)",
)

# PostgreSQL's own array index does what the pg_trgm extension would do, without needing it installed.
_POSTGRES_TRIGRAMS = (
    "CREATE TABLE execution_trigrams (n bigint PRIMARY KEY, trigrams integer[] NOT NULL)",
    # a short pending list: whoever fills it pays for emptying it
    """
    CREATE INDEX execution_trigrams_index ON execution_trigrams USING gin (trigrams)
      WITH (fastupdate = on, gin_pending_list_limit = 256)
    """,
)


def _create_tables(op: Operations) -> None:
    op.create_table(
        "batches",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("workflow_id", sa.Text, nullable=False),
        sa.Column("workflow_name", sa.Text, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("cancelled_at", BIG),
    )
    op.create_index("batches_by_age", "batches", ["organization_id", "created_at", "id"])
    op.create_table(
        "execution_counts",
        sa.Column("organization_id", sa.Text, primary_key=True),
        sa.Column("dimension", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("status", sa.Text, primary_key=True),
        sa.Column("is_test", sa.Boolean, primary_key=True),
        sa.Column("count", BIG, nullable=False),
        sa.Column("newest", BIG, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "execution_search",
        sa.Column("n", SERIAL, primary_key=True, autoincrement=False),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("is_long", sa.Boolean, nullable=False),
    )
    op.create_index("execution_search_long", "execution_search", ["organization_id", "n"], where="is_long")
    op.create_table(
        "executions",
        sa.Column("n", SERIAL, primary_key=True),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("workflow_id", sa.Text, nullable=False),
        sa.Column("login_id", sa.Text),
        sa.Column("batch_id", sa.Text),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("is_test", sa.Boolean, nullable=False),
        sa.Column("accepted_at", BIG, nullable=False),
        sa.Column("start_time", BIG, nullable=False),
        sa.Column("deadline_at", BIG, nullable=False),
        sa.Column("queued_at", BIG, nullable=False),
        sa.Column("not_before", BIG),
        sa.Column("fence", sa.Integer, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("total_attempts", sa.Integer, nullable=False),
        sa.Column("workflow_version", sa.Integer, nullable=False),
        sa.Column("workflow_name", sa.Text, nullable=False),
        sa.Column("batch_name", sa.Text),
        sa.Column("name", sa.Text),
        sa.Column("browser_session_id", sa.Text, nullable=False),
        sa.Column("login_is_exclusive", sa.Boolean, nullable=False),
        sa.Column("use_proxy", sa.Boolean, nullable=False),
        sa.Column("thread_id", sa.Text),
        sa.Column("parent_execution_id", sa.Text),
        sa.Column("start_block_id", sa.Text),
        sa.Column("commit_block", sa.Text),
        sa.Column("session_id", sa.Text),
        sa.Column("vendor_id", sa.Text),
        sa.Column("live_view_url", sa.Text),
        sa.Column("end_time", BIG),
        sa.Column("duration_ms", BIG),
        sa.Column("params", sa.Text, nullable=False),
        sa.Column("metadata", sa.Text, nullable=False),
        sa.Column("logins", sa.Text, nullable=False),
        sa.Column("authentications", sa.Text, nullable=False),
        sa.Column("context_authentications", sa.Text, nullable=False),
        sa.Column("start_block", sa.Text),
        sa.Column("downloads", sa.Text),
        sa.Column("response", sa.Text),
        sa.Column("response_file", sa.Text),
        sa.Column("summary", sa.Text),
        sa.Column("error_analysis", sa.Text),
        sa.Column("context", sa.Text),
    )
    op.create_index("executions_by_age", "executions", ["organization_id", "n"])
    op.create_index("executions_by_batch", "executions", ["organization_id", "batch_id", "n"])
    op.create_index("executions_by_id", "executions", ["id"], unique=True)
    op.create_index("executions_by_login", "executions", ["organization_id", "login_id", "n"])
    op.create_index(
        "executions_by_start", "executions", ["organization_id", "start_time", "status", "is_test", "n"]
    )
    op.create_index("executions_by_status", "executions", ["organization_id", "status", "n"])
    op.create_index("executions_by_test", "executions", ["organization_id", "is_test", "n"])
    op.create_index("executions_by_workflow", "executions", ["organization_id", "workflow_id", "n"])
    op.create_index(
        "executions_unfinished",
        "executions",
        ["n"],
        where="status IN ('Enqueued', 'InProgress', 'Paused')",
    )
    op.create_table(
        "files",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("execution_id", sa.Text),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("mime_type", sa.Text, nullable=False),
        sa.Column("size_bytes", BIG, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
    )
    op.create_index("files_by_age", "files", ["organization_id", "created_at", "id"])
    op.create_index("files_by_execution", "files", ["organization_id", "execution_id", "created_at", "id"])
    op.create_table(
        "logins",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("username", sa.Text, nullable=False),
        sa.Column("search_text", sa.Text, nullable=False),
        sa.Column("fields", sa.Text, nullable=False),
        sa.Column("secrets", sa.LargeBinary, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
    )
    op.create_index("logins_by_age", "logins", ["organization_id", "created_at", "id"])
    op.create_table(
        "organizations",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("created_at", BIG, nullable=False),
    )
    op.create_table(
        "repeats",
        sa.Column("organization_id", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("execution_id", sa.Text, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
    )
    op.create_table(
        "tags",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
    )
    op.create_index("tags_by_name", "tags", ["organization_id", "name"], unique=True)
    op.create_table(
        "threads",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("workflow_id", sa.Text),
        sa.Column("created_at", BIG, nullable=False),
    )
    op.create_table(
        "workflows",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("search_text", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("blocks", sa.Text, nullable=False),
        sa.Column("output", sa.Text),
        sa.Column("parameters", sa.Text, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.Column("deleted_at", BIG),
    )
    op.create_index("workflows_by_age", "workflows", ["organization_id", "created_at", "id"])
    op.create_index("workflows_by_name", "workflows", ["organization_id", "name"])
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, sa.ForeignKey("organizations.id"), nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("last_used_at", BIG),
        sa.Column("revoked_at", BIG),
    )
    op.create_index("api_keys_by_organization", "api_keys", ["organization_id", "created_at"])
    op.create_table(
        "events",
        sa.Column("execution_id", sa.Text, sa.ForeignKey("executions.id"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("at", BIG, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("block_id", sa.Text),
        sa.Column("block_reference_id", sa.Text),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("screenshot_key", sa.Text),
    )
    op.create_table(
        "messages",
        sa.Column("thread_id", sa.Text, sa.ForeignKey("threads.id"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
    )
    op.create_table(
        "workflow_tags",
        sa.Column("workflow_id", sa.Text, sa.ForeignKey("workflows.id"), primary_key=True),
        sa.Column("tag_id", sa.Text, sa.ForeignKey("tags.id", ondelete="CASCADE"), primary_key=True),
    )
    op.create_index("workflow_tags_by_tag", "workflow_tags", ["tag_id", "workflow_id"])
    op.create_table(
        "workflow_versions",
        sa.Column("workflow_id", sa.Text, sa.ForeignKey("workflows.id"), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("blocks", sa.Text, nullable=False),
        sa.Column("output", sa.Text),
        sa.Column("parameters", sa.Text, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
    )
