"""Blocks from plain instructions, without a model: what is understood is exact, the rest is refused."""

from collections.abc import Mapping, Sequence

from pagehand.instructions.grammar.acting import ACTING
from pagehand.instructions.grammar.closing import CLOSING
from pagehand.instructions.grammar.filling import FILLING
from pagehand.instructions.grammar.handing_on import HANDING_ON
from pagehand.instructions.grammar.other_steps import OTHER
from pagehand.instructions.grammar.outputs import output_kind
from pagehand.instructions.grammar.reading import READING
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.repeating import REPEATING
from pagehand.instructions.grammar.scene import Output, Pages, Scene
from pagehand.instructions.grammar.sequence import TOGETHER, read_message
from pagehand.instructions.grammar.signing_in import SIGNING_IN
from pagehand.records import Json

__all__ = ["SENTENCES", "NotUnderstood", "Output", "Pages", "output_kind", "read_instructions"]

SENTENCES = {
    "Reaching and acting on a page": tuple(say for rule in ACTING for say in rule.says),
    "Filling in fields": tuple(say for rule in FILLING for say in rule.says),
    "Reading a page and keeping files": tuple(say for rule in READING for say in rule.says),
    "Signing in": tuple(say for rule in SIGNING_IN for say in rule.says),
    "Waiting, searching, closing, mail": tuple(say for rule in (*OTHER, *CLOSING) for say in rule.says),
    "Handing on what was read": tuple(say for rule in HANDING_ON for say in rule.says),
    "Several steps, conditions, loops": (*TOGETHER, *(say for rule in REPEATING for say in rule.says)),
}
"""Examples of what is understood, by what they are about."""


def read_instructions(
    text: str,
    *,
    parameters: Sequence[str] = (),
    logins: Mapping[str, str] | None = None,
    present: Sequence[Output] = (),
    pages: Pages | None = None,
) -> list[Json]:
    """Block definitions for what the text says to do; `NotUnderstood` names the words that are not clear.

    `parameters` are the workflow's, `logins` the ids of stored logins by name, `present` the blocks that the
    workflow has already, `pages` what an execution saw.
    """
    scene = Scene(parameters=parameters, logins=logins, present=present, pages=pages)
    return read_message(text, scene)
