"""Writes the operations of the API as methods of the TypeScript client, which is not kept in git.

Those of the Python client are kept: `scripts/write_docs.py` writes and checks them.
"""

import json
import os
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from pagehand.api.openapi import describe_operations
from pagehand.api.resources import operations
from pagehand.blocks import kinds
from pagehand.records import Json, is_array, is_object

_TYPESCRIPT = Path(__file__).parent.parent / "clients" / "typescript" / "src" / "operations.ts"
_WIDTH = 110
_PYTHON_HEAD = "# fmt: off\n"
_NOTE = "Written from the OpenAPI document by `scripts/write_clients.py`: do not edit."


class _Document:
    """The OpenAPI document, read for writing clients."""

    def __init__(self, document: Json) -> None:
        self.schemas: Json = document["components"]["schemas"]
        # what a block of each kind takes is for JSON Schema; clients take and give any object
        self._blocks = {"NewBlock", *(name for name in self.schemas if name.endswith("Block"))} - {"Block"}
        self.operations = [
            (path, methods["post"]) for path, methods in document["paths"].items() if "post" in methods
        ]

    def name(self, reference: str) -> str | None:
        """The name of the model that a reference leads to; None for one that is not written out."""
        name = reference.rpartition("/")[2]
        return None if name in self._blocks or "properties" not in self.schemas[name] else name

    def request(self, operation: Json) -> Json:
        """The schema of what an operation takes."""
        reference: str = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        return self.schemas[reference.rpartition("/")[2]]

    def answer(self, operation: Json) -> Json | None:
        """The schema of the answer; None for a file."""
        status = "201" if "201" in operation["responses"] else "200"
        content = operation["responses"][status]["content"]
        return content["application/json"]["schema"] if "application/json" in content else None

    def models(self, *, with_requests: bool) -> list[str]:
        """The models that answers have, and requests where asked for, by name."""
        found: dict[str, None] = {}
        for _, operation in self.operations:
            self._collect(self.answer(operation), found)
            if with_requests:
                self._collect(self.request(operation), found)
        return sorted(found)

    def _collect(self, schema: Any, found: dict[str, None]) -> None:
        for reference in _references(schema):
            name = self.name(reference)
            if name is not None and name not in found:
                found[name] = None
                self._collect(self.schemas[name], found)


def _references(value: Any) -> Iterator[str]:
    if is_object(value):
        for key, inner in value.items():
            if key == "$ref":
                yield inner
            else:
                yield from _references(inner)
    elif is_array(value):
        for inner in value:
            yield from _references(inner)


class _Types:
    """Writes schemas as types of a language."""

    any = "Any"
    names: ClassVar = {
        "string": "str",
        "integer": "int",
        "number": "float",
        "boolean": "bool",
        "null": "None",
    }

    def __init__(self, document: _Document) -> None:
        self._document = document

    def of(self, schema: Json) -> str:
        """The type of a schema."""
        if "$ref" in schema:
            return self.reference(self._document.name(schema["$ref"]))
        if "const" in schema or "enum" in schema:
            return self.choice(schema.get("enum") or [schema["const"]])
        forms: list[Json] = schema.get("anyOf") or [
            {**schema, "type": name} for name in _as_list(schema.get("type"))
        ]
        if len(forms) != 1 or "anyOf" in schema:
            return " | ".join(dict.fromkeys(self.of(form) for form in forms)) or self.any
        return self._single(forms[0])

    def _single(self, schema: Json) -> str:
        if schema["type"] == "array":
            return self.array(self.of(schema.get("items", {})))
        if schema["type"] == "object":
            inner = schema.get("additionalProperties")
            return self.map(self.of(inner) if is_object(inner) else self.any)
        return self.names[schema["type"]]

    def reference(self, name: str | None) -> str:
        return name or self.map(self.any)

    def choice(self, values: list[Any]) -> str:
        return f"Literal[{', '.join(map(repr, values))}]"

    def array(self, item: str) -> str:
        return f"list[{item}]"

    def map(self, item: str) -> str:
        return f"dict[str, {item}]"


class _GivenTypes(_Types):
    """Types of arguments: whatever can be read as what is needed."""

    def reference(self, name: str | None) -> str:
        del name
        return self.map(self.any)

    def array(self, item: str) -> str:
        return f"Sequence[{item}]"

    def map(self, item: str) -> str:
        return f"Mapping[str, {item}]"


class _TypeScriptTypes(_Types):
    any = "unknown"
    names: ClassVar = {
        "string": "string",
        "integer": "number",
        "number": "number",
        "boolean": "boolean",
        "null": "null",
    }

    def choice(self, values: list[Any]) -> str:
        return " | ".join(map(json.dumps, values))

    def array(self, item: str) -> str:
        return f"({item})[]" if " " in item else f"{item}[]"

    def map(self, item: str) -> str:
        return f"Record<string, {item}>"


def _as_list(value: Any) -> list[Any]:
    if is_array(value):
        return value
    return [] if value is None else [value]


def _python_types(document: _Document) -> str:
    """The module with a TypedDict for each model of the answers."""
    types = _Types(document)
    lines = [_PYTHON_HEAD + f'"""What the operations answer with, as dictionaries.\n\n{_NOTE}\n"""\n']
    lines += [
        "from __future__ import annotations\n",
        "from typing import Any, Literal, NotRequired, TypedDict",
    ]
    for name in document.models(with_requests=False):
        schema = document.schemas[name]
        lines += [f"\n\nclass {name}(TypedDict):", f'    """{_summary(schema["description"])}"""\n']
        for field, inner in schema["properties"].items():
            text = types.of(inner)
            is_there = field in schema.get("required", [])
            lines.append(f"    {field}: {text if is_there else f'NotRequired[{text}]'}")
    return "\n".join(lines) + "\n"


def _python_operations(document: _Document) -> str:
    """The module with a method for each operation."""
    lines = [
        _PYTHON_HEAD + "# pyright: reportReturnType=false\n"
        f'"""Every operation of the API as a method.\n\n{_NOTE}\n"""\n',
        "from __future__ import annotations\n",
        "from collections.abc import Mapping, Sequence",
        "from pathlib import Path",
        "from typing import TYPE_CHECKING, Any, Literal\n",
        "from pagehand.client.drivers import download, operation\n",
        "if TYPE_CHECKING:  # for readers and type checkers: the types cost time at every start",
        "    from pagehand.client import types\n\n",
        "class Operations:",
        '    """Posts its keywords, in snake_case, to the operation, and returns the answer as it is."""',
    ]
    for path, operation in document.operations:
        lines += ["", *_python_method(path, operation, document)]
    return "\n".join(lines) + "\n"


def _python_method(path: str, operation: Json, document: _Document) -> Iterator[str]:
    fields: Json = document.request(operation).get("properties", {})
    required: list[str] = document.request(operation).get("required", [])
    types = _GivenTypes(document)
    arguments = ["self", "*"]
    answer = document.answer(operation)
    arguments += [] if answer else ["to: str | Path"]
    arguments += [f"{_snake(name)}: {types.of(fields[name])}" for name in fields if name in required]
    arguments += [
        f"{_snake(name)}: {_or_none(types.of(fields[name]))}" for name in fields if name not in required
    ]
    odd = [f', {_snake(name)}="{name}"' for name in fields if _camel(_snake(name)) != name]
    yield f'    @{"operation" if answer else "download"}("{path}"{"".join(odd)})'
    returned = f"types.{_Types(document).of(answer)}" if answer else "Path"
    # lines are broken between arguments only
    given = ", ".join(part.replace(" ", "\0") for part in (arguments if fields or not answer else ["self"]))
    head = f"    def\0{_snake(operation['operationId'])}({given})\0->\0{returned}:"
    yield from (line.replace("\0", " ") for line in _wrapped(head))
    yield f'        """{operation["summary"]}"""'


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, subsequent_indent=" " * 8, break_long_words=False, break_on_hyphens=False
    )


def _or_none(text: str) -> str:
    return f"{text} = None" if text.endswith("None") or text == "Any" else f"{text} | None = None"


def _typescript(document: _Document) -> str:
    """The module with an interface for each model and a method for each operation."""
    types = _TypeScriptTypes(document)
    lines = [f"/** Every operation of the API as a method. {_NOTE} */"]
    for name in document.models(with_requests=True):
        schema = document.schemas[name]
        lines += ["", f"/** {_summary(schema.get('description', name))} */", f"export interface {name} {{"]
        lines += [*_typescript_fields(schema, types), "}"]
    lines += ["", "export abstract class Operations {"]
    lines += ["  protected abstract post<T>(path: string, fields: object): Promise<T>;"]
    lines += ["  protected abstract fetchFile(path: string, fields: object): Promise<Blob>;"]
    for path, operation in document.operations:
        request, answer = document.request(operation), document.answer(operation)
        fields = " ".join(map(str.strip, _typescript_fields(request, types)))
        default = "" if request.get("required") else " = {}"
        returned = types.of(answer) if answer else "Blob"
        call = f"post<{returned}>" if answer else "fetchFile"
        lines += [
            "",
            f"  /** {operation['summary']} */",
            f"  {operation['operationId']}(fields: {{ {fields} }}{default}): Promise<{returned}> {{",
            f'    return this.{call}("{path}", fields);',
            "  }",
        ]
    return "\n".join([*lines, "}"]) + "\n"


def _typescript_fields(schema: Json, types: _Types) -> Iterator[str]:
    for name, field in schema.get("properties", {}).items():
        mark = "" if name in schema.get("required", []) else "?"
        yield f"  {json.dumps(name) if not name.isidentifier() else name}{mark}: {types.of(field)};"


def _summary(text: str) -> str:
    return " ".join(text.split("\n\n", maxsplit=1)[0].split())


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def python_modules() -> dict[str, str]:
    """Path and text of the generated modules of the Python client."""
    document = _document()
    return {
        "pagehand/client/types.py": _python_types(document),
        "pagehand/client/operations.py": _python_operations(document),
    }


def _document() -> _Document:
    return _Document(describe_operations(operations(), kinds()))


if __name__ == "__main__":
    # in one step: tests on other cores may compile it at this moment
    written = _TYPESCRIPT.with_suffix(f".{os.getpid()}")
    written.write_text(_typescript(_document()), "utf-8")
    written.replace(_TYPESCRIPT)
