"""How the tables came to be: steps that are made when a database is opened."""

from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection, inspect, text

from pagehand.storage import advisory_locks
from pagehand.storage.migrations import first_tables, from_0017, to_0016
from pagehand.storage.migrations.operations import Operations

STEPS: Final[dict[str, Callable[[Operations], None]]] = {
    name.removeprefix("step_"): step
    for module in (first_tables, to_0016, from_0017)
    for name, step in vars(module).items()
    if name.startswith("step_")
}
"""The steps, oldest first. A new one is a function `step_NNNN` in the newest module."""
HEAD: Final = max(STEPS)


def revision_of(connection: Connection) -> str:
    """The last step that was made; empty without tables."""
    # the name is Alembic's, with which earlier versions made the steps
    if not inspect(connection).has_table("alembic_version"):
        return ""
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar() or ""


def migrate(connection: Connection, revision: str = HEAD) -> None:
    """Bring the tables to a revision, the newest one by default, within the connection's transaction."""
    if connection.dialect.name == "postgresql":
        # services that start together take turns; the second finds nothing to do
        connection.execute(text(f"SELECT pg_advisory_xact_lock({advisory_locks.MIGRATIONS})"))
    if (made := revision_of(connection)) >= revision:
        return
    operations = Operations(connection)
    for number, step in STEPS.items():
        if made < number <= revision:
            step(operations)
    connection.execute(text("CREATE TABLE IF NOT EXISTS alembic_version (version_num TEXT PRIMARY KEY)"))
    connection.execute(text("DELETE FROM alembic_version"))
    connection.execute(text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": revision})
