"""What running executions have put out so far, piece by piece; the end of a run moves it into its row."""

from collections.abc import Sequence

from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from pagehand.records import OutputPiece
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.execution_changes import UNFINISHED
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.tables import execution_outputs, executions


@waits_for_database
class OutputStore:
    """Pieces of outputs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def add(self, execution_id: str, fence: int, first: int, pieces: Sequence[OutputPiece]) -> bool:
        """Keep pieces from position `first` on; False when another run has taken over."""
        held = select(executions.c.id).where(
            executions.c.id == execution_id,
            executions.c.fence == fence,
            executions.c.status.in_(UNFINISHED),
        )
        rows = [
            {
                "execution_id": execution_id,
                "position": first + index,
                "path": piece.path,
                "value": piece.value,
            }
            for index, piece in enumerate(pieces)
        ]

        def work(connection: Connection) -> bool:
            # held, so that whoever takes the run over does so before or after, not meanwhile
            if connection.execute(held.with_for_update(read=True)).first() is None:
                return False
            connection.execute(execution_outputs.insert(), rows)
            return True

        try:
            return await self._database.commit(work)
        except IntegrityError:
            return True  # they are there: the answer to the first try was lost

    async def of(self, execution_id: str) -> list[OutputPiece]:
        """All pieces of an execution, in order."""
        query = select(execution_outputs.c.path, execution_outputs.c.value)
        query = query.where(execution_outputs.c.execution_id == execution_id)
        async with self._database.read() as connection:
            rows = (await connection.execute(query.order_by(execution_outputs.c.position))).mappings()
            return [OutputPiece(**row) for row in rows]
