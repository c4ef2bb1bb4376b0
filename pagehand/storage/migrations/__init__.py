"""How the tables came to be: steps of Alembic's operations, run when a database is opened."""

from sqlalchemy import Connection, inspect, text

from pagehand.storage import advisory_locks

HEAD = "0031"  # a test holds it to the newest step


def revision_of(connection: Connection) -> str:
    """The last step that was made; empty without tables. Needs no Alembic, which is slow to load."""
    if not inspect(connection).has_table("alembic_version"):
        return ""
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar() or ""


def migrate(connection: Connection, revision: str = HEAD) -> None:
    """Bring the tables to a revision, the newest one by default, within the connection's transaction."""
    from alembic.migration import MigrationContext  # noqa: PLC0415  (only needed when there is something to do)
    from alembic.operations import Operations  # noqa: PLC0415  (as above)

    from pagehand.storage.migrations.versions import STEPS  # noqa: PLC0415  (as above)

    if connection.dialect.name == "postgresql":
        # services that start together take turns; the second finds nothing to do
        connection.execute(text(f"SELECT pg_advisory_xact_lock({advisory_locks.MIGRATIONS})"))
    if (made := revision_of(connection)) >= revision:
        return
    with Operations.context(MigrationContext.configure(connection)):
        for number, step in STEPS.items():
            if made < number <= revision:
                step()
    connection.execute(text("CREATE TABLE IF NOT EXISTS alembic_version (version_num TEXT PRIMARY KEY)"))
    connection.execute(text("DELETE FROM alembic_version"))
    connection.execute(text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": revision})
