"""Parameters that a workflow declares secret: encrypted beside the execution, a mask in their place."""

import base64
from typing import cast

import orjson

from pagehand.records import Execution, Json
from pagehand.secrets.vault import Place, Vault

FIELD = "secret_params"


class SecretParams:
    """Seals and opens the secret parameters of executions."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def seal(self, execution: Execution, values: Json) -> str:
        """Encrypt values for this execution."""
        sealed = self._vault.seal(orjson.dumps(values), place(execution.organization_id, execution.id))
        return base64.b64encode(sealed).decode()

    def open(self, execution: Execution) -> Json:
        """The values sealed for this execution; none when it has none."""
        if execution.secret_params is None:
            return {}
        sealed = base64.b64decode(execution.secret_params)
        plain = self._vault.open(sealed, place(execution.organization_id, execution.id))
        return cast("Json", orjson.loads(plain))


def place(organization_id: str, execution_id: str) -> Place:
    """Where the parameters of an execution are sealed for."""
    return Place(organization_id, "executions", execution_id, FIELD)
