"""Writes what is made from the code: pages of the docs, the schema of files, the methods of the client.

python scripts/write_docs.py            write them
python scripts/write_docs.py --check    exit with 1 if they are out of date
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from write_clients import python_modules

import pagehand
from pagehand.blocks import description, examples, kinds
from pagehand.blocks.base import Block
from pagehand.engine.reporting.report import GUIDE_PAGES
from pagehand.errors import FAILURE_CODES
from pagehand.instructions.grammar import Grammar
from pagehand.settings import Settings
from pagehand.workflow_files.schema import file_schema

_ROOT = Path(__file__).parent.parent
_GROUPS = {
    "page": "On the page",
    "flow": "Waiting and deciding",
    "data": "Data and code",
    "documents": "Documents",
    "outside": "The outside",
}
_DOCUMENTED_ELSEWHERE = (
    "Locator",
    "ExpressionCondition",
    "ElementCondition",
    "UrlCondition",
    "PromptCondition",
)
"""Objects that docs/workflows.md explains."""
_COMMON_FIELDS = ("timeoutMs", "retrySafe", "isCommit", "onDoubt")


def pages() -> dict[str, str]:
    """Path and text of every generated file."""
    return {
        "docs/blocks.md": _blocks(),
        "docs/settings.md": _settings(),
        "docs/chat.md": _chat(),
        "docs/failures.md": _failures(),
        "pagehand/workflow_files/workflow.schema.json": _schema_of_files(),
        "clients/typescript/package.json": _package(),
        **python_modules(),
    }


def _schema_of_files() -> str:
    """The JSON Schema, a line for each of its definitions: a change of one kind changes one line."""
    schema = file_schema(kinds())
    definitions = schema.pop("definitions")
    lines = ",\n".join(f"{json.dumps(name)}: {_json(part)}" for name, part in definitions.items())
    return f'{_json(schema)[:-1]}, "definitions": {{\n{lines}\n}}}}\n'


def _package() -> str:
    """The description of the TypeScript client, with the version of this package."""
    described = json.loads((_ROOT / "clients" / "typescript" / "package.json").read_text())
    return json.dumps({**described, "version": pagehand.__version__}, indent=2) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _failures() -> str:
    lines = [
        "# Failure codes",
        "",
        "What `failure.code` of a failed execution may be. Codes are stable: compare them, not messages.",
        "Where a page explains one, the analysis names it; the service serves it at `/guide`.",
        "Written from the code by `scripts/write_docs.py`: do not edit.",
        "",
        "| code | what it means | explained in |",
        "|---|---|---|",
    ]
    lines += [f"| `{code}` | {text} | {_guide_page(code)} |" for code, text in FAILURE_CODES.items()]
    return "\n".join(lines) + "\n"


def _guide_page(code: str) -> str:
    name, hash_sign, heading = GUIDE_PAGES.get(code, "").partition("#")
    return f"[{name}]({name}.md{hash_sign}{heading})" if name else ""


def _blocks() -> str:
    lines = [
        "# Blocks",
        "",
        "Every kind of block there is. Written from the code by `scripts/write_docs.py`: do not edit.",
        "The envelope, templates, locators and conditions are in [workflows.md](workflows.md).",
        "",
        "Every kind takes `timeoutMs`, and `retrySafe` if repeating what it does is harmless.",
        "Kinds whose effect must not happen twice take `isCommit`, and `onDoubt`: `fail` or `pause`.",
    ]
    for group, title in _GROUPS.items():
        members = [kind for kind in kinds() if kind.__module__.split(".")[2] == group]
        if members:
            lines += ["", f"## {title}"]
        for kind in sorted(members, key=lambda member: member.title):
            lines += ["", *_kind(kind)]
    return "\n".join(lines) + "\n"


def _kind(kind: type[Block]) -> Iterator[str]:
    yield f"### {kind.title}"
    yield ""
    yield f"`type`: `{kind.type}`. {_facts(kind)}"
    yield ""
    yield description(kind)
    schema = kind.model_json_schema()
    fields = {
        name: field for name, field in schema.get("properties", {}).items() if name not in _COMMON_FIELDS
    }
    if fields:
        yield ""
        yield "| field | description | |"
        yield "|---|---|---|"
    for name, field in fields.items():
        yield f"| `{name}` | {_describe_field(field)} | {_requirement(name, field, schema)} |"
    yield from _nested(schema)
    for example in examples(kind)[:2]:
        yield ""
        yield "```json"
        yield json.dumps(example, indent=2, ensure_ascii=False)
        yield "```"


def _describe_field(field: dict[str, Any]) -> str:
    """The field's description, its choices, and the objects it may contain."""
    text = " ".join(field.get("description", "").split())
    choices = list(dict.fromkeys(_choices(field)))
    objects = [name for name in dict.fromkeys(_references(field)) if name not in _DOCUMENTED_ELSEWHERE]
    parts = [text, f"One of {', '.join(f'`{choice}`' for choice in choices)}." if choices else ""]
    parts += [f"See {', '.join(objects)} below." if objects else ""]
    return " ".join(part for part in parts if part).replace("|", "\\|")


def _choices(field: Any) -> Iterator[str]:
    for schema in _schemas_in(field):
        yield from map(str, schema.get("enum", [schema["const"]] if "const" in schema else []))


def _references(field: Any) -> Iterator[str]:
    for schema in _schemas_in(field):
        if "$ref" in schema:
            yield schema["$ref"].rpartition("/")[2]


def _schemas_in(field: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and those of its alternatives, items and values."""
    yield field
    inner: list[dict[str, Any]] = [*field.get("anyOf", []), *field.get("oneOf", [])]
    inner += [part for key in ("items", "additionalProperties") if isinstance(part := field.get(key), dict)]
    for part in inner:
        yield from _schemas_in(part)


def _nested(schema: dict[str, Any]) -> Iterator[str]:
    """A table for every object that a field may contain; locators and conditions are in workflows.md."""
    models: dict[str, dict[str, Any]] = schema.get("$defs", {})
    for name, model in models.items():
        if name in _DOCUMENTED_ELSEWHERE or not model.get("properties"):
            continue
        yield ""
        yield f"**{name}**: {' '.join(model.get('description', '').split())}"
        yield ""
        yield "| field | description | |"
        yield "|---|---|---|"
        for field_name, field in model["properties"].items():
            yield f"| `{field_name}` | {_describe_field(field)} | {_requirement(field_name, field, model)} |"


def _facts(kind: type[Block]) -> str:
    locator = {"required": "Needs a locator.", "optional": "Takes a locator.", "unused": ""}[kind.locator_use]
    limit = kind.default_timeout_seconds
    time = f"Ends after {limit:g} s unless `timeoutMs` says otherwise." if limit else "Has no time limit."
    return " ".join(part for part in (locator, time) if part)


def _requirement(name: str, field: dict[str, Any], schema: dict[str, Any]) -> str:
    if name in schema.get("required", []):
        return "required"
    default = field.get("default")
    return "" if default is None else f"`{json.dumps(default)}`"


def _settings() -> str:
    lines = [
        "# Settings",
        "",
        "Every setting is an environment variable. `--config FILE` (or `PAGEHAND_CONFIG`) names a TOML file",
        "that holds them in lower case without the prefix (`concurrency = 8`); the environment wins over it,",
        "and the command line over both. A name that is not in this list is refused at start.",
        "Written from the code by `scripts/write_docs.py`: do not edit.",
        "",
        "| variable | what it decides | default |",
        "|---|---|---|",
    ]
    for name, field in Settings.model_fields.items():
        default = (
            ""
            if field.is_required() or field.default_factory or field.default in (None, "")
            else field.default
        )
        text = re.sub(r"\s+", " ", field.description or "")
        lines.append(f"| `PAGEHAND_{name.upper()}` | {text} | {f'`{default}`' if default != '' else ''} |")
    return "\n".join(lines) + "\n"


def _chat() -> str:
    head, tail = (Path(__file__).parent / "chat_page.md").read_text().split("SENTENCES\n")
    lines: list[str] = []
    grammar = Grammar(kinds())
    for about, sentences in grammar.examples.items():
        lines += ["", f"### {about}", "", "| you say | it makes |", "|---|---|"]
        lines += [f"| {_cell(say)} | {_cell(_outline(grammar.read(say)))} |" for say in sentences]
    return head.rstrip() + "\n" + "\n".join(lines) + "\n\n" + tail.lstrip()


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", "<br>")


def _outline(blocks: list[dict[str, Any]]) -> str:
    """The kinds in order, each with its fields; nested ones in brackets."""
    return ", ".join(_block_outline(block) for block in blocks)


def _block_outline(block: dict[str, Any]) -> str:
    # all of them are strict, which the page says once
    given: dict[str, Any] = block.get("locator") or {}
    locator = {key: value for key, value in given.items() if key != "strict"}
    shown_fields: dict[str, Any] = {**locator, **block["data"]}
    sequences: dict[str, list[dict[str, Any]]] = block.get("sequenceData") or {}
    inside = "; ".join(_outline(nested) for nested in sequences.values() if nested)
    text = (
        f"{block['type']} `{json.dumps(shown_fields, ensure_ascii=False)}`" if shown_fields else block["type"]
    )
    return f"{text} [{inside}]" if inside else text


def main() -> int:
    """Write the pages, or compare them with the existing ones."""
    written = pages()
    stale = [name for name, text in written.items() if not _is_current(name, text)]
    if "--check" in sys.argv:
        for name in stale:
            print(f"{name} is out of date: run `python scripts/write_docs.py`")
        return 1 if stale else 0
    for name in stale:
        (_ROOT / name).write_text(written[name])
    return 0


def _is_current(name: str, text: str) -> bool:
    path = _ROOT / name
    return path.exists() and path.read_text() == text


if __name__ == "__main__":
    sys.exit(main())
