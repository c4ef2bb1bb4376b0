"""Steps outside the page: hand results to another service, call one, unpack a file."""

import re
from typing import Final

from pagehand.instructions.grammar.outputs import using
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.rules import Rule, Sentences, Words
from pagehand.instructions.grammar.scene import Scene
from pagehand.instructions.grammar.values import read_address, read_value
from pagehand.records import Json


def _post(words: Words, scene: Scene) -> Json:
    address = _service(words["address"], scene)
    block: Json = {"data": {"method": "POST", "route": address}}
    if (marked := using(block, words["what"], "data", "data")) is not None:
        return marked
    return {"data": {**block["data"], "data": _template(words["what"], scene)}}


def _call(words: Words, scene: Scene) -> Json:
    method = (words["method"] or "GET").upper()
    return {"data": {"method": method, "route": _service(words["address"], scene)}}


def _service(text: str, scene: Scene) -> str:
    """Where a call goes: written out, as a path of the page's own site could be meant otherwise."""
    if (atom := scene.wording.atom(text)) is not None and atom.kind == "email":
        raise NotUnderstood(atom.written, "a mail has a subject: `send an email to … with the subject …`")
    address = read_address(text, scene)
    if not address.startswith(("http://", "https://", "{{")) or scene.wording.atom(text) is None:
        raise NotUnderstood(scene.wording.written(text), "give the whole address, with `https://`")
    return address


def _unzip(words: Words, scene: Scene) -> Json:
    marked = using({"data": {}}, words["what"], "file", "file")
    return marked or {"data": {"file": _template(words["what"], scene)}}


def _template(text: str, scene: Scene) -> str:
    value = read_value(text, scene)
    if not re.fullmatch(r"\{\{[^{}]+\}\}", value):
        raise NotUnderstood(
            scene.wording.written(text),
            "it should be what an earlier step put out, or a template such as `{{params.order}}`",
        )
    return value


_ABOUT: Final = "Handing on what was read"

CALLING: Final = Sentences(
    _ABOUT,
    (
        Rule(
            "post|send",
            r" {what} to {address}",
            _post,
            ("Extract the total, then post the results to https://example.com/hook",),
        ),
        Rule(
            "call",
            r"(?: (?P<method>get|head|post|put|patch|delete))?(?: (?:the )?(?:api|endpoint)(?: at)?)?"
            r" {address}",
            _call,
            ("Call GET https://example.com/api/rates",),
        ),
    ),
)

UNPACKING: Final = Sentences(
    _ABOUT,
    (
        Rule(
            "unzip|unpack",
            r" {what}",
            _unzip,
            ("Download https://example.com/a.zip and unzip it", "Unzip {{params.archive}}"),
        ),
    ),
)
