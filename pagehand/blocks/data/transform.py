"""Turn one value into another with a line of code: pick a field, add up a list, rename keys.

`code` is a Python expression over `input` (and params, blocks, item, index), or a function of input and
context. An arrow function or a `function` is JavaScript and runs in a blank page without a network. For
longer programs there is the CodeV2 block.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from pydantic import Field

from pagehand.blocks.base import Block, CodeFragment
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.blocks.user_code import is_javascript, json_output
from pagehand.loop import without_blocking
from pagehand.records import Json
from pagehand.workflow.templates import plain
from pagehand.workflow.wire import Code

_HIDDEN: Final = frozenset(("login",))
"""Names that code does not see: secrets are for typing and sending, not for computing."""


_SEEN: Final = frozenset(("input", "params", "blocks", "item", "index", "execution", "now"))


class Transform(Block):
    """Compute a value from a value."""

    type: ClassVar[str] = "Transform"
    title: ClassVar[str] = "Transform"
    label: ClassVar[str] = "Compute a value"
    menu_position: ClassVar[int] = 1
    also_called: ClassVar[tuple[str, ...]] = (
        "map",
        "expression",
        "set",
        "setVariable",
        "compute",
        "variable",
        "assign",
        "format",
    )
    key_hints: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("expression", "script", "function", "transform"), "did you mean `code`?"),
    }

    input: Any = None
    """The value to start from, usually a template such as `{{blocks.table}}`."""
    code: Code = Field(min_length=1)
    """An expression over `input`, or a function of input and context."""

    def wants_page(self) -> bool:
        """JavaScript runs in a page."""
        return is_javascript(self.code)

    @classmethod
    def code_in(cls, data: Mapping[str, Any]) -> Iterator[CodeFragment]:
        """The expression or function."""
        language = "javascript" if is_javascript(data["code"]) else "python"
        yield CodeFragment("data.code", data["code"], language, 2, _SEEN)

    async def run(self, ctx: RunContext) -> Outcome:
        """Run the code on the input."""
        shown = {name: value for name, value in ctx.names.items() if name not in _HIDDEN}
        given = await without_blocking(plain, self.input)
        if is_javascript(self.code):
            context = await without_blocking(plain, shown)
            result = await ctx.page.scripts.run_in_blank_page(
                self.code, [given, context], timeout_seconds=ctx.remaining_seconds
            )
        else:
            # an expression reads the names, a function is called with the arguments: the sandbox sees which
            # it is
            result = await ctx.sandbox.call(self.code, [given, shown], {**shown, "input": given})
        return Outcome(output=await without_blocking(json_output, result))


EXAMPLES: list[Json] = [
    {"type": "Transform", "data": {"input": [1, 2, 3], "code": "sum(input)"}},
    {
        "type": "Transform",
        "data": {
            "input": "{{params.names}}",
            "code": "lambda input, context: [name.upper() for name in input]",
        },
    },
]
