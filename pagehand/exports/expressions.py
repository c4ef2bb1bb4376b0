"""Expressions and locators of workflows as Python for a script without a sandbox: only what does no harm."""

import ast
import builtins
import json
from typing import Any, Final

from pagehand.exports import script_helpers
from pagehand.python_code import parse_python_expression
from pagehand.records import Json, is_object
from pagehand.workflow.words import word_set

_ROLES: Final = ("button", "link", "checkbox", "heading", "tab")
_PLACES: Final = word_set("in of on next first second third last row under below above beside")
_FIELDS: Final = {
    "label": "get_by_label",
    "placeholder": "get_by_placeholder",
    "altText": "get_by_alt_text",
    "title": "get_by_title",
}
_ROOTS: Final = ("params", "blocks", "item", "index", "input", "context")
_BUILTINS: Final = word_set(
    "abs all any bool dict enumerate float int len list max min next range round set sorted str sum tuple zip"
)
_METHODS: Final = word_set(
    "append count endswith extend get index items join keys lower lstrip replace rstrip split splitlines "
    "startswith strip title upper values"
)
_NODES: Final = (
    ast.Expression | ast.BoolOp | ast.BinOp | ast.UnaryOp | ast.Compare | ast.IfExp | ast.Call | ast.Constant
    | ast.Name | ast.Attribute | ast.Subscript | ast.Slice | ast.List | ast.Tuple | ast.Dict | ast.Set
    | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.comprehension | ast.Lambda
    | ast.arguments | ast.arg | ast.keyword | ast.JoinedStr | ast.FormattedValue | ast.expr_context
    | ast.boolop | ast.operator | ast.unaryop | ast.cmpop
)  # fmt: skip
_TAKEN: Final = frozenset((*dir(builtins), *vars(script_helpers), "page")) - _BUILTINS - {"input"}


class NotExported(Exception):
    """A block has no counterpart in a script; the message says why."""


def text_literal(value: Any) -> str:
    """A value as a literal of Python, with its templates filled in when the script runs."""
    return f"fill({value!r})" if "{{" in json.dumps(value) else repr(value)


def element(locator: Any, around: str = "page") -> str:
    """The expression of an element; raises NotExported for words that only Pagehand understands."""
    if not is_object(locator):
        raise NotExported("it names no element")
    given = {key: value for key, value in locator.items() if value}
    if words := given.pop("words", None):
        given |= _by_words(str(words))
    is_strict = given.pop("strict", False)
    if frame := given.pop("frame", None):
        around = f"{around}.frame_locator({text_literal(frame)})"
    made = _narrowed(given, around)
    return made if is_strict else f"{made}.first"


def many(locator: Json, around: str = "page") -> str:
    """The expression of all elements that fit."""
    return element({**locator, "strict": True}, around)


def _by_words(words: str) -> Json:
    """Words that name a control by its role and name alone, such as `the Save button`."""
    name, _, role = words.strip().rpartition(" ")
    article, _, name = name.partition(" ")
    if article.lower() != "the" or role not in _ROLES or not name or _PLACES & set(name.lower().split()):
        raise NotExported(f"“{words}” is looked up by Pagehand's own rules")
    return {"role": role, "text": name.strip("\"“”'")}


def _narrowed(given: Json, around: str) -> str:
    parts: list[str] = []
    text = given.get("text")
    if role := given.get("role"):
        name = f", name={text_literal(text)}" if text else ""
        parts.append(f"get_by_role({text_literal(role)}{name})")
        text = None
    parts += [f"{_FIELDS[key]}({text_literal(given[key])})" for key in _FIELDS if key in given]
    if css := given.get("css"):
        parts.append(f"locator({_selector('css', css)})")
    if xpath := given.get("xpath"):
        parts.append(f"locator({_selector('xpath', xpath)})")
    if text and not parts:
        return f"{around}.get_by_text({text_literal(text)})"
    if not parts:
        raise NotExported("it names no element")
    made = f"{around}.{parts[0]}"
    for part in parts[1:]:
        made = f"{made}.and_({around}.{part})"
    return f"{made}.filter(has_text={text_literal(text)})" if text else made


def _selector(engine: str, selector: str) -> str:
    return text_literal(f"{engine}={selector}")


def python_expression(code: str, names: tuple[str, ...] = ()) -> str:
    """The expression with `blocks.x` as `names["blocks"]["x"]`; raises NotExported for anything doubtful."""
    try:
        tree = _checked(parse_python_expression(code.strip()), names)
        written = ast.unparse(tree)
        # Python's own writer is not exact: it wrote braces in the format of an f-string as code
        if ast.dump(parse_python_expression(written)) != ast.dump(tree):
            raise NotExported("its code cannot be written down")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotExported("its code is more than an expression") from error
    return written


def _checked(tree: ast.Expression, names: tuple[str, ...]) -> ast.Expression:
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise NotExported(f"its code has a `{type(node).__name__}`")
    bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    bound |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    # a name that is bound in one part of it means the script's own in another
    if taken := bound & _TAKEN:
        raise NotExported(f"its code has its own `{min(taken)}`")
    return _Safe(bound, (*_ROOTS, *names)).visit(tree)


class _Safe(ast.NodeTransformer):
    """Refuses names and methods that are not known to be harmless."""

    def __init__(self, bound: set[str], roots: tuple[str, ...]) -> None:
        self._bound = bound
        self._roots = roots

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name: bound in the expression, one of the workflow's, or a harmless function."""
        if node.id.startswith("__"):
            raise NotExported(f"its code uses `{node.id}`")
        if node.id in self._bound or node.id in _BUILTINS:
            return node
        if node.id in self._roots:
            return ast.Subscript(ast.Name("names", ast.Load()), ast.Constant(node.id), ast.Load())
        raise NotExported(f"its code uses `{node.id}`")

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call of a method keeps its name; everything else is visited."""
        if isinstance(node.func, ast.Attribute):
            if node.func.attr not in _METHODS:
                raise NotExported(f"its code calls `{node.func.attr}`")
            node.func.value = self.visit(node.func.value)
        else:
            node.func = self.visit(node.func)
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """A path such as `params.n` reads a value by its name."""
        if node.attr.startswith("_"):
            raise NotExported(f"its code uses `{node.attr}`")
        return ast.Subscript(self.visit(node.value), ast.Constant(node.attr), ast.Load())
