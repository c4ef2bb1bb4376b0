"""Steps that sign in: with a stored login, or by filling in the sign-in form."""

import re
from typing import Final

from pagehand.instructions.grammar.acting import OPENING
from pagehand.instructions.grammar.refusal import NotUnderstood, OtherFrame
from pagehand.instructions.grammar.values import read_address, read_last_value, read_value
from pagehand.instructions.grammar.vocabulary import Frame, ParseContext, Sentences, Slots
from pagehand.records import Json

_AT: Final = "[(at|to|into|on) {address}] [,]"
_MAX_NAMED: Final = 20
# where one signs in says no more than that it is here
_HERE: Final = re.compile(
    r"(?:the|this|our|your|my) (?:[\w-]+ )?(?:portal|site|website|page|system|app|application|"
    r"account|platform)",
    re.IGNORECASE,
)


def _with_execution_login(slots: Slots, context: ParseContext) -> Json:
    # "type Ada into Username and log in" goes on with that form
    if not slots["which"] and context.last_element is not None and context.last_element.noun == "field":
        raise NotUnderstood("log in", "say `click Log in`, or `sign in with the stored login`")
    return _at(slots["address"], {"data": {"loginId": "", "isParameter": True}}, context)


def _with_stored_login(slots: Slots, context: ParseContext) -> Json:
    login_words = slots["name"].strip()
    token = context.literals.token(login_words)
    name = token.value if token else login_words
    login = {"data": {"loginId": _login_id(name, context), "isParameter": False}}
    return _at(slots["address"], login, context)


def _at(address: str, login: Json, context: ParseContext) -> Json:
    """The sign-in on the page that is open, or after opening another."""
    if not address or _HERE.fullmatch(address):
        return login
    if context.literals.token(address) is None and " " in address:
        raise OtherFrame("an address was expected, such as `https://example.com`")
    page = context.vocabulary.block(OPENING, {"url": read_address(address, context)})
    return {"several": [page, {"name": "Sign in", **login}]}


def _with_login_id(slots: Slots, context: ParseContext) -> Json:
    name = re.sub(r"^(?:called|named) ", "", slots["name"])
    if not re.fullmatch(r"login_\w+", name) and name.casefold() not in map(
        str.casefold, context.logins or ()
    ):
        raise NotUnderstood(slots["name"], "put the login's name in quotes")
    return _with_stored_login(Slots(slots, name=name), context)


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
        _credential(slots["who"].lower() or "username", "TextInput", read_value(slots["user"], context)),
        _credential("password", "SensitiveTextInput", read_last_value(slots["secret"], context)),
    ]
    return _at(slots["address"], {"data": {"fields": fields, "submit": True}}, context)


def _credential(key: str, input_type: str, value: str) -> Json:
    return {"key": key, "inputType": input_type, "value": value}


_HEADING: Final = "Signing in"

_LOGIN: Final = "(login|account|credentials)"
STORED_LOGIN: Final = Sentences(
    _HEADING,
    (
        Frame(
            f"(@log_in) [again|first] {_AT} [(with|using) {{which:the|this|my|our|your}}"
            " [stored|saved|given|usual] (login|account|credentials|login data|login details)"
            " [of (the|this) (run|execution)]]"
            f"| use {{which:the|my|our|your}} [stored|saved|given|usual] {_LOGIN} to (@log_in) {_AT}",
            _with_execution_login,
            ("Sign in with the login of this execution", "Log in with the stored login", "Log in"),
        ),
        Frame(
            f"(@log_in) {_AT} (with|using) [the|our|my] [stored|saved] [login|account|credentials]"
            " [called|named] {name:<literal>} [login|account|credentials]"
            f"| (@log_in) {_AT} (with|using) (the|our|my) {{name}} {_LOGIN}"
            f"| use the ({_LOGIN} {{name:<literal>}}|{{name}} {_LOGIN}) to (@log_in) {_AT}",
            _with_stored_login,
            ("Sign in with the login login_01k3v8c2m4e6g8j0n2q4s6t8w0",),
        ),
        Frame(f"(@log_in) {_AT} (with|using) [the] [stored|saved] {_LOGIN} {{name}}", _with_login_id),
    ),
)

SIGN_IN_FORM: Final = Sentences(
    _HEADING,
    (
        Frame(
            f"(@log_in) {_AT} ((with|using) [the] {{who:username|user name|user id|user|e-mail|email"
            "|e-mail address|email address|login name|account|account name} {user}|as {user})"
            " (,|and|with|, and|and with|, with|using|and the) [the] password {secret}",
            _with_form_fields,
            ("Log in at https://example.com with email {{params.email}} and password {{params.secret}}",),
        ),
    ),
)
