"""A live session whose browser another process has: what is asked of it and answered, as JSON.

`RemoteSession` is the caller's side, `perform` the side of the process that has the browser.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict

import msgspec

from pagehand.browser_session import PickedElement, RankedLocator
from pagehand.engine.live.control import Part, PartReport, SessionControl
from pagehand.engine.live.recording import RecordedBlock
from pagehand.records import ExecutionFailure, Json
from pagehand.workflow import tree
from pagehand.workflow.locator import Locator

Ask = Callable[[Json], Awaitable[Json]]
"""Has `perform` called where the session is; raises what it raised, or `Conflict` when the session ends."""


class RemoteSession:
    """Implements `SessionControl` by asking the process that has the browser."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def opened(self) -> None:
        """Return once there is a browser to see, or when there will be none."""
        await self._ask({"command": "opened"})

    async def run(self, part: Part) -> PartReport:
        """Run blocks after whatever was asked for before."""
        ids = {"onlyId": part.only_id, "lastId": part.last_id}
        report = await self._ask({"command": "run", "blocks": tree.to_json(part.blocks), **ids})
        failure = report["failure"]
        return PartReport(
            failure=None if failure is None else msgspec.convert(failure, ExecutionFailure),
            analysis=report["analysis"],
            outputs=report["outputs"],
        )

    async def pick(self, x: float, y: float, *, with_locators: bool) -> PickedElement | None:
        """The element at a point of the window and the locators that lead to it; None where nothing is."""
        answer = await self._ask({"command": "pick", "x": x, "y": y, "withLocators": with_locators})
        return None if answer["element"] is None else _element(answer["element"])

    async def read(self, x: float, y: float) -> Json | None:
        """A block that reads the table or the text at a point of the window; None where nothing is."""
        return (await self._ask({"command": "read", "x": x, "y": y}))["block"]

    async def record(self, *, is_on: bool, with_address: bool) -> None:
        """Begin or end to make blocks of what the person does on the live page."""
        await self._ask({"command": "record", "isOn": is_on, "withAddress": with_address})

    async def recorded(self, after: int, wait_seconds: float) -> Sequence[RecordedBlock]:
        """The blocks made or changed after a revision, waited for."""
        answer = await self._ask({"command": "recorded", "after": after, "waitSeconds": wait_seconds})
        return [RecordedBlock(**block) for block in answer["blocks"]]

    async def stop(self) -> bool:
        """Interrupt the blocks that run now, and keep the browser; False when none do."""
        return (await self._ask({"command": "stop"}))["stopped"]

    async def close(self) -> None:
        """Interrupt the blocks that run now, and end well."""
        await self._ask({"command": "close"})


async def perform(session: SessionControl, asked: Json) -> Json:
    """Do what a `RemoteSession` asks; the answer it reads."""
    match asked["command"]:
        case "run":
            blocks = tree.from_json(asked["blocks"])
            part = Part(blocks=blocks, only_id=asked["onlyId"], last_id=asked["lastId"])
            report = await session.run(part)
            failure = None if report.failure is None else msgspec.to_builtins(report.failure)
            return {"failure": failure, "analysis": report.analysis, "outputs": report.outputs}
        case "pick":
            found = await session.pick(asked["x"], asked["y"], with_locators=asked["withLocators"])
            return {"element": None if found is None else _element_json(found)}
        case "read":
            return {"block": await session.read(asked["x"], asked["y"])}
        case "recorded":
            blocks = await session.recorded(asked["after"], asked["waitSeconds"])
            return {"blocks": [asdict(block) for block in blocks]}
        case "stop":
            return {"stopped": await session.stop()}
        case "record":
            await session.record(is_on=asked["isOn"], with_address=asked["withAddress"])
        case "close":
            await session.close()
        case _:
            await session.opened()
    return {}


def _element_json(element: PickedElement) -> Json:
    locators = [
        {
            "locator": ranked.locator.model_dump(by_alias=True, exclude_none=True),
            "matches": ranked.matches,
            "reason": ranked.reason,
        }
        for ranked in element.locators
    ]
    return {
        "tag": element.tag,
        "role": element.role,
        "name": element.name,
        "box": list(element.box),
        "locators": locators,
    }


def _element(shown: Json) -> PickedElement:
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
    )
