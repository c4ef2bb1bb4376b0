"""Steps that sign in: with a stored login, or by filling in the sign-in form."""

from typing import Final

from pagehand.instructions.grammar.acting import OPENING
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.rules import Rule, Sentences, Words
from pagehand.instructions.grammar.scene import Scene
from pagehand.instructions.grammar.values import read_address, read_last_value, read_value
from pagehand.instructions.grammar.wording import ATOM
from pagehand.records import Json

_VERBS: Final = "log in|log on|sign in|login"
_THE_RUNS: Final = (
    r"(?:the|this) (?:(?:stored|saved|given) )?(?:login|account|credentials)"
    r"(?: of (?:the|this) (?:run|execution))?"
)
_MOST_NAMED: Final = 20
_WHO: Final = r"(?P<who>username|user name|user id|user|e-?mail(?: address)?|login name|account(?: name)?)"


def _with_the_runs(words: Words, scene: Scene) -> Json:  # noqa: ARG001 - every rule gets the words and the scene
    return {"data": {"loginId": "", "isParameter": True}}


def _with_stored(words: Words, scene: Scene) -> Json:
    login_words = words["name"].strip()
    atom = scene.wording.atom(login_words)
    name = atom.value if atom else login_words
    return {"data": {"loginId": _login_id(name, scene), "isParameter": False}}


def _login_id(name: str, scene: Scene) -> str:
    if name.startswith(("login_", "{{")):
        return name
    named = {login.casefold(): login_id for login, login_id in (scene.logins or {}).items()}
    if found := named.get(name.casefold()):
        return found
    # an empty id marks a name that several logins have
    if found == "":
        raise NotUnderstood(name, "several stored logins have this name; give the id of one, `login_…`")
    there = ", ".join(f"`{item}`" for item in [*(scene.logins or {})][:_MOST_NAMED])
    raise NotUnderstood(
        name, f"no stored login has this name; there {f'are {there}' if there else 'are none'}"
    )


def _with_form(words: Words, scene: Scene) -> Json:
    """Fill in and send the sign-in form, at an address or on the page that is open."""
    fields = [
        _credential(words["who"].lower(), "TextInput", read_value(words["user"], scene)),
        _credential("password", "SensitiveTextInput", read_last_value(words["secret"], scene)),
    ]
    form: Json = {"name": "Sign in", "data": {"fields": fields, "submit": True}}
    if not words["address"]:
        return {"several": [form]}
    page = scene.vocabulary.block(OPENING, {"url": read_address(words["address"], scene)})
    return {"several": [page, form]}


def _credential(key: str, input_type: str, value: str) -> Json:
    return {"key": key, "inputType": input_type, "value": value}


_ABOUT: Final = "Signing in"

STORED_LOGIN: Final = Sentences(
    _ABOUT,
    (
        Rule(
            _VERBS,
            rf" (?:with|using) {_THE_RUNS}",
            _with_the_runs,
            ("Sign in with the login of this execution", "Log in with the stored login"),
        ),
        Rule(
            _VERBS,
            r" (?:with|using) (?:the )?(?:(?:stored|saved) )?(?:login |account |credentials )?"
            rf"(?:called |named )?(?P<name>{ATOM}|login_\w+)(?: (?:login|account|credentials))?",
            _with_stored,
            ("Sign in with the login login_01k3v8c2m4e6g8j0n2q4s6t8w0",),
        ),
        Rule(
            _VERBS,
            r" (?:with|using) the {name} (?:login|account|credentials)",
            _with_stored,
            (),
        ),
    ),
)

SIGN_IN_FORM: Final = Sentences(
    _ABOUT,
    (
        Rule(
            _VERBS,
            r"(?: (?:at|to|on) {address})?,? (?:with|using) (?:the )?" + _WHO + r" {user}(?:,| and| with)+"
            r" (?:the )?password {secret}",
            _with_form,
            ("Log in at https://example.com with email {{params.email}} and password {{params.secret}}",),
        ),
    ),
)
