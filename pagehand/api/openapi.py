"""The OpenAPI 3.1 document, made from the operations."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec
import orjson
from msgspec import Struct
from starlette.responses import Response

from pagehand import __version__
from pagehand.api.field_descriptions import FIELD_DESCRIPTIONS, TAG_DESCRIPTIONS
from pagehand.api.fields import TITLE, EmptyRequest, View
from pagehand.api.operation import Call, Operation, Result, public_get
from pagehand.api.resources.blocks import BlockOperation
from pagehand.api.resources.workflow_views import Block, Parameter
from pagehand.blocks import Registry, envelope_schema
from pagehand.blocks.schema import allow_null
from pagehand.records import Json, is_array, is_object
from pagehand.workflow_files.schema import file_schema

_REF: Final = "#/components/schemas/{name}"
_BLOCK_REF: Final = "#/components/schemas/{model}"
_COMMON_ERRORS: Final = (400, 401, 403, 413, 415, 429, 500, 503)

_ERRORS: Final = {
    400: "The body is not JSON, or a field has the wrong type or value; the sentence names the field.",
    401: "An API key is needed and missing, unknown or revoked.",
    403: "A request without a key came from a foreign Origin or Host, or the key lacks the scope.",
    404: "No such thing in this organization.",
    409: "The thing exists, but its state forbids this.",
    413: "The body is over the limit.",
    415: "The body is not application/json.",
    429: "Over the organization's rate or queue limit; see Retry-After.",
    500: "Our fault; the sentence has an id to find it in the log.",
    503: "Shutting down, or the store cannot be reached; see Retry-After.",
}
_RETRY_AFTER: Final[Json] = {
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 0}}
}
_REQUEST_ID: Final[Json] = {
    "X-Request-Id": {"description": "Names this request in the log.", "schema": {"type": "string"}}
}
# every operation reads it; declared where bodies are of two kinds, because openapi-python-client forgets an
# import where such an operation has nothing optional
_OWN_REQUEST_ID: Final[Json] = {
    "name": "X-Request-Id",
    "in": "header",
    "required": False,
    "description": "Your own name for the request; the answer and the log have it.",
    "schema": {"type": "string"},
}


class Error(View):
    """What went wrong, in one sentence."""

    error: str


def document_operations(operations: Iterable[Operation], kinds: Registry) -> tuple[Operation, Operation]:
    """GET /openapi.json and /schemas/workflow.json; each is made at its first request."""
    # one at a time: each takes a second of a core, and Python's parser fails in several threads at once
    making = asyncio.Lock()
    cached: dict[str, bytes] = {}

    async def made(path: str, make: Callable[[], Json]) -> bytes:
        async with making:
            if path not in cached:
                cached[path] = orjson.dumps(await asyncio.to_thread(make))
        return cached[path]

    @public_get("/openapi.json", is_long=True)
    async def document(call: Call[EmptyRequest]) -> Result:
        """This description."""
        return await made(call.http_request.path, lambda: describe_operations(operations, kinds))

    @public_get("/schemas/workflow.json", is_long=True)
    async def workflow_files(call: Call[EmptyRequest]) -> Result:
        """The JSON Schema of workflow files."""
        schema = await made(call.http_request.path, lambda: file_schema(kinds))
        # editors ask for it whenever a file is opened
        return Response(
            schema, media_type="application/json", headers={"cache-control": "public, max-age=3600"}
        )

    return document, workflow_files


def describe_operations(operations: Iterable[Operation], kinds: Registry) -> Json:
    """The whole document."""
    described = sorted((item for item in operations if item.in_openapi), key=_position)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": TITLE,
            "version": __version__,
            "description": "Run browser-automation workflows. Every operation is a POST, JSON in and out.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"bearer": []}, {"apiKey": []}, {}],
        "tags": [
            {"name": name, "description": TAG_DESCRIPTIONS.get(name, "")}
            for name in dict.fromkeys(_tag(item) for item in described)
        ],
        "paths": {item.path: {item.method.lower(): _operation(item)} for item in described},
        "components": {
            "schemas": _schemas(described, kinds),
            "responses": {f"Error{status}": _error_response(status) for status in _ERRORS},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            },
        },
    }


def _position(operation: Operation) -> int:
    nouns, noun = list(TAG_DESCRIPTIONS), _tag(operation)
    return nouns.index(noun) if noun in nouns else len(nouns)


def _tag(operation: Operation) -> str:
    return operation.path.strip("/").split("/")[0] if operation.method == "POST" else "service"


def _operation(operation: Operation) -> Json:
    summary, _, rest = operation.description.partition("\n\n")
    described: Json = {
        "operationId": operation.name,
        "tags": [_tag(operation)],
        "summary": " ".join(summary.split()),
        "description": " ".join((rest or summary).split()),
        "responses": {str(operation.status): _success_response(operation), **_error_responses(operation)},
    }
    headers = [_OWN_REQUEST_ID] if _is_upload(operation) else []
    if headers := [*map(_idempotency_key, operation.headers), *headers]:
        described["parameters"] = headers
    if operation.method == "POST":
        described["requestBody"] = _request_body(operation)
        described["x-scope"] = operation.scope
    else:
        described["security"] = []
    return described


def _request_body(operation: Operation) -> Json:
    schema = {"$ref": _REF.format(name=operation.request_type.__name__)}
    content: Json = {"application/json": {"schema": schema, "example": operation.example}}
    if _is_upload(operation):
        part: Json = {"type": "string", "contentMediaType": "application/octet-stream"}
        form: Json = {"type": "object", "properties": {"file": part}, "required": ["file"]}
        content["multipart/form-data"] = {"schema": form}
    needs_body = any(field.required for field in msgspec.structs.fields(operation.request_type))
    return {"required": needs_body, "content": content}


def _is_upload(operation: Operation) -> bool:
    return b"multipart/form-data" in operation.accepts


def _idempotency_key(name: str) -> Json:
    return {
        "name": name,
        "in": "header",
        "required": False,
        "description": "A repeat of the call with the same key within 24 h gives the same execution.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    }


def _success_response(operation: Operation) -> Json:
    return {"description": "Done.", "headers": _REQUEST_ID, "content": _content(operation)}


def _content(operation: Operation) -> Json:
    if operation.media_type == "application/json":
        name = operation.response_type and _public_name(operation.response_type.__name__)
        return {"application/json": {"schema": {"$ref": _REF.format(name=name)} if name else {}}}
    content: Json = {
        operation.media_type: {"schema": {"type": "string", "contentMediaType": operation.media_type}}
    }
    if operation.media_type.startswith("text/"):
        return content
    # for generators of clients that know no other bytes
    return {**content, "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


def _error_responses(operation: Operation) -> Json:
    statuses = sorted({*_COMMON_ERRORS, *operation.errors}) if operation.method == "POST" else [500, 503]
    described: Json = {str(status): {"$ref": f"#/components/responses/Error{status}"} for status in statuses}
    if operation.refusal_type is not None:
        described["400"] = _error_response(400, operation.refusal_type.__name__)
    return described


def _error_response(status: int, schema: str = "Error") -> Json:
    headers = {**_REQUEST_ID, **(_RETRY_AFTER if status in (429, 503) else {})}
    content = {"application/json": {"schema": {"$ref": _REF.format(name=schema)}}}
    return {"description": _ERRORS[status], "headers": headers, "content": content}


def _schemas(operations: list[Operation], kinds: Registry) -> Json:
    extra: list[type[Struct]] = [
        Error,
        Block,
        BlockOperation,
        Parameter,
    ]
    requests = {operation.request_type for operation in operations if operation.method == "POST"}
    answers = {model for item in operations for model in (item.response_type, item.refusal_type)}
    responses = {model for model in answers if model is not None}
    models = sorted({*requests, *responses, *extra}, key=lambda model: model.__name__)
    _, components = msgspec.json.schema_components(models, ref_template=_REF)
    components |= {model.__name__: allow_null(components[model.__name__]) for model in requests}
    schemas = {**components, **_block_schemas(kinds)}
    public = {_public_name(name): name for name in sorted(schemas)}
    if len(public) < len(schemas):
        # `Login` beside `LoginView` would silently describe the one by the other
        raise ValueError(
            f"Two schemas have the same public name: {sorted(set(schemas) - set(public.values()))}."
        )
    return {shown: _with_descriptions(_tidy(schemas[name])) for shown, name in public.items()}


def _with_descriptions(schema: Json) -> Json:
    """Describe the fields without a description by their names."""
    for name, field in schema.get("properties", {}).items():
        # many generators ignore a description beside a reference
        if name in FIELD_DESCRIPTIONS and "description" not in field and "$ref" not in field:
            field["description"] = FIELD_DESCRIPTIONS[name]
    return schema


def _public_name(name: str) -> str:
    """`Execution` for `ExecutionView`: the name for generated clients."""
    return name.removesuffix("View")


def _block_schemas(kinds: Registry) -> Json:
    """NewBlock, one variant per kind, and the models they share."""
    schemas: Json = {}
    variants: list[Json] = []
    for kind in sorted(kinds, key=lambda kind: kind.title):
        name = f"{kind.type}Block"
        schema = envelope_schema(kind, _BLOCK_REF)
        schemas |= schema.pop("$defs", {})
        schema["title"] = name  # a kind may have the name of another schema, such as Login
        # a few kinds make sense only inside another: they have no examples
        schema["examples"] = schema.get("examples") or [{"type": kind.type, "data": {}}]
        schemas[name] = _with_new_blocks(schema)
        variants.append({"$ref": _REF.format(name=name)})
    schemas["NewBlock"] = {
        "title": "NewBlock",
        "description": "A block as clients submit it: `type` and `data` are enough for most kinds.",
        "anyOf": variants,
    }
    return schemas


def _with_new_blocks(schema: Any) -> Any:
    """Refer to NewBlock for nested blocks, too."""
    if is_object(schema):
        if schema.get("$ref") == _REF.format(name="Block"):
            return {"$ref": _REF.format(name="NewBlock")}
        return {name: _with_new_blocks(value) for name, value in schema.items()}
    return [_with_new_blocks(item) for item in schema] if is_array(schema) else schema


def _tidy(schema: Any) -> Any:
    """Turn `x-ref` into references, remove empty `required` lists, and help generators of clients."""
    if is_array(schema):
        return [_tidy(item) for item in schema]
    if not is_object(schema):
        return schema
    if "x-ref" in schema:
        return {"$ref": _REF.format(name=schema["x-ref"])}
    if isinstance(schema.get("$ref"), str):
        return {**schema, "$ref": _public_name(schema["$ref"])}
    tidy = {name: _tidy(value) for name, value in schema.items() if not (name == "required" and value == [])}
    if tidy.get("type") == "array" and "items" not in tidy and "prefixItems" not in tidy:
        tidy["items"] = {}  # generators need it
    if isinstance(tidy.get("title"), str):
        tidy["title"] = _public_name(tidy["title"])
    if isinstance(tidy.get("enum"), list) and len(tidy["enum"]) == 1:
        # generators make an enum of an enum with one value, and a constant of this
        tidy["const"] = tidy.pop("enum")[0]
    return tidy
