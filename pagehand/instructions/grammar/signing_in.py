"""Steps that sign in: with a stored login, or by filling in the sign-in form."""

import re
from typing import Final

from pagehand.instructions.grammar.acting import OPENING
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.values import read_address, read_last_value, read_value
from pagehand.instructions.grammar.vocabulary import Frame, ParseContext, Sentences, Slots
from pagehand.records import Json

_VERBS: Final = "log in|log on|sign in|login"
_MAX_NAMED: Final = 20


def _with_execution_login(slots: Slots, context: ParseContext) -> Json:  # noqa: ARG001 - every frame takes both
    return {"data": {"loginId": "", "isParameter": True}}


def _with_stored_login(slots: Slots, context: ParseContext) -> Json:
    login_words = slots["name"].strip()
    token = context.literals.token(login_words)
    name = token.value if token else login_words
    return {"data": {"loginId": _login_id(name, context), "isParameter": False}}


def _with_login_id(slots: Slots, context: ParseContext) -> Json:
    if not re.fullmatch(r"login_\w+", slots["name"]):
        raise context.not_understood(slots["name"], "put the login's name in quotes")
    return _with_stored_login(slots, context)


def _login_id(name: str, context: ParseContext) -> str:
    if name.startswith(("login_", "{{")):
        return name
    named = {login.casefold(): login_id for login, login_id in (context.logins or {}).items()}
    if found := named.get(name.casefold()):
        return found
    # an empty id marks a name that several logins have
    if found == "":
        raise NotUnderstood(name, "several stored logins have this name; give the id of one, `login_…`")
    known = ", ".join(f"`{item}`" for item in [*(context.logins or {})][:_MAX_NAMED])
    raise NotUnderstood(
        name, f"no stored login has this name; there {f'are {known}' if known else 'are none'}"
    )


def _with_form_fields(slots: Slots, context: ParseContext) -> Json:
    """Fill in and send the sign-in form, at an address or on the page that is open."""
    fields = [
        _credential(slots["who"].lower(), "TextInput", read_value(slots["user"], context)),
        _credential("password", "SensitiveTextInput", read_last_value(slots["secret"], context)),
    ]
    form: Json = {"name": "Sign in", "data": {"fields": fields, "submit": True}}
    if not slots["address"]:
        return {"several": [form]}
    page = context.vocabulary.block(OPENING, {"url": read_address(slots["address"], context)})
    return {"several": [page, form]}


def _credential(key: str, input_type: str, value: str) -> Json:
    return {"key": key, "inputType": input_type, "value": value}


_HEADING: Final = "Signing in"

STORED_LOGIN: Final = Sentences(
    _HEADING,
    (
        Frame(
            f"({_VERBS}) (with|using) (the|this) [stored|saved|given] (login|account|credentials)"
            " [of (the|this) (run|execution)]",
            _with_execution_login,
            ("Sign in with the login of this execution", "Log in with the stored login"),
        ),
        Frame(
            f"({_VERBS}) (with|using) [the] [stored|saved] [login|account|credentials] [called|named]"
            " {name:<literal>} [login|account|credentials]",
            _with_stored_login,
            ("Sign in with the login login_01k3v8c2m4e6g8j0n2q4s6t8w0",),
        ),
        Frame(
            f"({_VERBS}) (with|using) [the] [stored|saved] (login|account|credentials) {{name}}",
            _with_login_id,
        ),
        Frame(f"({_VERBS}) (with|using) the {{name}} (login|account|credentials)", _with_stored_login),
    ),
)

SIGN_IN_FORM: Final = Sentences(
    _HEADING,
    (
        Frame(
            f"({_VERBS}) [(at|to|on) {{address}}] [,] (with|using) [the]"
            " {who:username|user name|user id|user|e-mail|email|e-mail address|email address|login name"
            "|account|account name} {user} (,|and|with|, and|and with|, with) [the] password {secret}",
            _with_form_fields,
            ("Log in at https://example.com with email {{params.email}} and password {{params.secret}}",),
        ),
    ),
)
