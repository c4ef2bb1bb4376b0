"""Every pattern of a package, and how its code uses it."""

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final, cast

_SEARCHING: Final = frozenset(("search", "sub", "subn", "split", "findall", "finditer"))
_USES: Final = _SEARCHING | {"match", "fullmatch", "compile"}


@dataclass(frozen=True)
class FoundPattern:
    """A pattern, where it is, and how it is used."""

    where: str
    pattern: re.Pattern[Any]
    use: str
    """`search` where it is tried at every place of a text, else `match` or `fullmatch`."""


def patterns_of(package: str) -> Iterator[FoundPattern]:
    """The patterns in all modules of a package: constants, those in containers, and those in functions."""
    root = importlib.import_module(package)
    modules = [root, *map(importlib.import_module, _names(root))]
    uses = _uses_by_name(modules)
    found: dict[tuple[Any, int], dict[str, FoundPattern]] = {}
    for module in modules:
        for item in (*_written(module), *_held(module, uses)):
            found.setdefault((item.pattern.pattern, item.pattern.flags), {})[item.use] = item
    for by_use in found.values():
        # a pattern that is only handed on has its use where it arrives; of two uses the harder is tried
        yield next(by_use[use] for use in ("search", "match", "fullmatch", "") if use in by_use)


def _names(root: ModuleType) -> list[str]:
    every = pkgutil.walk_packages(root.__path__, f"{root.__name__}.")
    # helpers run in the sandbox, where a module is not one to import; migrations hold nothing but tables
    return [item.name for item in every if not re.search(r"\.(helpers|migrations|__main__)\b", item.name)]


def _uses_by_name(modules: Sequence[ModuleType]) -> Mapping[str, set[str]]:
    """The methods that are called on each name, or on each variable that goes over it."""
    uses: dict[str, set[str]] = {}
    for module in modules:
        tree = ast.parse(inspect.getsource(module))
        own: dict[str, set[str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in _USES:
                own.setdefault(_name(node.value), set()).add(node.attr)
        for node in ast.walk(tree):
            if isinstance(node, ast.For | ast.comprehension):
                each = (item.id for item in ast.walk(node.target) if isinstance(item, ast.Name))
                uses.setdefault(_name(node.iter), set()).update(*(own.get(name, set()) for name in each))
        for name, methods in own.items():
            uses.setdefault(name, set()).update(methods)
    return uses


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(name) | ast.Attribute(attr=name) | ast.Subscript(ast.Name(name)):
            return name
        case _:
            return ""


def _use(methods: set[str]) -> str:
    if methods & _SEARCHING:
        return "search"
    if not methods:
        return ""
    return "match" if "match" in methods else "fullmatch"


def _written(module: ModuleType) -> Iterator[FoundPattern]:
    """Those that calls of `re` have as their first argument, as far as the module's own names tell."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        match node:
            case ast.Call(func=ast.Attribute(ast.Name("re"), method)) if method in _USES and node.args:
                with suppress(NameError):
                    text = _value(node.args[0], module)
                    flags = [_value(item.value, module) for item in node.keywords if item.arg == "flags"]
                    flags += [_value(item, module) for item in node.args[1:] if "re." in ast.unparse(item)]
                    if isinstance(text, str | bytes) and method != "compile":
                        pattern = re.compile(text, sum(flags))
                        yield FoundPattern(f"{module.__name__}:{node.lineno}", pattern, _use({method}))
            case _:
                pass


def _value(node: ast.expr, module: ModuleType) -> Any:
    return eval(compile(ast.Expression(node), module.__name__, "eval"), vars(module))  # noqa: S307 - our own source


def _held(module: ModuleType, uses: Mapping[str, set[str]]) -> Iterator[FoundPattern]:
    """Those that the module's names hold, also within containers and objects."""
    for name, value in vars(module).items():
        for holder, pattern in _within(name, value, 5):
            yield FoundPattern(f"{module.__name__}:{name}", pattern, _use(uses.get(holder, set())))


def _within(name: str, value: Any, depth: int) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """With the name, or the attribute, that holds each."""
    if isinstance(value, re.Pattern):
        yield name, cast("re.Pattern[Any]", value)
    for holder, item in _items(name, value) if depth else ():
        yield from _within(holder, item, depth - 1)


def _items(name: str, value: Any) -> list[tuple[str, Any]]:
    kind = cast("Any", type(value))
    if isinstance(value, Mapping):
        return [(name, item) for item in cast("Mapping[Any, Any]", value).values()]
    if isinstance(value, tuple | list | set | frozenset):
        return [(name, item) for item in cast("Iterable[Any]", value)]
    if not kind.__module__.startswith("pagehand."):
        return []
    names = (*getattr(value, "__dict__", ()), *getattr(kind, "__slots__", ()))
    return [(item, getattr(value, item, None)) for item in names]
