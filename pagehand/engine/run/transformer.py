"""`transformerFn`: a function over a block's output, in Python or JavaScript."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pagehand.blocks.json_output import json_output
from pagehand.browser_session import PageSession
from pagehand.cooperative import without_blocking
from pagehand.ports import Sandbox
from pagehand.workflow.code import is_javascript

_TIME_LIMIT_SECONDS = 10


async def transform(
    code: str,
    output: Any,
    names: Mapping[str, Any],
    sandbox: Sandbox,
    open_page: Callable[[], Awaitable[PageSession]],
) -> Any:
    """The function's result, which replaces the output."""
    if not is_javascript(code):
        answer = await sandbox.call(code, [output, dict(names)], names)
        return await without_blocking(json_output, answer)
    session = await open_page()
    result = await session.scripts.run_in_blank_page(
        code, [output, dict(names)], timeout_seconds=_TIME_LIMIT_SECONDS
    )
    return await without_blocking(json_output, result)
