"""How the tables came to be: Alembic's steps, run when a database is opened."""

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from pagehand.storage import advisory_locks

HEAD = "0029"  # a test holds it to the newest step


def revision_of(connection: Connection) -> str:
    """The last step that was made; empty without tables. Needs no Alembic, which is slow to load."""
    if not inspect(connection).has_table("alembic_version"):
        return ""
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar() or ""


def migrate(connection: Connection, revision: str = HEAD) -> None:
    """Bring the tables to a revision, the newest one by default, within the connection's transaction."""
    from alembic import command  # noqa: PLC0415  (only needed when there is something to do)
    from alembic.config import Config  # noqa: PLC0415  (as above)

    if connection.dialect.name == "postgresql":
        # services that start together take turns; the second finds nothing to do
        connection.execute(text(f"SELECT pg_advisory_xact_lock({advisory_locks.MIGRATIONS})"))
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
