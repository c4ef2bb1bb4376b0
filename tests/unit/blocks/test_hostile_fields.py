"""Hostile text in every field of every kind: refused when it is written, or left as the text it is."""

from typing import Any, get_args

import pytest

from pagehand.blocks import examples, kinds
from pagehand.blocks.base import Block
from pagehand.errors import BlockFailed, InvalidRequest
from pagehand.workflow.wire import NotATemplate

ALL_KINDS = sorted(kinds(), key=lambda kind: kind.type)
EXPRESSIONS = (
    "{{7*7}}",
    "{{''.__class__.__mro__}}",
    "{{ config.items() }}",
    "{{params['x']}}",
    "{{params.x|safe}}",
    "{{lipsum.__globals__['os'].popen('id').read()}}",
    "{{constructor.constructor('return process')()}}",
    "{{}}",
    "{{{params.x}}}",
    "before {{#if x}} after",
)
VALUES = ("{{login.password}}", "{{params.secret}}", "${7*7}", "<%= 7*7 %>", "{% raw %}", "#{7*7}", "\\{{x}}")
NAMES: dict[str, Any] = {
    "params": {"secret": "s3cr3t-value"},
    "blocks": {},
    "login": {"password": "s3cr3t-value"},
    "execution": {"id": "e"},
    "now": "",
}


def text_fields(kind: type[Block]) -> list[str]:
    """Wire names of the fields that are templates."""
    return [
        field.alias or name
        for name, field in kind.model_fields.items()
        if not any(isinstance(part, NotATemplate) for part in (*field.metadata, *get_args(field.annotation)))
    ]


@pytest.mark.parametrize("kind", ALL_KINDS, ids=lambda kind: kind.type)
def test_no_field_takes_a_template_that_is_not_a_path(kind: type[Block]) -> None:
    taken: list[str] = []
    for base in examples(kind)[:1]:
        for field in text_fields(kind):
            for hostile in EXPRESSIONS:
                for value in (hostile, [hostile], {"deep": {"er": [hostile]}}):
                    try:
                        kind.check({**base["data"], field: value}, None)
                    except InvalidRequest:
                        continue
                    taken.append(f"{field}: {value}")
    assert taken == []


@pytest.mark.parametrize("kind", ALL_KINDS, ids=lambda kind: kind.type)
def test_what_a_template_brings_is_never_filled_in_again(kind: type[Block]) -> None:
    filled_in: list[str] = []
    for field in text_fields(kind):
        for value in VALUES:
            names = {**NAMES, "params": {**NAMES["params"], "x": value}}
            for written in ("{{params.x}}", "<{{params.x}}>", ["{{params.x}}"]):
                try:
                    resolved = kind.resolve_data({field: written}, names, NAMES["login"])
                except BlockFailed:
                    continue
                if "s3cr3t" in str(resolved) or "49" in str(resolved):
                    filled_in.append(f"{field}: {written} -> {resolved}")
    assert filled_in == []


@pytest.mark.parametrize("kind", ALL_KINDS, ids=lambda kind: kind.type)
def test_secrets_are_filled_in_only_where_they_are_typed_or_sent_as_auth(kind: type[Block]) -> None:
    shown = {**NAMES, "login": {"password": "***"}}
    leaked = [
        field
        for field in text_fields(kind)
        if field not in kind.secret_fields
        and "s3cr3t" in str(kind.resolve_data({field: "{{login.password}}"}, shown, NAMES["login"]))
    ]
    assert leaked == []
