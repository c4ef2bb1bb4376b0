"""Whatever a block puts out is made storable at once, and the execution ends."""

from typing import Any

import pytest

from support.service import Api, Json
from support.site import Site


def javascript(code: str, ref: str = "out") -> Json:
    return {"type": "CodeV2", "blockReferenceId": ref, "data": {"language": "javascript", "code": code}}


def transform(code: str, given: Any = 1, ref: str = "out") -> Json:
    return {"type": "Transform", "blockReferenceId": ref, "data": {"input": given, "code": code}}


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ("return 1e20", "100000000000000000000"),
        ("return {n: [-(2 ** 64), 2 ** 53]}", {"n": ["-18446744073709552000", 9007199254740992]}),
        ("return 1e30", 1e30),
        ("return 'a\\ud800b'", "a\ufffdb"),
        ("return {['k\\udfff']: '\\ud83d\\ude00'}", {"k\ufffd": "\U0001f600"}),
        ("return 'x\\u0000y'", "x\0y"),
        ("return -0", 0),
    ],
)
def test_what_javascript_returns_is_kept(api: Api, code: str, kept: Any) -> None:
    ended = api.run(javascript(code))
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    assert ended["response"] == {"out": kept}
    assert api.get(ended["id"])["response"] == {"out": kept}


@pytest.mark.parametrize("depth", [150, 300, 900])
def test_what_is_nested_too_deep_fails_the_block(api: Api, depth: int) -> None:
    ended = api.run(
        transform("input", "first", "kept"),
        javascript(f"let v = 1; for (let i = 0; i < {depth}; i++) v = [v]; return v"),
    )
    assert ended["status"] == "Failed"
    assert "nested" in ended["errorAnalysis"]
    assert ended["response"] == {"kept": "first"}


def test_a_whole_number_beyond_64_bits_from_python_is_text(api: Api) -> None:
    assert api.run(transform("10 ** 30"))["response"] == {"out": "1" + "0" * 30}


def test_half_a_character_on_a_page_is_replaced(api: Api, site: Site) -> None:
    site.page(
        "/half",
        "<h1 id=h></h1><script>h.textContent = 'a\\ud800b'; document.title = 't\\udc00'</script>",
    )
    ended = api.run(
        {"type": "Navigate", "data": {"url": f"{site.url}/half"}},
        {
            "type": "Extract",
            "blockReferenceId": "read",
            "data": {"fields": {"title": {"locator": {"css": "#h"}}}},
        },
    )
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    assert ended["response"]["read"]["title"] == "a\ufffdb"


def test_all_outputs_together_have_a_limit(api: Api) -> None:
    rounds: Json = {
        "type": "LoopV2",
        "blockReferenceId": "rounds",
        "data": {"over": {"times": 40}},
        "sequenceData": {"sequence": [transform("'x' * 90000", 1, "part")]},
    }
    ended = api.run(rounds)
    assert ended["status"] == "Failed"
    assert "PAGEHAND_MAX_OUTPUT_BYTES" in ended["errorAnalysis"]
    assert 15 < len(ended["response"]["rounds"]) < 25
    content = api.http.get(ended["responseFile"]["downloadUrl"])
    assert content.json() == ended["response"]
    assert len(content.content) == ended["responseFile"]["sizeBytes"]


def test_a_large_value_becomes_a_file_and_templates_still_see_it(api: Api) -> None:
    ended = api.run(
        transform("'y' * 150000", 1, "large"), transform("len(input)", "{{blocks.large}}", "length")
    )
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    assert ended["response"]["length"] == 150000
    shown = ended["response"]["large"]
    assert shown["name"] == "large.json"
    assert api.http.get(shown["downloadUrl"]).json() == "y" * 150000


def test_events_beyond_the_limit_are_counted(api: Api) -> None:
    many: Json = {
        "type": "LoopV2",
        "data": {"over": {"times": 300}},
        "sequenceData": {"sequence": [transform("input")]},
    }
    ended = api.run(many)
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    events = api.events(ended["id"])
    assert len(events) < 210
    [limited] = [event for event in events if event["type"] == "events.limited"]
    assert limited["data"]["leftOut"]["block.started"] > 200
    assert any(event["type"] == "execution.completed" for event in events)


def test_one_template_used_thousands_of_times_is_refused(api: Api) -> None:
    ended = api.run(transform("1", "{{params.big}}" * 8000), params={"big": "z" * 100_000})
    assert ended["status"] == "Failed"
    assert "templates" in ended["errorAnalysis"]
