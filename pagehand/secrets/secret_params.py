"""Parameters that a workflow declares secret: encrypted in the row that has them, masked everywhere else."""

import base64
from typing import Protocol, cast

import orjson

from pagehand.records import Json
from pagehand.secrets.vault import FieldLocation, Vault

FIELD = "secret_params"


class SecretParamsRow(Protocol):
    """An execution or a schedule, as far as its secret parameters go."""

    id: str
    organization_id: str
    secret_params: str | None


class SecretParams:
    """Seals and opens the secret parameters of the rows of one table."""

    def __init__(self, vault: Vault, table: str = "executions") -> None:
        self._vault = vault
        self._table = table

    def seal(self, row: SecretParamsRow, values: Json) -> str:
        """Encrypt values for this row."""
        return base64.b64encode(self._vault.seal(orjson.dumps(values), self._location(row))).decode()

    def open(self, row: SecretParamsRow) -> Json:
        """The values sealed for this row; empty when it has none."""
        if row.secret_params is None:
            return {}
        plain = self._vault.open(base64.b64decode(row.secret_params), self._location(row))
        return cast("Json", orjson.loads(plain))

    def _location(self, row: SecretParamsRow) -> FieldLocation:
        return FieldLocation(row.organization_id, self._table, row.id, FIELD)
