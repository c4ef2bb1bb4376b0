"""What pages and other people wrote does nothing to a terminal."""

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from pagehand.cli.run_view import RunView
from pagehand.cli.terminal import printable, progress_bar


def test_escape_sequences_are_shown_and_not_obeyed() -> None:
    assert printable("a\x1b[2J\x9b0m\r\x07b\n[bold] é") == "a\\x1b[2J\\x9b0m\\r\\x07b\n[bold] é"


def test_a_run_shows_names_and_messages_as_they_are_written() -> None:
    shown = StringIO()
    blocks: list[dict[str, Any]] = [{"blockReferenceId": "b", "name": "\x1b]0;owned\x07[/nothing]"}]
    with RunView(Console(file=shown, width=200), blocks) as view:
        event: dict[str, Any] = {"blockReferenceId": "b", "message": "\x1b[31mred", "data": {}}
        view.event({**event, "type": "block.started"})
        view.event({**event, "type": "block.finished"})
        view.say("\x1b[31mred [/nothing]")
    assert "\x1b" not in shown.getvalue()
    assert "\\x1b]0;owned\\x07[/nothing]" in shown.getvalue()


class Screen(StringIO):
    """What standard error is, on a terminal or not."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_bar_is_drawn_on_a_terminal_and_nowhere_else(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen(is_terminal=is_terminal)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar() as bar:
        bar.update(bar.add_task("Rows", total=4), completed=2)
        bar.refresh()
    assert ("50%" in screen.getvalue()) is is_terminal
    assert bool(screen.getvalue()) is is_terminal
