"""The programs that run in the page: describing elements, comparing them, ranking all that could be one."""

from functools import cache
from importlib.resources import files
from typing import Final

from pagehand.page.dom import DOM

_PARTS: Final = ("describe.js", "score.js", "tasks.js")


@cache
def program(task: str) -> str:
    """JavaScript that makes the function called `task`; the page sees nothing of what it is made of."""
    folder = files("pagehand.browser.healing")
    source = "\n".join(folder.joinpath(part).read_text(encoding="utf-8") for part in _PARTS)
    return f"((dom) => {{\n{source}\nreturn {task};\n}})(({DOM})())"


def on_first(task: str) -> str:
    """The task as a function of the elements that a locator matches; null when there is none."""
    return f"([element], given) => element ? {program(task)}(element, given) : null"


def in_frame(task: str) -> str:
    """The task as a function of its argument alone."""
    return f"(given) => {program(task)}(given)"
