"""Run a program of your own on data: Python in a sandbox, or JavaScript inside the current page.

Python sees its `inputs` and nothing else: no files, no network, no environment. JavaScript has the page's own
powers and no others. For a one-liner the Transform block is shorter.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from pagehand.blocks.base import Block, CodeFragment
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.blocks.user_code import is_javascript, json_output
from pagehand.loop import without_blocking
from pagehand.records import Json
from pagehand.workflow.templates import plain
from pagehand.workflow.wire import Code


class CodeV2(Block):
    """Call a function with `inputs` and return its result."""

    type: ClassVar[str] = "CodeV2"
    title: ClassVar[str] = "CodeV2"
    label: ClassVar[str] = "Run code"
    menu_position: ClassVar[int] = 2
    sentences: ClassVar[str] = "pagehand.instructions.grammar.acting:GOING_BACK"
    also_called: ClassVar[tuple[str, ...]] = (
        "code",
        "script",
        "python",
        "javascript",
        "js",
        "function",
        "runCode",
        "eval",
        "program",
        "execute",
    )
    key_hints: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("script", "source", "function", "python", "javascript"), "did you mean `code`?"),
        **dict.fromkeys(("params", "args", "arguments"), "did you mean `inputs`?"),
    }

    code: Code = Field(min_length=1)
    """Python: `def main(inputs)`, a lambda, an expression; JavaScript: function or body with `return`."""
    inputs: Any = None
    """What the code works on; templates inside are filled in."""
    language: Literal["python", "javascript"] = "python"
    """The language of `code`."""

    def wants_page(self) -> bool:
        """JavaScript runs in the page."""
        return self.language == "javascript"

    @classmethod
    def code_in(cls, data: Mapping[str, Any]) -> Iterator[CodeFragment]:
        """The program itself."""
        language = "javascript" if data.get("language") == "javascript" else "python"
        yield CodeFragment("data.code", data["code"], language, 1)

    async def run(self, ctx: RunContext) -> Outcome:
        """Run the code on the inputs."""
        inputs = await without_blocking(plain, self.inputs)
        if self.language == "javascript":
            # without `await` at once: what leaves the page takes a later result with it
            waits = "async " if "await" in self.code else ""
            function = self.code if is_javascript(self.code) else f"{waits}(inputs) => {{\n{self.code}\n}}"
            async with ctx.intending_effect("JavaScript in the page"):
                ctx.page.begin_press(None)
                # the script may leave the page: the next block must not meet the old one
                async with ctx.page.acting(None):
                    result = await ctx.page.scripts.run_in_page(
                        function, inputs, timeout_seconds=ctx.remaining_seconds
                    )
        else:
            result = await ctx.sandbox.call(self.code, [inputs], {"inputs": inputs})
        return Outcome(output=await without_blocking(json_output, result))


EXAMPLES: list[Json] = [
    {
        "type": "CodeV2",
        "data": {
            "code": "def main(inputs):\n    prices = inputs['prices']\n    return {'total': sum(prices)}",
            "inputs": {"prices": [3, 4.5]},
        },
    },
    {"type": "CodeV2", "data": {"language": "javascript", "code": "return document.links.length"}},
]
