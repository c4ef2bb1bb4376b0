"""What steps do to the tables of a database, which they know by their names alone."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, Connection, Index, MetaData, Table, TextClause, text
from sqlalchemy.schema import CreateColumn, SchemaItem


class Operations:
    """Changes tables over one connection, within its transaction."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    @property
    def is_sqlite(self) -> bool:
        """False for PostgreSQL."""
        return self.connection.dialect.name == "sqlite"

    def execute(self, statement: str) -> None:
        """Run a statement."""
        self.connection.execute(text(statement))

    def create_table(self, name: str, *parts: SchemaItem, **options: Any) -> None:
        """Create a table of these columns and indexes."""
        table = Table(name, MetaData(), *parts, **options)
        # a foreign key is written with the names of what it refers to, which have to be in the metadata
        for key in table.foreign_keys:
            other, column = key.target_fullname.split(".")
            referred: Column[Any] = Column(column)
            Table(other, table.metadata, referred, keep_existing=True)
        table.create(self.connection, checkfirst=False)

    def add_column(self, table: str, column: Column[Any]) -> None:
        """Add a column behind the others."""
        Table(table, MetaData(), column)
        self.execute(f"ALTER TABLE {table} ADD COLUMN {CreateColumn(column).compile(self.connection)}")

    def drop_column(self, table: str, column: str) -> None:
        """Remove a column."""
        self.execute(f"ALTER TABLE {table} DROP COLUMN {column}")

    def create_index(
        self,
        name: str,
        table: str,
        columns: Sequence[str | TextClause],
        *,
        unique: bool = False,
        where: str | None = None,
    ) -> None:
        """Index a table by columns or expressions; with a condition only the rows that meet it."""
        named: list[Column[Any]] = [Column(column) for column in columns if isinstance(column, str)]
        indexed = Table(table, MetaData(), *named)
        parts = [indexed.c[part] if isinstance(part, str) else part for part in columns]
        options: dict[str, Any] = (
            {} if where is None else {f"{self.connection.dialect.name}_where": text(where)}
        )
        Index(name, *parts, unique=unique, **options).create(self.connection)

    def drop_index(self, name: str) -> None:
        """Remove an index."""
        self.execute(f"DROP INDEX {name}")
