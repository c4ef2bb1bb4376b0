"""State that the processes of an engine share: owner, workers, messages to runs, and logins in use."""

from sqlalchemy import BigInteger, Column, Index, Integer, Table, Text

from pagehand.storage.columns import JsonText, SanitizedText
from pagehand.storage.tables.metadata import metadata

# The process that runs this database's executions; at most one row.
engine_owner = Table(
    "engine_owner",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("token", Text, nullable=False),
    Column("installation", Text, nullable=False),
    Column("description", SanitizedText, nullable=False),
    Column("beat_at", BigInteger, nullable=False),  # by the database's clock
)

# Workers, by their number in the job queue.
workers = Table(
    "workers",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("id", Text, nullable=False),
    Column("address", Text, nullable=False),  # where other processes reach it
)

# Messages to executions that run in another process, until they are answered.
messages_to_runs = Table(
    "messages_to_runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("execution_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("body", JsonText, nullable=False),
    Column("sent_at", BigInteger, nullable=False),  # by the database's clock
    Column("answer", JsonText),
    Index("messages_to_runs_by_execution", "execution_id"),
)

# Which execution holds an exclusive login.
held_logins = Table(
    "held_logins",
    metadata,
    Column("login_id", Text, primary_key=True),
    Column("execution_id", Text, nullable=False),
    Index("held_logins_by_execution", "execution_id"),
)

# The exclusive login that a running execution waits for; to detect deadlocks.
awaited_logins = Table(
    "awaited_logins",
    metadata,
    Column("execution_id", Text, primary_key=True),
    Column("login_id", Text, nullable=False),
)
