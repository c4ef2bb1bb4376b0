"""The description at /openapi.json against the service that serves it."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import jsonschema_rs
import pytest
from uv import find_uv_bin

from pagehand.client import Pagehand
from support.examples import FILES, operations, refused_examples
from support.service import Api, RunningService
from support.things import one_of_each

Json = dict[str, Any]


@pytest.fixture(scope="module")
def document(api: Api) -> Json:
    return api.http.get("/openapi.json").json()


def validator(document: Json, schema: Json) -> jsonschema_rs.Draft202012Validator:
    """Judges values by a schema of the document."""
    return jsonschema_rs.Draft202012Validator({**schema, "components": document["components"]})


def references(value: Any) -> Iterator[str]:
    """Every `$ref` anywhere below."""
    if isinstance(value, dict):
        for name, inner in cast("Json", value).items():
            if name == "$ref":
                yield inner
            else:
                yield from references(inner)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from references(inner)


def asked(operation: Json) -> Json:
    return operation["requestBody"]["content"]["application/json"]


def answered(operation: Json) -> Json:
    status = "201" if "201" in operation["responses"] else "200"
    return next(iter(operation["responses"][status]["content"].values()))["schema"]


def test_it_is_openapi_3_1_of_version_1(document: Json) -> None:
    assert document["openapi"].startswith("3.1")
    assert document["info"]["version"] == "1.0.0"


def test_every_reference_leads_somewhere(document: Json) -> None:
    for reference in set(references(document)):
        place: Any = document
        for part in reference.removeprefix("#/").split("/"):
            assert part in place, reference
            place = place[part]


def test_every_schema_is_a_schema(document: Json) -> None:
    for name, schema in document["components"]["schemas"].items():
        assert jsonschema_rs.meta.is_valid(
            {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
        ), name


def test_every_tag_and_every_flag_of_a_block_explains_itself(document: Json) -> None:
    assert [tag["name"] for tag in document["tags"] if not tag["description"]] == []
    schemas = document["components"]["schemas"]
    flags = ("isCacheable", "skipIfNotPresent", "useWorkflowRecoveryAgent", "transformerFn")
    for name in ("NavigateBlock", "LoopV2Block", "Block"):
        assert all(schemas[name]["properties"][flag]["description"] for flag in flags), name


def test_names_of_operations_are_unique_and_nothing_is_in_path_or_query(document: Json) -> None:
    names = [operation["operationId"] for _, operation in operations(document)]
    assert len(names) == len(set(names)) > 30
    for path, operation in operations(document):
        assert all(parameter["in"] == "header" for parameter in operation.get("parameters", [])), path


@pytest.mark.slow
def test_every_operation_names_its_schemas_errors_and_an_example_that_fits(document: Json) -> None:
    for path, operation in operations(document):
        assert set(asked(operation)["schema"]) == {"$ref"}, path
        is_file = answered(operation) == {"type": "string", "contentMediaType": FILES.get(path)}
        assert is_file or set(answered(operation)) == {"$ref"}, path
        assert {"400", "401", "403", "413", "415", "429", "500", "503"} <= set(operation["responses"]), path
        assert validator(document, asked(operation)["schema"]).is_valid(asked(operation)["example"]), path


LIVE = ("describe", "record", "recorded", "pick", "read", "run", "stop", "close")
STATES = {
    "/authentication/submitTwoFactorAuthCode": "404 No authentication",  # nothing signs in
    "/browserSessions/close": "404 `id`: no browser session",  # none is open
    "/demo/break": "404",  # there is no demo here
    **{f"/liveSessions/{name}": "409 This execution is not a live session" for name in LIVE},
    **{f"/executions/{name}": "409" for name in ("pause", "resume", "cancel")},  # it has ended
    **{f"/executions/{name}": "409" for name in ("applyProposal", "declineProposal")},
    **{f"/batches/{name}": "409" for name in ("pause", "resume", "cancel")},
    "/logins/twoFactorAuth/getCode": "409 `id`: the two-factor method",
}
"""Examples that need a thing in a certain state, and what is answered in any other."""


@pytest.mark.slow
def test_every_example_works_where_the_things_are_that_it_speaks_of(
    document: Json, service: RunningService, tmp_path: Path
) -> None:
    key = service.new_key("examples")  # what others left behind could stand in the way
    api = service.api(key)
    sheet = api.call(
        "/batches/uploadSheet", asked(document["paths"]["/batches/uploadSheet"]["post"])["example"]
    )
    api.create("Demo: collect claims", {"type": "Wait", "data": {"durationMs": 1}})
    ids = one_of_each(service, api, "examples") | {"file": sheet["file"]["id"]}
    with Pagehand(service.url, key) as client:
        refused = refused_examples(client, document, ids, tmp_path)
    assert [path for path in STATES if path not in refused] == []
    for path, answer in refused.items():
        assert path in STATES or "PAGEHAND_MODEL" in answer, f"{path}: {answer}"
        assert answer.startswith(STATES.get(path, "")), f"{path}: {answer}"
        assert answer.split()[0] in document["paths"][path]["post"]["responses"], path


@pytest.mark.slow
def test_other_generators_make_a_client_that_works(service: RunningService, tmp_path: Path) -> None:
    def run(*command: str) -> str:
        whole = [find_uv_bin(), "tool", "run", "--from", "openapi-python-client==0.29.1", *command]
        done = subprocess.run(whole, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603 - ours
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    document = f"{service.url}/openapi.json"
    generate = ("openapi-python-client", "generate", "--meta", "none", "--output-path", "made")
    assert "WARNING" not in run(*generate, "--url", document, "--fail-on-warning")
    program = """
import importlib, pkgutil, sys
sys.path.insert(0, ".")
import made
from made.api.workflows import workflows_list
from made.client import Client
from made.models import ListWorkflows
for module in pkgutil.walk_packages(made.__path__, "made."):
    importlib.import_module(module.name)
print(workflows_list.sync(client=Client(base_url=sys.argv[1]), body=ListWorkflows(limit=1)).total)
"""
    assert run("python", "-c", program, service.url).split()[-1].isdigit()


def test_every_kind_of_block_is_a_titled_variant_with_examples_that_fit(document: Json) -> None:
    schemas = document["components"]["schemas"]
    for variant in schemas["NewBlock"]["anyOf"]:
        schema = schemas[variant["$ref"].rpartition("/")[2]]
        assert schema["title"]
        assert schema["examples"], schema["title"]
        for example in schema["examples"]:
            found = [error.message for error in validator(document, schema).iter_errors(example)]
            assert not found, (schema["title"], example, found)


def test_retry_promises_in_progress(document: Json) -> None:
    assert document["components"]["schemas"]["RetriedExecution"]["properties"]["status"] == {
        "const": "InProgress"
    }


def test_execute_sync_says_what_comes_after_white_space(document: Json) -> None:
    assert '{"error": sentence}' in document["paths"]["/workflows/executeSync"]["post"]["description"]


@pytest.mark.slow
def test_answers_have_the_shapes_described(document: Json, api: Api) -> None:
    block = {"type": "Transform", "blockReferenceId": "answer", "data": {"input": 41, "code": "input + 1"}}
    nested = {
        "type": "If",
        "data": {"condition": "1 == 1"},
        "sequenceData": {"trueSequence": [block], "falseSequence": []},
    }
    flow = api.create("described", nested, tags=["one"])
    done = api.call("/workflows/executeSync", {"workflowId": flow["id"]})["execution"]
    assert done["status"] == "Completed", done["errorAnalysis"]
    upload = {"name": "a.txt", "contentBase64": "QQ=="}
    batch = api.call("/batches/create", {"name": "b", "workflowId": flow["id"], "rows": [{}]})["batch"]
    requests: list[tuple[str, Json]] = [
        ("/workflows/executeSync", {"workflowId": flow["id"], "startBlockId": flow["blocks"][0]["id"]}),
        ("/workflows/execute", {"workflowId": flow["id"]}),
        ("/executions/get", {"id": done["id"]}),
        ("/executions/retry", {"id": done["id"]}),
        ("/executions/list", {}),
        ("/executions/events", {"id": done["id"]}),
        ("/workflows/get", {"id": flow["id"]}),
        ("/workflows/list", {}),
        ("/workflows/versions", {"id": flow["id"]}),
        ("/workflows/export", {"id": flow["id"]}),
        ("/workflows/blocks/update", {"workflowId": flow["id"], "operations": []}),
        ("/batches/uploadSheet", {"name": "a.csv", "contentBase64": "YQoxCg=="}),
        ("/batches/readSheet", {"workflowId": flow["id"], "contentBase64": "YQoxCg=="}),
        ("/batches/get", {"id": batch["id"]}),
        ("/batches/list", {}),
        ("/tags/list", {}),
        ("/logins/list", {}),
        ("/files/upload", upload),
        ("/files/list", {}),
        ("/keys/list", {}),
    ]
    for path, fields in requests:
        answer = api.call(path, fields)
        described = validator(document, answered(document["paths"][path]["post"]))
        assert not [error.message for error in described.iter_errors(answer)], path


def test_documentation_page_needs_nothing_from_outside(api: Api) -> None:
    answer = api.http.get("/docs")
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert not re.findall(r"""(?:src|href)=["'](?:https?:)?//""", answer.text)
