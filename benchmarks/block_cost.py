"""What one block costs beyond the page: messages to Playwright's driver, and our own CPU time.

    python benchmarks/block_cost.py [--blocks 20]

Each kind of block is run in one workflow many times after the other and once, on a page that is quiet. The
difference, divided by the number of blocks, is the cost of one. Messages do not depend on the machine.
"""

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from playwright._impl import transport

from measuring.report import Figure, publish
from pagehand.browser import BrowserSession, LocalProvider, SessionOptions
from pagehand.browser.provider import LaunchOptions
from pagehand.browser_session import BrowserRequest
from pagehand.records import Workflow
from pagehand.settings import Settings
from pagehand.testing import Harness

Block = dict[str, Any]
_PAGE = (
    "data:text/html,<!doctype html><title>Form</title><form onsubmit='return false'>"
    "<label for=a>Skipper</label><input id=a><label for=p>Code</label><input id=p>"
    "<label for=s>Flag</label><select id=s><option>Norway<option>Greece</select>"
    "<label for=c>Power</label><input id=c type=checkbox><button type=button>Show</button></form>"
    "<table>{rows}</table>"
)
_ROWS = "".join(f"<tr class=r><td class=n>Berth {n}</td><td class=l>{n} m</td></tr>" for n in range(1000))
_OPEN: Block = {"type": "Navigate", "data": {"url": _PAGE.format(rows="")}}
_OPEN_ROWS: Block = {"type": "Navigate", "data": {"url": _PAGE.format(rows=_ROWS)}}


def _input(label: str, kind: str, value: str) -> Block:
    return {
        "type": "Input",
        "locator": {"label": label},
        "data": {"key": label, "inputType": kind, "value": value},
    }


_KINDS: dict[str, tuple[Block, Block]] = {
    "fill": (_OPEN, _input("Skipper", "TextInput", "Ada")),
    "secret fill": (_OPEN, _input("Code", "SensitiveTextInput", "Ada Nordmann")),
    "fill by key": (
        _OPEN,
        {"type": "Input", "data": {"key": "Skipper", "inputType": "TextInput", "value": "Ada"}},
    ),
    "choose": (_OPEN, _input("Flag", "NativeDropdown", "Greece")),
    "tick": (_OPEN, _input("Power", "Checkbox", "true")),
    "click": (_OPEN, {"type": "Mouse", "locator": {"role": "button", "text": "Show"}, "data": {}}),
    "condition": (
        _OPEN,
        {
            "type": "WaitForCondition",
            "data": {"condition": {"element": {"css": "button"}, "state": "visible"}},
        },
    ),
    "extract": (_OPEN, {"type": "Extract", "data": {"fields": {"x": {"locator": {"css": "button"}}}}}),
    "extract 1,000 rows": (
        _OPEN_ROWS,
        {
            "type": "Extract",
            "locator": {"css": ".r"},
            "data": {
                "many": True,
                "fields": {"n": {"locator": {"css": ".n"}}, "l": {"locator": {"css": ".l"}}},
            },
        },
    ),
    "navigate": (_OPEN, _OPEN),
    "loop of 1,000 rounds": (
        _OPEN,
        {
            "type": "LoopV2",
            "data": {"over": {"times": 1000}},
            "sequenceData": {"sequence": [{"type": "Wait", "data": {"durationMs": 1}}]},
        },
    ),
}


@dataclass(slots=True)
class Cost:
    """What runs took: messages by their method, and CPU seconds of this process."""

    messages: Counter[str]
    cpu: float


@contextmanager
def counting() -> Generator[Counter[str]]:
    """Count the messages to Playwright's driver by what they ask for."""
    # Playwright has no counter of its own, and leaves the types of this class open
    pipe: Any = transport.PipeTransport
    sent, send = Counter[str](), pipe.send

    def count(self: Any, message: dict[str, Any]) -> None:
        # signs of life of the browser, and what is given back without a wait
        if message["method"] not in ("newRequest", "dispose"):
            sent[_name(message)] += 1
        send(self, message)

    pipe.send = count
    try:
        yield sent
    finally:
        pipe.send = send


def _name(message: Mapping[str, Any]) -> str:
    inner = message.get("params", {}).get("method")
    return f"{message['method']} {inner}" if inner else str(message["method"])


@asynccontextmanager
async def _harness(*, pictures: bool) -> AsyncGenerator[Harness]:
    """Runs blocks in a real browser, which holds requests back as with the egress proxy."""
    provider = LocalProvider(Settings(browser_install=False))
    provided = await provider.launch(LaunchOptions())

    async def open_browser(request: BrowserRequest) -> BrowserSession:
        session = await BrowserSession.open(provided)
        session.provided = replace(provided, close=session.context.close)
        session.holds_requests = True
        await session.bind(SessionOptions(save_file=request.save_file, on_event=request.report))
        return session

    try:
        async with Harness() as harness:
            harness.settings.screenshots = pictures
            harness.seams.open_browser = open_browser
            yield harness
    finally:
        await provider.close()


async def _cost(harness: Harness, workflow: Workflow) -> Cost:
    with counting() as sent:
        began = time.process_time()
        await harness.run_workflow(workflow)
        return Cost(sent, time.process_time() - began)


async def _measure(harness: Harness, first: Block, block: Block, blocks: int) -> Cost:
    """What so many blocks cost."""
    few = await harness.add_workflow(first, block)
    many = await harness.add_workflow(
        first, *({**block, "blockReferenceId": f"b{n}"} for n in range(blocks + 1))
    )
    # the first run learns the elements, as a workflow's first run does
    for workflow in (few, many):
        await harness.run_workflow(workflow)
    less, more = await _cost(harness, few), await _cost(harness, many)
    more.messages.subtract(less.messages)
    return Cost(more.messages, (more.cpu - less.cpu) / blocks)


async def _measure_all(blocks: int, *, pictures: bool) -> dict[str, Cost]:
    async with _harness(pictures=pictures) as harness:
        return {name: await _measure(harness, *pair, blocks) for name, pair in _KINDS.items()}


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=20)
    blocks = parser.parse_args().blocks
    figures: list[Figure] = []
    details: dict[str, Any] = {}
    for pictures in (False, True):
        for kind, cost in asyncio.run(_measure_all(blocks, pictures=pictures)).items():
            name = f"{kind}, pictures" if pictures else kind
            messages = {method: count / blocks for method, count in cost.messages.items() if count}
            asked = 3.0 if name == "fill" else None
            figures.append(Figure(name, sum(messages.values()), "messages", at_most=asked))
            figures.append(Figure(name, cost.cpu * 1000, "ms CPU", at_most=12.0 if asked else None))
            details[name] = messages
            print(f"{name}: {messages}", flush=True)
    publish("block_cost", "What one block costs us", figures, messages=details)


if __name__ == "__main__":
    main()
