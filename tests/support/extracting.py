"""Schemas, and what Extract reads by them from a page."""

from typing import Any

import pytest

from pagehand.blocks.page import extract
from pagehand.errors import BlockFailed
from support.block_runner import BlockRunner

TEXT, NUMBER, INTEGER = {"type": "string"}, {"type": "number"}, {"type": "integer"}
DATE = {"type": "string", "format": "date"}


def record(required: str = "", **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split()}


def rows(required: str = "", **properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": record(required, **properties)}


async def read(
    runner: BlockRunner, html: str, schema: dict[str, Any], prompt: str = "", **locator: Any
) -> Any:
    await runner.open(html)
    return (await runner.run("Extract", {"schema": schema, "prompt": prompt}, **locator)).output


async def refusal(runner: BlockRunner, html: str, schema: dict[str, Any], prompt: str = "") -> BlockFailed:
    """Why a page that is all there is refused; the block does not wait for more of it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(extract, "_PATIENCE_SECONDS", 0)
        with pytest.raises(BlockFailed) as failure:
            await read(runner, html, schema, prompt)
    return failure.value
