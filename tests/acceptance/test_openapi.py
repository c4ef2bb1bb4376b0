"""The description at /openapi.json against the service that serves it."""

import re
from collections.abc import Iterator
from typing import Any, cast

import jsonschema_rs
import pytest

from support.service import Api, RunningService

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


FILES = {
    "/executions/evidence": "application/zip",
    "/batches/results": "text/csv",
    "/batches/resultsZip": "application/zip",
}
"""Operations that answer with something else than JSON."""


def operations(document: Json) -> Iterator[tuple[str, Json]]:
    """Every described POST."""
    for path, methods in document["paths"].items():
        if "post" in methods:
            yield path, methods["post"]


def asked(operation: Json) -> Json:
    return operation["requestBody"]["content"]["application/json"]


def answered(operation: Json) -> Json:
    status = "201" if "201" in operation["responses"] else "200"
    [content] = operation["responses"][status]["content"].values()
    return content["schema"]


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


@pytest.mark.slow
def test_every_example_is_understood_by_the_service(document: Json, service: RunningService) -> None:
    api = service.api(service.new_key("examples"))  # what others left behind could stand in the way
    for path, operation in operations(document):
        answer = api.post(path, asked(operation)["example"])
        needs_model = "PAGEHAND_MODEL" in answer.text
        assert answer.status_code in (200, 404) or needs_model, f"{path}: {answer.status_code} {answer.text}"
        assert str(answer.status_code) in operation["responses"], path


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
