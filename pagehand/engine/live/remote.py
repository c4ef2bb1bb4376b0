"""A live session whose browser is in another process: its commands and answers as JSON.

`RemoteLiveSession` is the caller's side, `execute_command` the side of the process that has the browser.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import cast

import msgspec
from msgspec import Struct

from pagehand.browser_session import PickedElement, RankedLocator
from pagehand.engine.live.control import BlocksReport, BlocksToRun, LiveSessionControl, RecordedBlock
from pagehand.records import ExecutionFailure, Json
from pagehand.workflow import tree
from pagehand.workflow.locator import Locator

SendCommand = Callable[[Json], Awaitable[Json]]
"""Runs `execute_command` in the other process; raises its errors, or `Conflict` when the session ends."""


class _Command(Struct, tag_field="command", tag=str.lower, rename="camel"):
    """A method of `LiveSessionControl` with its arguments."""


class Opened(_Command):
    """`opened`."""


class Run(_Command):
    """`run`."""

    blocks: list[Json]
    only_id: str | None
    last_id: str | None
    first_id: str | None = None
    continues_id: str | None = None


class Pick(_Command):
    """`pick`."""

    x: float
    y: float
    with_locators: bool


class Describe(_Command):
    """`describe`."""


class Read(_Command):
    """`read`."""

    x: float
    y: float


class Record(_Command):
    """`record`."""

    is_on: bool
    with_address: bool


class Recorded(_Command):
    """`recorded`."""

    after: int
    wait_seconds: float


class Stop(_Command):
    """`stop`."""


class Close(_Command):
    """`close`."""


Command = Opened | Run | Pick | Describe | Read | Record | Recorded | Stop | Close


class RemoteLiveSession:
    """Implements `LiveSessionControl` by commands to the process that has the browser."""

    def __init__(self, send: SendCommand) -> None:
        self._send_json = send

    async def opened(self) -> None:
        """Return once the browser is open, or when there will be none."""
        await self._send(Opened())

    async def run(self, blocks: BlocksToRun) -> BlocksReport:
        """Run blocks after earlier requests."""
        report = await self._send(
            Run(
                tree.to_json(blocks.blocks),
                blocks.only_id,
                blocks.last_id,
                blocks.first_id,
                blocks.continues_id,
            )
        )
        failure = report["failure"]
        return BlocksReport(
            failure=None if failure is None else msgspec.convert(failure, ExecutionFailure),
            analysis=report["analysis"],
            outputs=report["outputs"],
        )

    async def pick(self, x: float, y: float, *, with_locators: bool) -> PickedElement | None:
        """The element at a point of the window and the locators that lead to it; None where nothing is."""
        answer = await self._send(Pick(x, y, with_locators))
        return None if answer["element"] is None else _element_from_json(answer["element"])

    async def describe(self) -> Json:
        """The page in words."""
        return await self._send(Describe())

    async def read(self, x: float, y: float) -> Json | None:
        """A block that reads the table or the text at a point of the window; None where nothing is."""
        return (await self._send(Read(x, y)))["block"]

    async def record(self, *, is_on: bool, with_address: bool) -> None:
        """Start or stop recording what the person does on the live page as blocks."""
        await self._send(Record(is_on, with_address))

    async def recorded(self, after: int, wait_seconds: float) -> Sequence[RecordedBlock]:
        """The blocks added or changed after a revision; waits for one."""
        answer = await self._send(Recorded(after, wait_seconds))
        return [RecordedBlock(**block) for block in answer["blocks"]]

    async def stop(self) -> bool:
        """Interrupt the running blocks and keep the browser; False when none run."""
        return (await self._send(Stop()))["stopped"]

    async def close(self) -> None:
        """Interrupt the running blocks and end the session."""
        await self._send(Close())

    async def _send(self, command: Command) -> Json:
        return await self._send_json(cast("Json", msgspec.to_builtins(command)))


async def execute_command(session: LiveSessionControl, command_json: Json) -> Json:
    """Execute a command of a `RemoteLiveSession`; its answer."""
    answer: Json = {}
    command: Command = msgspec.convert(command_json, Command)
    match command:
        case Run(blocks, only_id, last_id, first_id, continues_id):
            requested = BlocksToRun(
                blocks=tree.from_json(blocks),
                only_id=only_id,
                last_id=last_id,
                first_id=first_id,
                continues_id=continues_id,
            )
            report = await session.run(requested)
            failure = None if report.failure is None else msgspec.to_builtins(report.failure)
            answer = {"failure": failure, "analysis": report.analysis, "outputs": report.outputs}
        case Pick(x, y, with_locators):
            found = await session.pick(x, y, with_locators=with_locators)
            answer = {"element": None if found is None else _element_to_json(found)}
        case Describe():
            answer = await session.describe()
        case Read(x, y):
            answer = {"block": await session.read(x, y)}
        case Record(is_on, with_address):
            await session.record(is_on=is_on, with_address=with_address)
        case Recorded(after, wait_seconds):
            recorded = await session.recorded(after, wait_seconds)
            answer = {"blocks": [asdict(block) for block in recorded]}
        case Stop():
            answer = {"stopped": await session.stop()}
        case Close():
            await session.close()
        case Opened():
            await session.opened()
    return answer


def _element_to_json(element: PickedElement) -> Json:
    locators = [
        {
            "locator": ranked.locator.as_given(),
            "matches": ranked.matches,
            "reason": ranked.reason,
        }
        for ranked in element.locators
    ]
    return {
        "tag": element.tag,
        "value": element.value,
        "role": element.role,
        "name": element.name,
        "box": list(element.box),
        "locators": locators,
    }


def _element_from_json(shown: Json) -> PickedElement:
    left, top, width, height = shown["box"]
    return PickedElement(
        tag=shown["tag"],
        role=shown["role"],
        name=shown["name"],
        box=(left, top, width, height),
        locators=[
            RankedLocator(
                Locator.model_validate(ranked["locator"], by_alias=True), ranked["matches"], ranked["reason"]
            )
            for ranked in shown["locators"]
        ],
        value=shown["value"],
    )
