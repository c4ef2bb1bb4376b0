"""Every block, setting, error and command is documented, and what is generated is current."""

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from pagehand import errors
from pagehand.blocks import description, examples, kinds
from pagehand.blocks.base import Block
from pagehand.cli import app
from pagehand.cli.checking import check_file
from pagehand.engine.reporting.report import GUIDE_PAGES
from pagehand.settings import Settings
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow_files.writing import write_file

ROOT = Path(__file__).parent.parent
ALL_KINDS = list(kinds())
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.slow
def test_generated_pages_are_what_the_code_says() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "write_docs.py"), "--check"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own script
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("kind", ALL_KINDS, ids=lambda kind: kind.type)
def test_a_kind_explains_itself_and_its_examples_are_valid(kind: type[Block]) -> None:
    assert len(description(kind).split()) > 10
    assert examples(kind), f"{kind.type} has no EXAMPLES"
    for example in examples(kind):
        assert parse_blocks([example], kinds())
    for name, field in kind.model_json_schema()["properties"].items():
        assert field.get("description"), f"{kind.type}.{name} says nothing of itself"


def test_every_setting_says_what_it_decides() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_every_error_is_in_the_tree_of_its_module() -> None:
    drawn = errors.__doc__ or ""
    classes = [
        name
        for name, member in vars(errors).items()
        if inspect.isclass(member) and issubclass(member, Exception)
    ]
    assert [name for name in classes if name not in drawn] == []


def test_every_command_is_in_the_docs() -> None:
    page = "".join((ROOT / "docs" / name).read_text() for name in ("operating.md", "command-line.md"))
    shown = CliRunner().invoke(app, ["--help"]).output.split("Commands")[1]
    commands = re.findall(r"^\W*(serve|doctor|keys|[a-z]+)\s{2,}\w", shown, re.MULTILINE)
    assert {"serve", "doctor", "keys"} <= set(commands)
    assert [name for name in commands if f"pagehand {name}" not in page] == []


COMMAND = re.compile(r"(?:^ {4}|^|`)pagehand ([a-z][^`\n#]*)", re.MULTILINE)


def commands_in(page: Path) -> Iterator[list[str]]:
    """The words of every `pagehand` command that a page shows, in a sample or in a sentence."""
    text = re.sub(r"\\\n\s*", "", page.read_text())
    for found in COMMAND.findall(text):
        yield re.split(
            r"[\s|,]+", re.sub(r'"[^"]*"', "TEXT", found).replace("[", " ").replace("]", " ").strip()
        )


def unknown(words: list[str]) -> list[str]:
    """What of a command does not exist: its name, or options of it."""
    here: Any = typer.main.get_command(app)
    while (commands := getattr(here, "commands", None)) is not None:
        if not words or words[0] not in commands:
            return words[:1]
        here, words = commands[words[0]], words[1:]
    known = {option for parameter in here.params for option in (*parameter.opts, *parameter.secondary_opts)}
    return [
        word for word in words if re.match(r"--?[a-z]", word) and word.split("=")[0] not in {*known, "--help"}
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_exists_with_its_options(page: Path) -> None:
    assert {" ".join(words): unknown(words) for words in commands_in(page) if unknown(words)} == {}


def test_commands_are_found_in_the_pages() -> None:
    assert sum(1 for page in PAGES for _ in commands_in(page)) > 80


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_yaml_of_a_page_is_a_workflow_file(page: Path) -> None:
    for text in re.findall(r"^```yaml\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
        assert check_file(text, kinds()).definition["blocks"]


def test_the_example_of_a_workflow_file_is_valid_and_written_as_export_writes_it() -> None:
    text = (ROOT / "docs" / "files.md").read_text().split("```yaml\n")[1].split("```")[0]
    definition = check_file(text, kinds()).definition
    workflow = {**definition, "blocks": tree.to_json(parse_blocks(definition["blocks"], kinds()))}
    assert write_file(workflow, kinds(), str) == text


def test_the_index_of_the_docs_names_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    pages = [page.name for page in (ROOT / "docs").glob("*.md") if page.name != "README.md"]
    assert [name for name in pages if f"({name})" not in index] == []


def test_what_contributors_are_pointed_to_is_there() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text().split("| what | where |")[1].split("\n## ")[0]
    named = re.findall(r"`([a-z_]+/[\w./]*)`", table)
    assert len(named) > 10
    assert [path for path in named if not (ROOT / "pagehand" / path).exists()] == []


def test_links_between_pages_lead_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    broken = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text())
        if not (page.parent / target).exists()
    ]
    assert broken == []


@pytest.mark.parametrize("page", ["workflows.md", "code.md", "mail.md", "documents.md"])
def test_json_in_a_page_about_workflows_is_a_workflow(page: str) -> None:
    text = (ROOT / "docs" / page).read_text()
    found = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    assert found
    for definition in found:
        assert parse_blocks(json.loads(definition)["blocks"], kinds())


def test_the_guide_has_every_page_in_its_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text().split("\nnav:\n")[1]
    pages = [page.name for page in (ROOT / "docs").glob("*.md")]
    assert [name for name in pages if f": {name}\n" not in navigation] == []


EXPLAINED_ELSEWHERE = (
    "Locator",
    "ExpressionCondition",
    "ElementCondition",
    "UrlCondition",
    "PromptCondition",
)
OF_EVERY_KIND = ("timeoutMs", "retrySafe", "isCommit", "onDoubt")


def schemas_in(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value  # pyright: ignore[reportUnknownVariableType] - JSON
        for inner in value.values():  # pyright: ignore[reportUnknownVariableType] - JSON
            yield from schemas_in(inner)
    for inner in value if isinstance(value, list) else ():  # pyright: ignore[reportUnknownVariableType] - JSON
        yield from schemas_in(inner)


@pytest.mark.parametrize("kind", ALL_KINDS, ids=lambda kind: kind.type)
def test_the_page_of_blocks_names_every_choice_and_every_nested_field(kind: type[Block]) -> None:
    page = (ROOT / "docs" / "blocks.md").read_text()
    section = page.split(f"`type`: `{kind.type}`")[1].split("\n### ")[0].split("```json")[0]
    schema = kind.model_json_schema()
    objects = [model for name, model in schema.get("$defs", {}).items() if name not in EXPLAINED_ELSEWHERE]
    fields = {name: field for name, field in schema["properties"].items() if name not in OF_EVERY_KIND}
    named: list[str] = []
    for found in schemas_in([fields, *objects]):
        properties = found.get("properties")
        named += list(properties) if isinstance(properties, dict) else []  # pyright: ignore[reportUnknownArgumentType] - JSON
        named += [str(choice) for choice in found.get("enum", ())]
        named += [found["const"]] if isinstance(found.get("const"), str) else []
    assert [name for name in [*fields, *named] if f"`{name}`" not in section] == []


@pytest.mark.parametrize(("code", "page"), GUIDE_PAGES.items())
def test_a_failure_leads_to_a_place_in_the_guide(code: str, page: str) -> None:
    assert f"| `{code}` |" in (ROOT / "docs" / "failures.md").read_text()
    name, _, heading = page.partition("#")
    headings = re.findall(r"^#+ (.*)$", (ROOT / "docs" / f"{name}.md").read_text(), re.MULTILINE)
    assert heading in ["", *(re.sub(r"[^a-z0-9]+", "-", found.lower()).strip("-") for found in headings)]
