"""Words on a control that say it does what cannot be undone."""

import re
from typing import Final

_RISKY: Final = re.compile(
    r"\b(?:delete|remove|erase|destroy|discard|purge|wipe|pay|purchase|buy|order now|(?:place|submit) order"
    r"|check ?out|send|transfer|withdraw|refund|cancel|terminate|revoke|unsubscribe|deactivate|publish"
    r"|close account|löschen|entfernen|bezahlen|zahlen|kaufen|bestellen|senden|stornieren"
    r"|supprimer|payer|acheter|envoyer|annuler|eliminar|borrar|pagar|comprar|enviar|cancelar)\b",
    re.IGNORECASE,
)
_EDGES: Final = re.compile(r"[_\W]+|(?<=[a-z])(?=[A-Z])")


def is_risky(*said: str) -> bool:
    """True when any of these texts or names, such as `btn-deleteAll`, holds such a word."""
    return any(_RISKY.search(one) or _RISKY.search(_EDGES.sub(" ", one)) for one in said)
