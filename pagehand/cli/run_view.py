"""What a person sees while a workflow runs: its blocks as a tree, with times; a line per block in a log."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from pagehand.cli.terminal import printable
from pagehand.records import Json

_SIGNS: Final = {
    "waiting": ("·", "dim"),
    "running": ("▸", "cyan"),
    "finished": ("✓", "green"),
    "skipped": ("-", "dim"),
    "failed": ("✗", "red"),
}
_ENDS: Final = {"block.finished": "finished", "block.failed": "failed", "block.skipped": "skipped"}


@dataclass(slots=True)
class _Row:
    """One block, in however many rounds it ran."""

    name: str
    depth: int
    state: str = "waiting"
    rounds: int = 0
    seconds: float = 0.0
    began: float | None = None
    message: str = ""

    @property
    def shown_seconds(self) -> float:
        return self.seconds + (0 if self.began is None else time.monotonic() - self.began)


@dataclass(slots=True)
class RunView:
    """Shows a run on `console`: live on a terminal, else line by line."""

    console: Console
    blocks: list[Json]
    _rows: dict[str, _Row] = field(default_factory=dict[str, _Row])
    _live: Live | None = None

    def __enter__(self) -> Self:
        """Begin to show it."""
        self._rows = dict(_rows(self.blocks, 0))
        if self.console.is_terminal:
            self._live = Live(console=self.console, get_renderable=self._tree, refresh_per_second=8)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the last state on the screen."""
        if self._live is not None:
            self._live.stop()

    def event(self, event: Json) -> None:
        """Take in one event of the execution."""
        row = self._rows.get(event["blockReferenceId"] or "")
        if event["type"] == "execution.paused":
            self.say(event["message"])
        if row is None:
            return
        if event["type"] == "block.started":
            row.state, row.began, row.rounds = "running", time.monotonic(), row.rounds + 1
        elif event["type"] in _ENDS:
            self._end(row, event)

    def say(self, message: str) -> None:
        """A line beside the tree."""
        self.console.print(printable(message), markup=False, highlight=False)

    def _end(self, row: _Row, event: Json) -> None:
        taken = event["data"].get("durationMs")
        since = 0.0 if row.began is None else time.monotonic() - row.began
        row.seconds += since if taken is None else taken / 1000
        row.state, row.began, row.message = _ENDS[event["type"]], None, printable(event["message"])
        if self._live is None:
            self.console.print(_line(row), _duration(row), row.message, soft_wrap=True, markup=False)

    def _tree(self) -> RenderableType:
        table = Table.grid(padding=(0, 2))
        for row in self._rows.values():
            is_worth = row.state in ("failed", "skipped")
            table.add_row(
                _line(row), Text(_duration(row), "dim"), Text(row.message if is_worth else "", "dim")
            )
        return Group(table)


def _rows(blocks: list[Json], depth: int) -> Iterator[tuple[str, _Row]]:
    for block in blocks:
        yield block["blockReferenceId"], _Row(printable(block["name"]), depth)
        sequences: dict[str, list[Json]] = block.get("sequenceData") or {}
        for nested in sequences.values():
            yield from _rows(nested, depth + 1)


def _line(row: _Row) -> Text:
    sign, style = _SIGNS[row.state]
    return Text.assemble("  " * row.depth, (sign, style), " ", (row.name, "" if row.rounds else "dim"))


def _duration(row: _Row) -> str:
    if row.state == "waiting":
        return ""
    times = f", {row.rounds} times" if row.rounds > 1 else ""
    return f"{row.shown_seconds:.1f} s{times}"
