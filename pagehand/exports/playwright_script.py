"""Writes a workflow as a Python script for Playwright's sync API; what it cannot do stays as a comment.

Texts of the workflow are literals and never code. Secrets are read from the environment when the script runs.
"""

import re
from pathlib import Path
from typing import Final

import orjson

from pagehand.blocks import Registry
from pagehand.exports import script_helpers
from pagehand.exports.expressions import NotExported, element
from pagehand.exports.script_blocks import BLOCKS, LoginOf, condition
from pagehand.records import Json

_INDENT: Final = "    "
_REFERENCE: Final = re.compile(r"blocks\.([A-Za-z0-9_-]+)|blocks\[[\"']([A-Za-z0-9_-]+)")


def playwright_script(workflow: Json, kinds: Registry, login_of: LoginOf) -> tuple[str, list[str]]:
    """The script, and what stands in it as a comment."""
    writer = _Writer(kinds, login_of)
    writer.sequence(workflow["blocks"], 1)
    declared: list[Json] = workflow.get("parameters") or []
    parameters = [_INDENT + _parameter(parameter) for parameter in declared]
    output = workflow.get("output")
    shown = f"fill({output!r})" if output is not None else "names['blocks']"
    lines = [
        _docstring(workflow["name"]),
        *_helpers(),
        "",
        "",
        "def run(page):",
        f'{_INDENT}"""The steps of the workflow."""',
        *parameters,
        *writer.lines,
        f"{_INDENT}print(json.dumps({shown}, ensure_ascii=False, default=str))",
        f"{_INDENT}return page",
        "",
        "",
        'if __name__ == "__main__":',
        f"{_INDENT}begin(run)",
        "",
    ]
    return "\n".join(lines), writer.left_out


def _parameter(given: Json) -> str:
    name, kind = given["name"], given.get("type") or "string"
    is_secret = bool(given.get("isSecret"))
    default = None if is_secret else given.get("default")
    flags = f"required={bool(given.get('isRequired'))}, secret={is_secret}"
    return f"names['params'][{name!r}] = parameter({name!r}, {kind!r}, {default!r}, {flags})"


def _docstring(name: str) -> str:
    """The name of the workflow, in a string that it cannot end."""
    return repr(f"{name}: a script for Playwright, made of a workflow by `pagehand export --as playwright`.")


def _helpers() -> list[str]:
    text = Path(script_helpers.__file__).read_text("utf-8")
    return text.partition('"""\n')[2].rstrip().splitlines()


class _Writer:
    def __init__(self, kinds: Registry, login_of: LoginOf) -> None:
        self._kinds = kinds
        self._login_of = login_of
        self.lines: list[str] = []
        self.left_out: list[str] = []
        self._missing: set[str] = set()

    def sequence(self, blocks: list[Json], depth: int) -> None:
        """Write blocks that stand beside each other."""
        if not blocks:
            self._write(depth, "pass")
        for block in blocks:
            self._comment(depth, block["name"])
            before = len(self.lines)
            try:
                self._block(block, depth)
            except NotExported as problem:
                del self.lines[before:]
                self._leave_out(block, depth, str(problem))

    def _block(self, block: Json, depth: int) -> None:
        written = orjson.dumps([block["data"], block.get("locator"), block.get("transformerFn")]).decode()
        for found in _REFERENCE.finditer(written):
            if (name := found[1] or found[2]) in self._missing:
                raise NotExported(f"it needs the output of `{name}`")
        if block.get("transformerFn"):
            raise NotExported("its output is changed by a function")
        data = block["data"]
        nested: dict[str, list[Json]] = block.get("sequenceData") or {}
        if "trueSequence" in nested:
            self._if(data, nested, depth)
        elif "sequence" in nested:
            self._loop(block, data, nested["sequence"], depth)
        else:
            self._plain(block, data, depth)

    def _plain(self, block: Json, data: Json, depth: int) -> None:
        write = BLOCKS.get(block["type"])
        if write is None:
            raise NotExported(f"{self._kinds[block['type']].title} blocks have no counterpart")
        lines = write(data, block.get("locator"), self._login_of)
        if block.get("skipIfNotPresent") and block.get("locator"):
            self._write(depth, f"if {element(block['locator'])}.count():")
            depth += 1
        for line in lines:
            self._write(
                depth,
                line.replace("OUTPUT", f"names['blocks'][{block['blockReferenceId']!r}]", 1)
                if line.startswith("OUTPUT")
                else line,
            )

    def _if(self, data: Json, nested: dict[str, list[Json]], depth: int) -> None:
        self._write(depth, f"if {condition(data['condition'])}:")
        self.sequence(nested["trueSequence"], depth + 1)
        if nested.get("falseSequence"):
            self._write(depth, "else:")
            self.sequence(nested["falseSequence"], depth + 1)

    def _loop(self, block: Json, data: Json, body: list[Json], depth: int) -> None:
        over, reference = data["over"], block["blockReferenceId"]
        if data.get("continueOnError") or data.get("itemName"):
            raise NotExported("loops with `continueOnError` or `itemName` have no counterpart")
        self._write(depth, f"names['blocks'][{reference!r}] = []")
        most = data.get("maxIterations", 1000)
        if not isinstance(most, int):
            raise NotExported("a number in it is a template")
        if "pages" in over or "while" in over:
            head = f"for index in range({most!r}):"
        else:
            items = over.get("items", over.get("times"))
            listed = f"list(fill({items!r}))" if "items" in over else f"range(int(fill({items!r})))"
            head = f"for index, names['item'] in enumerate({listed}[:{most!r}]):"
        self._write(depth, head)
        self._write(depth + 1, "names['index'] = index")
        if "while" in over:
            self._write(depth + 1, f"if not ({condition(over['while'])}):")
            self._write(depth + 2, "break")
        self.sequence(body, depth + 1)
        kept = [inner["blockReferenceId"] for inner in body]
        self._write(
            depth + 1,
            f"names['blocks'][{reference!r}].append("
            f"{{key: names['blocks'][key] for key in {kept!r} if key in names['blocks']}})",
        )
        if "pages" in over:
            following = element({**over["pages"], "strict": None})
            self._write(depth + 1, f"if not {following}.count() or not {following}.is_enabled():")
            self._write(depth + 2, "break")
            self._write(depth + 1, f"{following}.click()")

    def _leave_out(self, block: Json, depth: int, reason: str) -> None:
        self._missing.add(block["blockReferenceId"])
        title = self._kinds[block["type"]].title
        self.left_out.append(f"{block['name']} ({title}): {reason}")
        shown = orjson.dumps({"locator": block.get("locator"), "data": block["data"]}).decode()
        self._comment(depth, f"Not exported: {title}: {reason}: {shown}")
        nested: dict[str, list[Json]] = block.get("sequenceData") or {}
        for children in nested.values():
            for child in children:
                self._leave_out(child, depth, "it is part of the block before")
        self._write(depth, "pass")

    def _comment(self, depth: int, text: str) -> None:
        shown = "".join(
            letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text
        )
        self._write(depth, f"# {shown}")

    def _write(self, depth: int, line: str) -> None:
        self.lines.append(_INDENT * depth + line)
