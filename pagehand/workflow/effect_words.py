"""Words on a control that promise an effect: one list for healing, for finding by words and for retries."""

import re
from typing import Final


def _words(line: str) -> tuple[str, ...]:
    return tuple(line.split())


_IRREVERSIBLE: Final = _words(
    "approve buy cancel deactivate delete destroy discard erase pay publish purchase purge refund remove "
    "revoke send terminate transfer unsubscribe wipe withdraw "
    "löschen entfernen bezahlen zahlen kaufen bestellen senden stornieren "
    "supprimer payer acheter envoyer annuler "
    "eliminar borrar pagar comprar enviar cancelar"
)
_IRREVERSIBLE_PHRASES: Final = ("order now", "place order", "submit order", "check ?out", "close account")
_CHANGING: Final = _words(
    "add apply archive assign book clear complete confirm create decline finish import invite issue ok "
    "order post register reject release reply request resend reserve reset restore save schedule submit "
    "subscribe unlock lock update upload yes "
    "speichern absenden bestätigen genehmigen ablehnen anlegen buchen hochladen "
    "enregistrer valider confirmer approuver refuser "
    "guardar confirmar aprobar rechazar"
)
# cookie banners and signing in have no effect that matters, although their words promise one
_CHANGING_PHRASES: Final = (
    r"accept(?! (?:all|cookies|necessary|essential|recommended)\b)",
    r"sign(?! (?:in|out|up|on|off)\b)",
)
# closing a window or signing out sends nothing that matters, but pressing it by mistake loses work
_DISRUPTIVE: Final = ("close", "logout", "signout")

WHOLE_NAME_ONLY: Final = frozenset(
    (*_IRREVERSIBLE, *_DISRUPTIVE, *_words("archive clear confirm order reject reset submit"))
)
"""Words of controls that must be asked for by their whole name."""

_LONGEST: Final = 2000
"""Characters of a text that are looked at; what a control says stands before that."""
_EDGES: Final = re.compile(r"[_\W]+|(?<=[a-z])(?=[A-Z])")


def _any_of(*words: str) -> "re.Pattern[str]":
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)


_RISKY: Final = _any_of(*_IRREVERSIBLE, *_IRREVERSIBLE_PHRASES)
_PROMISING: Final = _any_of(*_IRREVERSIBLE, *_IRREVERSIBLE_PHRASES, *_CHANGING, *_CHANGING_PHRASES)


def is_risky(*texts: str) -> bool:
    """True when a text or name, such as `btn-deleteAll`, says that what it does cannot be undone."""
    return any(_occurs(_RISKY, item) for item in texts)


def promises_effect(*texts: str) -> bool:
    """True when a text or name says that something is sent, saved or changed, such as `Approve`."""
    return any(_occurs(_PROMISING, item) for item in texts)


def _occurs(pattern: "re.Pattern[str]", text: str) -> bool:
    shown = text[:_LONGEST]
    return bool(pattern.search(shown) or pattern.search(_EDGES.sub(" ", shown)))
