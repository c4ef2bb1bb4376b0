"""Which block a step means: the rules of all kinds are tried on it."""

import json
from copy import copy
from typing import Final

from pagehand.instructions.grammar.names import refuse_negation
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.vocabulary import ParseContext
from pagehand.records import Json

_MAX_STEP_LENGTH: Final = 600
"""In characters; a literal counts as one."""


def read_step(text: str, context: ParseContext) -> Json:
    """The block that a step means; `NotUnderstood` when it means none or several."""
    if len(text) > _MAX_STEP_LENGTH:
        raise NotUnderstood(text, "it is too long for one step; put values in quotes, or say it in parts")
    context.budget.check()
    blocks: dict[str, tuple[Json, ParseContext]] = {}
    refusal: NotUnderstood | None = None
    for type_name, rule in context.vocabulary.rules:
        for slots in rule.matches(text):
            # a copy for each match: one that fails half way must not change what `it` refers to
            attempt = copy(context)
            try:
                block = _with_type(rule.build(slots, attempt), type_name)
            except NotUnderstood as problem:
                refusal = refusal or problem
            else:
                # two rules that build the same block agree; only different blocks are ambiguous
                blocks.setdefault(json.dumps(block, sort_keys=True), (block, attempt))
    if len(blocks) > 1:
        raise context.not_understood(
            text,
            "it can be read in several ways; put names and values in quotes",
        )
    if not blocks:
        # "not" explains a refusal better than the rule that happened to be tried first
        refuse_negation(text)
        raise refusal or NotUnderstood(text, _suggest(text, context))
    block, attempt = next(iter(blocks.values()))
    context.last_element = attempt.last_element
    return block


def _with_type(block: Json, type_name: str) -> Json:
    if "keys" in block:
        return block
    if "several" in block:
        return {"several": [_with_type(item, type_name) for item in block["several"]]}
    return {"type": type_name, **block}


def _suggest(text: str, context: ParseContext) -> str:
    """Examples that begin with the same verb, or how steps begin in general."""
    verb = text.split(maxsplit=1)[0].lower() if text.split() else ""
    examples = (example for _, rule in context.vocabulary.rules for example in rule.examples)
    similar = [example for example in examples if verb == example.split(maxsplit=1)[0].lower()]
    if similar:
        return f"no step goes on like this; say it like {' or '.join(f'`{item}`' for item in similar[:2])}"
    return (
        "no step begins like this; begin with a verb and the page's own words: `click the Save button`, "
        "`type Ada into the Name field`, `open https://example.com`"
    )
