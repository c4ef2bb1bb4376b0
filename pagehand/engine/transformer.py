"""`transformerFn`: a function over a block's output, in Python or JavaScript."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pagehand.blocks.ports import PageSession, Sandbox

_JAVASCRIPT = re.compile(r"\s*(async\s+)?(function\b|\([^()]*\)\s*=>|[A-Za-z_$][\w$]*\s*=>)")
_TIME_LIMIT_SECONDS = 10


def is_javascript(code: str) -> bool:
    """True for an arrow function or a `function`; anything else is Python."""
    return _JAVASCRIPT.match(code) is not None


async def transform(
    code: str,
    output: Any,
    names: Mapping[str, Any],
    sandbox: Sandbox,
    open_page: Callable[[], Awaitable[PageSession]],
) -> Any:
    """The function's result, which replaces the output."""
    if not is_javascript(code):
        return await sandbox.call(code, [output, dict(names)], names)
    session = await open_page()
    return await session.run_blank(code, [output, dict(names)], timeout_seconds=_TIME_LIMIT_SECONDS)
