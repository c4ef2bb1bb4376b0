"""Loads JavaScript for pages from the `.js` files beside the modules that use it.

Each file is one function expression, or a part of one where a folder holds several. `make check` lints and
type-checks them all.
"""

from functools import cache
from pathlib import Path


@cache
def load_script(module: str, name: str) -> str:
    """The function in `<name>.js` beside the module with this `__file__`."""
    return Path(module).with_name(f"{name}.js").read_text(encoding="utf-8")


@cache
def join_scripts(module: str, folder: str, parameters: str, names: str) -> str:
    """A function of `parameters` whose body is in several files of a folder beside the module."""
    directory = Path(module).with_name(folder)
    body = "\n".join((directory / f"{name}.js").read_text(encoding="utf-8") for name in names.split())
    return f"({parameters}) => {{\n{body}\n}}"


def member(script: str, name: str) -> str:
    """A method of the object that the script's function returns."""
    return f"(...args) => ({script})().{name}(...args)"
