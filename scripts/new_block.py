"""Create a new block kind: its module, its test and its changelog fragment, then the generated docs.

    python scripts/new_block.py CountWords --group data

The new block works at once: it returns the text it is given. Replace that by what the kind does, and describe
it in the docstring, which becomes its section in the docs.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from pagehand.blocks import kinds

_ROOT = Path(__file__).parent.parent
_GROUPS = ("page", "flow", "data", "documents", "outside")

_MODULE = '''"""Return a text: describe here what {title} does.

Describe here when to use it, and what to use instead in other cases. This text becomes the kind's section in
the docs and its help in the console.
"""

from typing import ClassVar

from pagehand.blocks.base import Block
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.records import Json
from pagehand.workflow.wire import Text


class {type}(Block):
    """Return a text."""

    type: ClassVar[str] = "{type}"
    title: ClassVar[str] = "{title}"
{facts}
    text: Text
    """The text to return."""

    async def run(self, ctx: RunContext) -> Outcome:  # noqa: ARG002 - most kinds use `ctx`
        """Return the text."""
        return Outcome(self.text, "Returned the text")


EXAMPLES: list[Json] = [
    {{"type": "{type}", "data": {{"text": "Hello"}}}},
]
'''
_PAGE_FACTS = """    needs_page: ClassVar[bool] = True
"""

_TEST = '''"""{title} returns a text."""

import pytest

from pagehand.blocks import examples, kinds
from pagehand.errors import InvalidRequest
from pagehand.testing import Harness

pytestmark = pytest.mark.anyio


async def test_examples_run_as_shown(harness: Harness) -> None:
    for example in examples(kinds()["{type}"]):
        run = await harness.run({{**example, "type": "{type}", "blockReferenceId": "it"}})
        assert run.outputs["it"] == example["data"]["text"]


async def test_text_is_required(harness: Harness) -> None:
    with pytest.raises(InvalidRequest, match="text"):
        await harness.run({{"type": "{type}", "data": {{}}}})
'''
_PAGE_TEST = '''"""{title} returns a text."""

import pytest

from pagehand.errors import InvalidRequest
from support.block_runner import BlockRunner, examples_of

pytestmark = pytest.mark.anyio


async def test_examples_run_as_shown(runner: BlockRunner) -> None:
    await runner.open("<p>Hello</p>")
    for example in examples_of("{type}"):
        outcome = await runner.run_block(example)
        assert outcome.output == example["data"]["text"]


async def test_text_is_required(runner: BlockRunner) -> None:
    with pytest.raises(InvalidRequest, match="text"):
        await runner.run("{type}", {{}})
'''


def main() -> None:
    """Write the files, or exit with the reason."""
    parser = argparse.ArgumentParser(description="Create a new block kind.")
    parser.add_argument("name", help="the kind's type in CamelCase, such as CountWords")
    parser.add_argument("--group", choices=_GROUPS, default="data", help="the folder in pagehand/blocks")
    parser.add_argument("--title", help="its display name; the words of the type by default")
    options = parser.parse_args()
    words = re.findall(r"[A-Z][a-z0-9]*", options.name)
    if "".join(words) != options.name or not words:
        sys.exit(f"`{options.name}` is not in CamelCase: write it like CountWords.")
    title = options.title or " ".join(words)
    if existing := next((name for name in (options.name, title) if kinds().kind_named(name)), None):
        sys.exit(f"There is already a kind called `{existing}`: choose another name or --title.")
    for path, text in _files(options.name, title, options.group, words).items():
        if path.exists():
            sys.exit(f"{path.relative_to(_ROOT)} exists already.")
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(_ROOT))
    # in a new process, which finds the new module
    print("docs/blocks.md (generated)")
    subprocess.run([sys.executable, str(_ROOT / "scripts" / "write_docs.py")], check=True)  # noqa: S603 - our own script


def _files(name: str, title: str, group: str, words: list[str]) -> dict[Path, str]:
    is_page = group == "page"
    module = "_".join(words).lower()
    tests = _ROOT / "tests" / ("browser" if is_page else "unit") / "blocks"
    facts = _PAGE_FACTS if is_page else ""
    return {
        _ROOT / "pagehand" / "blocks" / group / f"{module}.py": _MODULE.format(
            type=name, title=title, facts=facts
        ),
        tests / f"test_{module}.py": (_PAGE_TEST if is_page else _TEST).format(type=name, title=title),
        _ROOT / "changelog" / f"{module.replace('_', '-')}.added.md": f"The block {title} returns a text.\n",
    }


if __name__ == "__main__":
    main()
