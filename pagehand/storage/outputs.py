"""Outputs of running executions, piece by piece; when a run ends they move into its row."""

from collections.abc import Sequence

from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from pagehand.records import OutputPiece
from pagehand.storage.database import uncancellable
from pagehand.storage.run_claim import UNFINISHED, Store
from pagehand.storage.tables import execution_outputs, executions


class OutputStore(Store):
    """The output pieces of all running executions."""

    @uncancellable
    async def add(self, execution_id: str, fence: int, first: int, pieces: Sequence[OutputPiece]) -> bool:
        """Add pieces from position `first` on; False if another run has taken over."""
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
            # the row is locked: another run cannot take over while the pieces are added
            if connection.execute(held.with_for_update(read=True)).first() is None:
                return False
            connection.execute(execution_outputs.insert(), rows)
            return True

        try:
            return await self._database.commit(work)
        except IntegrityError:
            return True  # they are stored already: the answer to the first try was lost

    async def of_execution(self, execution_id: str) -> list[OutputPiece]:
        """The pieces of an execution, in order."""
        query = select(execution_outputs.c.path, execution_outputs.c.value)
        query = query.where(execution_outputs.c.execution_id == execution_id)
        rows = await self._database.all(query.order_by(execution_outputs.c.position))
        return [OutputPiece(**row) for row in rows]
