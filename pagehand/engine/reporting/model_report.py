"""What a model adds to the report of an execution: an explanation of a failure, a paragraph of summary.

The report is complete without it. A run that succeeded without a model asks none here either, so that a
cached run costs nothing; and the time for it is short, because a caller waits for the answer.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

import structlog

from pagehand.browser_session import BrowserSession
from pagehand.errors import PagehandError
from pagehand.ports import RunModel
from pagehand.records import Json
from pagehand.secrets.redactor import Redactor

SECONDS: Final = 15.0
"""How long a model may take for a report."""
_SHOWN_HISTORY: Final = 40
_log = structlog.get_logger(__name__)


async def explain_failure(model: RunModel | None, session: BrowserSession | None, analysis: str) -> str:
    """Two to four sentences about what happened on the page; empty without a model or a page."""
    if model is None or session is None or session.lost.done():
        return ""
    try:
        async with asyncio.timeout(SECONDS):
            page = await session.describe()
            facts = f"{analysis}\n\nThe page:\n{page}"
            return await model.text(model.prompt("analysis"), facts)
    except (PagehandError, TimeoutError) as trouble:
        _log.info("the model did not explain the failure", reason=str(trouble))
        return ""


async def summarize_run(
    model: RunModel | None, redactor: Redactor, history: Sequence[str], response: Json
) -> str:
    """A paragraph about what was done, and the result; empty for a run that used no model."""
    if model is None or not model.usage.calls:
        return ""
    record = "\n".join([*history[-_SHOWN_HISTORY:], f"Outputs: {redactor.value(response)}"])
    try:
        async with asyncio.timeout(SECONDS):
            return await model.text(model.prompt("summary"), record)
    except (PagehandError, TimeoutError) as trouble:
        _log.info("the model did not summarize the run", reason=str(trouble))
        return ""
