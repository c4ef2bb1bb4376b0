"""Templates are paths, filled in once; saving and importing run nothing."""

import time
from typing import Any

import pytest

from support.blocks import branch, loop, navigate, value
from support.service import Api, Json
from support.site import Site

HOSTILE = (
    "{{7*7}}",
    "{{''.__class__}}",
    "{{ config }}{{ self.__init__ }}",
    "{{params.__class__.__mro__}}",
    "{% for x in y %}{% endfor %}",
    "{{login.password}}",
    "{{execution.id}}",
    "${7*7}",
    "<%= 7*7 %>",
    "#{7*7}",
    "{{now}}",
    "\\{{params.x}}",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_template_in_a_value_stays_text(api: Api, text: str) -> None:
    done = api.run(
        value("alone", "{{params.text}}"),
        value("within", "<{{params.text}}>"),
        value("again", "{{blocks.alone}}"),
        params={"text": text},
    )
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert done["response"] == {"alone": text, "within": f"<{text}>", "again": text}


@pytest.mark.parametrize(
    "text",
    [
        "{{7*7}}",
        "{{''.__class__}}",
        "{{params.x()}}",
        "{{params['x']}}",
        "{{params.x | upper}}",
        "{{}}",
        "{{a",
    ],
)
def test_a_template_that_is_not_a_path_is_refused_before_it_is_kept(api: Api, text: str) -> None:
    before = api.call("/workflows/list")["total"]
    made: list[Json] = [
        {"name": "t", "blocks": [value("x", text)]},
        {"name": "t", "blocks": [value("x", {"deep": [text]})]},
        {"name": "t", "blocks": [{"type": "Mouse", "locator": {"text": text}, "data": {}}]},
        {"name": "t", "output": {"deep": [text]}},
        {"name": "t", "blocks": [{"type": "API", "data": {"route": text}}]},
        {
            "name": "t",
            "blocks": [{"type": "API", "data": {"route": "https://a.example", "headers": {"A": text}}}],
        },
        {"name": "t", "blocks": [{"type": "SendEmail", "data": {"toAddresses": ["a@b"], "subject": text}}]},
        {"name": "t", "blocks": [{"type": "SendEmail", "data": {"toAddresses": ["a@b"], "body": text}}]},
    ]
    for fields in made:
        answer = api.post("/workflows/create", fields)
        assert answer.status_code == 400, f"{fields}: {answer.text}"
        assert "49" not in answer.json()["error"]
    assert api.call("/workflows/list")["total"] == before


@pytest.mark.parametrize(
    "path", ["params.__class__", "params.x.__class__", "params.x.upper", "execution.__init__"]
)
def test_a_path_reaches_data_and_nothing_behind_it(api: Api, path: str) -> None:
    done = api.run(value("x", "{{" + path + "}}"), params={"x": "text"})
    assert (done["status"], done["response"]) == ("Failed", {})


def test_an_escaped_template_is_a_literal(api: Api) -> None:
    assert api.run(value("x", "\\{{params.n}}"), params={"n": 1})["response"] == {"x": "{{params.n}}"}


def test_keys_are_not_templates(api: Api) -> None:
    done = api.run(value("x", {"{{params.n}}": "{{params.n}}"}), params={"n": 5})
    assert done["response"] == {"x": {"{{params.n}}": 5}}


def hostile_blocks(url: str) -> list[Json]:
    """Everything that would call home, if saving it ran anything."""
    code = f"__import__('urllib.request').request.urlopen('{url}/code')"
    return [
        navigate(f"{url}/navigate"),
        value("code", 1, code),
        {"type": "CodeV2", "data": {"code": f"open('{url}/system')", "inputs": {}}},
        {"type": "DownloadFile", "data": {"url": f"{url}/download"}},
        {"type": "API", "data": {"method": "POST", "route": f"{url}/api", "data": {"a": 1}}},
        {"type": "SendEmail", "data": {"toAddresses": ["a@b.example"], "body": f"<img src='{url}/mail'>"}},
        branch(f"({code}) == 1", [], []),
        loop([1], [{**value("inner"), "transformerFn": f"lambda output, context: {code}"}]),
        {"type": "WaitForCondition", "data": {"condition": {"expression": code}, "timeoutMs": 1}},
    ]


def test_saving_editing_copying_and_importing_run_nothing(api: Api, site: Site) -> None:
    blocks = hostile_blocks(site.url)
    executions = api.call("/executions/list")["total"]
    flow = api.create("hostile", *blocks, output={"x": "{{blocks.code}}"})
    edits: list[Json] = [
        {"type": "replaceAll", "blocks": blocks},
        {"type": "create", "block": navigate(site.url, "more")},
    ]
    api.call("/workflows/blocks/update", {"workflowId": flow["id"], "operations": edits})
    portable = api.call("/workflows/export", {"id": flow["id"]})
    api.call("/workflows/import", portable)
    api.call("/workflows/duplicate", {"id": flow["id"]})
    api.call("/workflows/restore", {"id": flow["id"], "version": 1})
    login = {
        "name": "hostile",
        "authenticationUrl": f"{site.url}/login",
        "iconUrl": f"{site.url}/icon",
        "loginConfiguration": {"username": "{{7*7}}", "password": "{{login.password}}"},
    }
    api.call("/logins/create", login)
    time.sleep(0.5)
    assert site.hits == []
    assert api.call("/executions/list")["total"] == executions


def test_hostile_code_does_not_get_out_when_it_is_run(api: Api, site: Site) -> None:
    for block in hostile_blocks(site.url)[1:3]:
        done = api.run(block)
        assert done["status"] == "Failed", done["response"]
    assert site.hits == []


@pytest.mark.parametrize(
    "name", ["{{7*7}}", "<script>alert(1)</script>", "'; DROP TABLE workflows; --", "../../x"]
)
def test_names_are_text(api: Api, name: str) -> None:
    flow = api.create(name, value("x"), tags=[name])
    done = api.call("/workflows/executeSync", {"workflowName": name, "workflowId": flow["id"], "name": name})
    execution: Any = done["execution"]
    assert (execution["name"], execution["workflow"]["name"]) == (name, name)
    assert flow["tags"][0]["name"] == name
    found = api.call("/workflows/list", {"search": name})
    assert flow["id"] in [workflow["id"] for workflow in found["workflows"]]
