"""Templates resolve paths, once, and nothing else."""

import json
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.errors import BlockFailed, InvalidRequest
from pagehand.workflow import templates

NAMES: dict[str, Any] = {
    "params": {
        "n": 3,
        "text": "hi",
        "none": None,
        "yes": True,
        "deep": {"list": [{"a": 1.5}]},
        "evil": "{{params.n}}",
    },
    "blocks": {"table": [{"name": "x"}], "skipped": None},
    "login": {"username": "ann", "security answer": "***"},
}
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{{params.n}}", 3),
        ("{{ params.n }}", 3),
        ("{{params.none}}", None),
        ("{{params.deep.list}}", [{"a": 1.5}]),
        ("{{blocks.table.0.name}}", "x"),
        ("{{login.security answer}}", "***"),
        ("n={{params.n}}", "n=3"),
        (" {{params.n}}", " 3"),
        ("{{params.n}}{{params.n}}", "33"),
        ("[{{params.none}}]", "[]"),
        ("{{params.yes}}!", "true!"),
        ("{{params.deep}} is JSON", '{"list": [{"a": 1.5}]} is JSON'),
        (r"\{{params.n}}", "{{params.n}}"),
        (r"\{{ and {{params.n}}", "{{ and 3"),
        ("{% if %} }} {x}", "{% if %} }} {x}"),
        ('{"a":{{params.n}}}', '{"a":3}'),
        ("", ""),
    ],
)
def test_a_path_becomes_its_value(text: str, value: Any) -> None:
    templates.check(text)
    assert templates.resolve(text, NAMES) == value


@pytest.mark.parametrize(
    "text",
    [
        "{{7*7}}",
        "{{''.__class__}}",
        "{{ }}",
        "{{}}",
        "{{params['n']}}",
        "{{params.n",
        "{{{params.n}}}",
        "{{f()}}",
    ],
)
def test_what_is_not_a_path_is_refused_at_save_and_fails_at_run(text: str) -> None:
    with pytest.raises(InvalidRequest, match="only paths are allowed"):
        templates.check({"a": [f"x {text}"]})
    with pytest.raises(BlockFailed, match="only paths are allowed"):
        templates.resolve(text, NAMES)


def test_a_value_that_looks_like_a_template_stays_text() -> None:
    assert templates.resolve("{{params.evil}}", NAMES) == "{{params.n}}"
    assert templates.resolve("so: {{params.evil}}", NAMES) == "so: {{params.n}}"


def test_an_unknown_name_is_named_with_what_there_is() -> None:
    with pytest.raises(
        BlockFailed, match=r"`\{\{params.x\}\}`: there is no `x` in `params`; there is `deep`, `evil`"
    ):
        templates.resolve("{{params.x}}", NAMES)
    with pytest.raises(BlockFailed, match=r"no `parms`; there is `blocks`, `login`, `params`"):
        templates.resolve("a {{parms.x}}", NAMES)


def test_a_path_through_null_or_past_a_list_fails_with_the_reason() -> None:
    with pytest.raises(BlockFailed, match="it is null"):
        templates.resolve("{{blocks.skipped.name}}", NAMES)
    with pytest.raises(BlockFailed, match="a list of 1"):
        templates.resolve("{{blocks.table.1}}", NAMES)


@pytest.mark.parametrize(
    "path", ["params.__class__", "blocks.table.append", "params.text.upper", "blocks.table.-1"]
)
def test_attributes_are_never_looked_up(path: str) -> None:
    with pytest.raises(BlockFailed, match="there is no"):
        templates.resolve(f"{{{{{path}}}}}", NAMES)


def test_names_may_be_a_mapping_that_computes_its_values() -> None:
    class Masked(Mapping[str, Any]):
        def __getitem__(self, key: str) -> Any:
            return f"***{key}"

        def __iter__(self) -> Iterator[str]:
            return iter(("password",))

        def __len__(self) -> int:
            return 1

    names = {"login": Masked()}
    assert templates.resolve("{{login.password}}", names) == "***password"
    assert json.loads(templates.resolve("{{login}} ", names)) == {"password": "***password"}


def test_nested_values_are_filled_in_and_keys_are_not() -> None:
    value = {"{{params.n}}": ["{{params.n}}", {"x": "{{params.text}} "}], "y": 5}
    assert templates.resolve(value, NAMES) == {"{{params.n}}": [3, {"x": "hi "}], "y": 5}


def test_a_hostile_text_takes_no_time() -> None:
    before = time.thread_time()
    for text in ("{{" * 50_000, "{{a." + "b " * 50_000 + "!", "{{params." + "9" * 100_000 + "}}"):
        with pytest.raises(BlockFailed) as caught:
            templates.resolve(text, NAMES)
        assert len(caught.value.message) < 1000
    assert time.thread_time() - before < 10


@given(JSON_VALUES)
def test_a_template_alone_keeps_any_value_as_it_is(value: Any) -> None:
    assert templates.resolve("{{params.v}}", {"params": {"v": value}}) == value
    assert templates.resolve({"a": ["{{params.v}}"]}, {"params": {"v": value}}) == {"a": [value]}


@given(JSON_VALUES)
def test_within_text_a_value_is_its_json_its_text_or_nothing(value: Any) -> None:
    filled = templates.resolve("<{{v}}>", {"v": value})[1:-1]
    read = filled or None if value is None or isinstance(value, str) else json.loads(filled)
    assert read == (value or None if isinstance(value, str) else value)


@given(st.text())
def test_escaped_text_comes_out_as_it_was(text: str) -> None:
    plain = text.replace("\\", "")
    assert templates.resolve(plain.replace("{{", "\\{{"), {}) == plain


@given(st.text(alphabet="{}\\. ap0-*'"))
def test_any_text_either_resolves_or_is_refused(text: str) -> None:
    try:
        templates.check(text)
    except InvalidRequest:
        with pytest.raises(BlockFailed):
            templates.resolve(text, {})


@given(st.text(alphabet="{} .-_$@a0\t"))
def test_a_template_is_what_the_published_pattern_says(inner: str) -> None:
    for text in (inner, "{{a" + inner + "}}"):
        assert templates.is_template(text) == (re.fullmatch(templates.PATTERN, text) is not None)
