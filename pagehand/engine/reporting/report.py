"""Where and why a run failed, the summary of an execution, and what a model adds to them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
import structlog

from pagehand.browser import BrowserSession
from pagehand.errors import BlockFailed, Cancelled, OurFault, PagehandError, TemporaryTrouble
from pagehand.ports import RunModel
from pagehand.records import Cancellation, DownloadState, Execution, ExecutionFailure, Json
from pagehand.secrets.redactor import Redactor
from pagehand.workflow.json_values import clean_text, made_storable
from pagehand.workflow.tree import Envelope

_SHOWN_NAMES = 8
_MAX_LOCATOR_BYTES = 1024 * 1024
SECONDS: Final = 15.0
"""How long a model may take for a report."""
_SHOWN_HISTORY: Final = 40
GUIDE_PAGES: Final = {
    "ElementNotFound": "healing",
    "NotClear": "workflows#finding-by-words",
    "WorkflowError": "workflows#templates",
    "DialogUnanswered": "workflows#dialogs-forms-and-tabs",
    "FormNotSent": "workflows#dialogs-forms-and-tabs",
    "SignInRefused": "logins#how-a-run-signs-in",
    "AddressRefused": "operating#what-workflows-can-reach",
    "LimitReached": "running#limits",
    "ModelNeeded": "models#configure-one",
    "Unanswered": "workflows#commit-points",
    "WorkerLost": "reliability",
}
"""The page of the guide, by code, where it explains the failure."""
_log = structlog.get_logger(__name__)


def summary(execution: Execution, *, blocks_run: int, response: Json, duration_ms: int, problem: str) -> str:
    """One paragraph: what was done, how long it took, which outputs there are."""
    name = f"“{execution.workflow_name}”"
    steps = f"{blocks_run} block{'' if blocks_run == 1 else 's'}"
    took = _duration(duration_ms)
    ended = f"{name} completed after {steps} in {took}."
    if problem:
        ended = f"{name} failed after {steps} in {took}: {_first_sentence(problem)}"
    return f"{ended} {_outputs_text(response)}{_files(execution.downloads)}"


@dataclass(slots=True)
class Failure:
    """The error that a run failed with, the block, and the page at that moment."""

    envelope: Envelope | None
    error: PagehandError
    url: str = ""
    title: str = ""
    has_picture: bool = False
    """Whether the event of the failure has a screenshot."""

    def to_record(self) -> ExecutionFailure:
        """The failure for programs; `code` comes from the error's class."""
        block, error = self.envelope, self.error
        return ExecutionFailure(
            code=error.code,
            message=error.message,
            block_id=block.id if block else None,
            block_reference_id=block.block_reference_id if block else None,
            locator=block.locator if block else None,
            cancelled=Cancellation(by=error.by, at=error.at) if isinstance(error, Cancelled) else None,
        )


def redact_failure(failure: ExecutionFailure, redactor: Redactor) -> ExecutionFailure:
    """The failure without secrets, as JSON that every store takes; code and ids contain none."""
    cancelled = failure.cancelled
    return msgspec.structs.replace(
        failure,
        message=clean_text(redactor.text(failure.message)),
        block_reference_id=redactor.value(failure.block_reference_id),
        # as the author wrote it: any JSON
        locator=made_storable(redactor.value(failure.locator), most_bytes=_MAX_LOCATOR_BYTES)[0],
        cancelled=cancelled and Cancellation(by=redactor.text(cancelled.by), at=cancelled.at),
    )


def analysis(failure: Failure, note: str = "") -> str:
    """Block, locator, what was expected and found, likely cause, what to try."""
    error, diagnosis = (
        failure.error,
        failure.error.diagnosis if isinstance(failure.error, BlockFailed) else None,
    )
    lines = [error.message]
    if failure.envelope is not None:
        lines.append(f"Block: {_block_text(failure.envelope)}")
    if failure.envelope is not None and failure.envelope.locator:
        lines.append(f"Locator: {_locator_text(failure.envelope)}.")
    if diagnosis and diagnosis.expected:
        lines.append(f"Expected: {diagnosis.expected}")
    if diagnosis and diagnosis.found:
        lines.append(f"Found: {diagnosis.found}")
    if failure.url:
        lines.append(f"Page: {failure.url}" + (f" (“{failure.title}”)" if failure.title else ""))
    cause = diagnosis.cause if diagnosis and diagnosis.cause else _likely_cause(failure)
    advice = diagnosis.advice if diagnosis and diagnosis.advice else _advice(failure)
    if cause:
        lines.append(f"Likely cause: {cause}")
    if advice:
        lines.append(f"Try: {advice}")
    if page := GUIDE_PAGES.get(error.code):
        lines.append(f"Guide: /guide/{page.replace('#', '.html#') if '#' in page else f'{page}.html'}")
    if note:
        lines.append(note)
    return "\n".join(lines)


def _block_text(envelope: Envelope) -> str:
    return f"`{envelope.name}` ({envelope.type}, `{envelope.block_reference_id}`)."


def _locator_text(envelope: Envelope) -> str:
    return ", ".join(f"{name} `{value}`" for name, value in (envelope.locator or {}).items() if value)


def _likely_cause(failure: Failure) -> str:
    if isinstance(failure.error, TemporaryTrouble):
        return "something outside this workflow was down or died."
    if isinstance(failure.error, OurFault):
        return "a fault in Pagehand itself."
    return ""


def _advice(failure: Failure) -> str:
    if isinstance(failure.error, TemporaryTrouble):
        return "run it again with executions/retry; if it keeps failing, open the site yourself and see."
    if isinstance(failure.error, OurFault):
        return "report it with the id in the message; the service's log has the details under that id."
    if failure.has_picture:
        return "look at the picture of the failed block in this execution's events (executions/events)."
    return ""


def _outputs_text(response: Json) -> str:
    if not response:
        return "There are no outputs."
    names = [f"`{name}`{_size(value)}" for name, value in list(response.items())[:_SHOWN_NAMES]]
    more = len(response) - len(names)
    return "Outputs: " + ", ".join(names) + (f" and {more} more." if more > 0 else ".")


def _size(value: object) -> str:
    if isinstance(value, list):
        items = len(value)  # pyright: ignore[reportUnknownArgumentType] - any list has a length
        return f" ({items} item{'' if items == 1 else 's'})"
    return ""


def _files(downloads: DownloadState | None) -> str:
    count = len(downloads.files) if downloads else 0
    return f" {count} file{' was' if count == 1 else 's were'} downloaded." if count else ""


def _first_sentence(text: str) -> str:
    return text.strip().splitlines()[0].rstrip(".") + "."


def _duration(milliseconds: int) -> str:
    if milliseconds < 1000:  # noqa: PLR2004 - a second has a thousand
        return f"{milliseconds} ms"
    seconds = milliseconds / 1000
    if seconds < 120:  # noqa: PLR2004 - up to two minutes people think in seconds
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


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
