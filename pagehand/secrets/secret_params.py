"""Parameters that a workflow declares secret: encrypted beside what carries them, a mask in their place."""

import base64
from typing import Protocol, cast

import orjson

from pagehand.records import Json
from pagehand.secrets.vault import Place, Vault

FIELD = "secret_params"


class Carrier(Protocol):
    """An execution or a schedule."""

    id: str
    organization_id: str
    secret_params: str | None


class SecretParams:
    """Seals and opens the secret parameters of the rows of one table."""

    def __init__(self, vault: Vault, table: str = "executions") -> None:
        self._vault = vault
        self._table = table

    def seal(self, carrier: Carrier, values: Json) -> str:
        """Encrypt values for this row."""
        return base64.b64encode(self._vault.seal(orjson.dumps(values), self._place(carrier))).decode()

    def open(self, carrier: Carrier) -> Json:
        """The values sealed for this row; none when it has none."""
        if carrier.secret_params is None:
            return {}
        plain = self._vault.open(base64.b64decode(carrier.secret_params), self._place(carrier))
        return cast("Json", orjson.loads(plain))

    def _place(self, carrier: Carrier) -> Place:
        return Place(carrier.organization_id, self._table, carrier.id, FIELD)
