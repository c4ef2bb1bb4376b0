"""A session in another process answers as one in this process: all that passes is JSON."""

from collections.abc import Sequence
from typing import Any

import orjson
import pytest

from pagehand.blocks import kinds
from pagehand.browser_session import PickedElement, RankedLocator
from pagehand.engine.live.control import BlocksReport, BlocksToRun, RecordedBlock
from pagehand.engine.live.remote import RemoteLiveSession, execute_command
from pagehand.errors import Conflict
from pagehand.records import Cancellation, ExecutionFailure, Json
from pagehand.workflow import tree
from pagehand.workflow.locator import Locator
from pagehand.workflow.parse import parse_blocks

pytestmark = pytest.mark.anyio
ELEMENT = PickedElement(
    tag="button",
    role="button",
    name="Save",
    box=(1.5, 2, 30, 40),
    locators=[
        RankedLocator(Locator(role="button", text="Save"), 1, "by its name"),
        RankedLocator(Locator.model_validate({"altText": "Save", "frame": "iframe"}), 2, "by its picture"),
    ],
    value="true",
)
FAILURE = ExecutionFailure(
    code="ElementNotFound",
    message="No element matches.",
    block_id="block_1",
    block_reference_id="save",
    locator={"css": "#save"},
    cancelled=Cancellation(by="ann", at="2026-01-01T00:00:00.000Z"),
)


class LocalSession:
    """Implements `LiveSessionControl` where the browser is, with the answers that a test gives it."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.commands: list[tuple[str, Any]] = []

    def _answer(self, name: str, given: Any = None) -> Any:
        self.commands.append((name, given))
        return self.answers.get(name)

    async def opened(self) -> None:
        self._answer("opened")

    async def run(self, blocks: BlocksToRun) -> BlocksReport:
        return self._answer("run", (tree.to_json(blocks.blocks), blocks.only_id, blocks.last_id))

    async def pick(self, x: float, y: float, *, with_locators: bool) -> PickedElement | None:
        return self._answer("pick", (x, y, with_locators))

    async def describe(self) -> Json:
        return self._answer("describe")

    async def read(self, x: float, y: float) -> Json | None:
        return self._answer("read", (x, y))

    async def record(self, *, is_on: bool, with_address: bool) -> None:
        self._answer("record", (is_on, with_address))

    async def recorded(self, after: int, wait_seconds: float) -> Sequence[RecordedBlock]:
        return self._answer("recorded", (after, wait_seconds))

    async def stop(self) -> bool:
        return self._answer("stop")

    async def close(self) -> None:
        self._answer("close")


def remote(here: LocalSession) -> RemoteLiveSession:
    """The other side, with all that passes between them as text."""

    async def send(command: Json) -> Json:
        return orjson.loads(orjson.dumps(await execute_command(here, orjson.loads(orjson.dumps(command)))))

    return RemoteLiveSession(send)


@pytest.mark.parametrize(
    "report",
    [
        BlocksReport(failure=None, analysis="", outputs={"a": [1, {"b": None}]}),
        BlocksReport(failure=FAILURE, analysis="No element matches.\nTry: look.", outputs={}),
    ],
)
async def test_blocks_run_there_and_their_report_comes_back_whole(report: BlocksReport) -> None:
    here = LocalSession(run=report)
    definition = {
        "type": "If",
        "data": {"condition": "True"},
        "sequenceData": {"trueSequence": [{"type": "Wait", "data": {"durationMs": 1}}], "falseSequence": []},
    }
    blocks = parse_blocks([definition], kinds())
    assert await remote(here).run(BlocksToRun(blocks=blocks, only_id="block_1", last_id="block_2")) == report
    assert here.commands == [("run", (tree.to_json(blocks), "block_1", "block_2"))]


async def test_an_element_comes_back_with_its_locators() -> None:
    here = LocalSession(pick=ELEMENT)
    assert await remote(here).pick(3.5, 4, with_locators=True) == ELEMENT
    assert here.commands == [("pick", (3.5, 4, True))]
    assert await remote(LocalSession()).pick(0, 0, with_locators=False) is None


async def test_what_a_recording_has_made_comes_back() -> None:
    made = [RecordedBlock(1, 3, {"type": "Mouse"}), RecordedBlock(2, 2, {"type": "Input"})]
    here = LocalSession(recorded=made)
    assert await remote(here).recorded(1, 2.5) == made
    await remote(here).record(is_on=True, with_address=False)
    assert here.commands == [("recorded", (1, 2.5)), ("record", (True, False))]


async def test_small_questions_are_asked_there() -> None:
    here = LocalSession(read={"type": "Extract"}, stop=True, describe={"url": "u", "elements": []})
    session = remote(here)
    assert (await session.read(1, 2), await session.stop()) == ({"type": "Extract"}, True)
    assert await session.describe() == {"url": "u", "elements": []}
    await session.opened()
    await session.close()
    assert [name for name, _ in here.commands] == ["read", "stop", "describe", "opened", "close"]


async def test_a_refusal_comes_through() -> None:
    async def send(_: Json) -> Json:
        raise Conflict("The live session has ended.")

    with pytest.raises(Conflict, match="has ended"):
        await RemoteLiveSession(send).stop()
