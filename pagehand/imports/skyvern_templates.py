"""Templates of Skyvern, which are Jinja's, as ours: paths alone; anything more has no counterpart."""

import ast
import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

from pagehand.imports.reading import text_of
from pagehand.imports.steps import NotMapped, Steps, is_secret_field, literal
from pagehand.python_code import parse_python_expression
from pagehand.records import Json, is_array, is_object

_TEMPLATE: Final = re.compile(r"\{\{([^{}]*)\}\}")
_PATH: Final = re.compile(r"([A-Za-z_]\w*)((?:\.\w+|\[\d+\]|\['[\w ]+'\]|\[\"[\w ]+\"\])*)")
_STEP: Final = re.compile(r"\.(\w+)|\[(\d+)\]|\[['\"]([\w ]+)['\"]\]")
_OUTPUT: Final = "_output"
_WRAPPERS: Final = ("extracted_information", "output", "results")
"""What Skyvern puts around the output of a block; ours is the output itself."""
_RENAMED: Final = {"response_body": "data", "status_code": "status", "response_headers": "headers"}
_ALLOWED: Final = (
    ast.Expression | ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant | ast.Name | ast.Attribute
    | ast.Subscript | ast.BinOp | ast.Add | ast.Sub | ast.Mult | ast.cmpop | ast.boolop | ast.unaryop
    | ast.Load | ast.List | ast.Tuple
)  # fmt: skip
_JINJA: Final = {"true": True, "false": False, "none": None, "null": None}


class Names:
    """What the names in templates stand for."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self.parameters: dict[str, str] = {}
        """Names of our parameters, by Skyvern's keys."""
        self.credentials: set[str] = set()
        self.labels: dict[str, str] = {}
        """References of the blocks so far, by their labels."""
        self._depth = 0

    @contextmanager
    def in_loop(self) -> Generator[None]:
        """Within it there is a current item."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def text(self, text: str) -> str:
        """A text with its templates as ours; raises NotMapped for those that are more than paths."""
        if "{%" in text:
            raise NotMapped("templates with control flow have no counterpart")
        pieces = _TEMPLATE.split(text)
        if any("{{" in piece for piece in pieces[::2]):
            raise NotMapped("a template is more than a path")
        return "".join(
            f"{{{{{self._path(piece)}}}}}" if number % 2 else literal(piece)
            for number, piece in enumerate(pieces)
        )

    def filled(self, value: Any, *, secret_values: bool = False) -> Any:
        """A value with the templates in its texts as ours; secrets among the values become parameters."""
        if isinstance(value, str):
            return self.text(value)
        if is_array(value):
            return [self.filled(item) for item in value]
        if not is_object(value):
            return value
        return {
            literal(key): self._secret(key, item)
            if secret_values and _is_secret(key, item)
            else self.filled(item)
            for key, item in value.items()
        }

    def _secret(self, key: str, value: str) -> str:
        scheme, found, rest = value.partition(" ")
        if found and rest:
            return f"{literal(scheme)} {self._steps.secret(rest, key)}"
        return self._steps.secret(value, key)

    def items(self, block: Json, where: str) -> Any:
        """What a loop goes over."""
        key = text_of(block, "loop_over_parameter_key", where)
        wanted = text_of(block, "loop_variable_reference", where).strip()
        if key in self.parameters:
            return f"{{{{params.{self.parameters[key]}}}}}"
        name = wanted or key
        if name.startswith("{{"):
            return self.text(name)
        if name in self.labels or name in self.parameters or name.removesuffix(_OUTPUT) in self.labels:
            return f"{{{{{self._path(name)}}}}}"
        if _PATH.fullmatch(name):
            return f"{{{{{self._path(name)}}}}}"
        raise NotMapped("the list that it goes over is described in words")

    def inputs_of(self, keys: list[str]) -> Json:
        """The inputs of a program, by the names that it knows them by."""
        known = [key for key in keys if key in self.parameters or key.removesuffix(_OUTPUT) in self.labels]
        if missing := [key for key in keys if key not in known]:
            raise NotMapped(f"`{missing[0]}` is a credential, or not known here")
        return {key: f"{{{{{self._path(key)}}}}}" for key in keys}

    def expression(self, text: str) -> str:
        """A condition of Jinja as the expression in Python that means the same."""
        found = _TEMPLATE.fullmatch(text.strip())
        try:
            tree = parse_python_expression((found[1] if found else text).strip())
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise NotMapped("the condition is not read") from error
        if any(not isinstance(node, _ALLOWED) for node in ast.walk(tree)):
            raise NotMapped("the condition has filters, tests or calls")
        return ast.unparse(_Renaming(self).visit(tree))

    def _path(self, text: str) -> str:
        found = _PATH.fullmatch(text.strip())
        if found is None:
            raise NotMapped(f"`{{{{{text.strip()}}}}}` is more than a path")
        steps = [step[1] or step[2] or step[3] for step in _STEP.finditer(found[2])]
        return ".".join(self.resolved(found[1], steps))

    def resolved(self, root: str, steps: list[str]) -> list[str]:
        """The path in our own terms; raises NotMapped for a name that is not known."""
        if root in ("current_value", "current_item") and self._depth:
            return ["item", *steps]
        if root == "current_index" and self._depth:
            return ["index"]
        if root in self.parameters:
            return ["params", self.parameters[root], *steps]
        label = root if root in self.labels else root.removesuffix(_OUTPUT)
        if label in self.labels:
            inner = steps[1:] if steps[:1] and steps[0] in _WRAPPERS else steps
            return ["blocks", self.labels[label], *(_RENAMED.get(step, step) for step in inner)]
        raise NotMapped(f"`{root}` is not known here")


class _Renaming(ast.NodeTransformer):
    def __init__(self, names: Names) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name of Jinja."""
        if node.id in _JINJA:
            return ast.Constant(_JINJA[node.id])
        return _as_python(self._names.resolved(node.id, []))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """A path of names."""
        steps: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            steps.insert(0, inner.attr)
            inner = inner.value
        if not isinstance(inner, ast.Name):
            raise NotMapped("the condition reads a part of what it computes")
        return _as_python(self._names.resolved(inner.id, steps))


def _as_python(path: list[str]) -> ast.expr:
    made: ast.expr = ast.Name(path[0], ast.Load())
    for step in path[1:]:
        made = ast.Attribute(made, step, ast.Load())
    return made


def _is_secret(key: str, value: Any) -> bool:
    return (
        isinstance(value, str)
        and "{{" not in value
        and bool(value)
        and (is_secret_field(None, key) or key.lower() in ("authorization", "cookie"))
    )
