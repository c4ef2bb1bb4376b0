"""Names of files as searches compare them."""

import sqlalchemy as sa
from alembic import op

from pagehand.storage.pages import folded

revision = "0019"
down_revision = "0018"
_AT_ONCE = 1000


def upgrade() -> None:
    """Add the column, and fold the names of the files that are there."""
    op.add_column("files", sa.Column("search_text", sa.Text))
    files = sa.table("files", sa.column("id"), sa.column("name"), sa.column("search_text"))
    change = (
        files.update().where(files.c.id == sa.bindparam("file_id")).values(search_text=sa.bindparam("text"))
    )
    connection = op.get_bind()
    known = connection.execute(sa.select(files.c.id, files.c.name)).all()
    for first in range(0, len(known), _AT_ONCE):
        part = known[first : first + _AT_ONCE]
        connection.execute(change, [{"file_id": row.id, "text": folded(row.name)} for row in part])
