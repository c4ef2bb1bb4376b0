"""A person's terminal and screen: texts of pages and of other people, and pages to look at."""

import os
import sys
import webbrowser
from typing import TYPE_CHECKING, Any

import msgspec
import typer

if TYPE_CHECKING:
    from rich.progress import Progress


def show(value: Any, words: str, *, as_json: bool) -> None:
    """Print a result: as one line of JSON, or in words."""
    typer.echo(msgspec.json.encode(value).decode() if as_json else words)


def progress_bar(*, is_shown: bool = True) -> "Progress":
    """A bar on standard error while something lasts; nothing where that is not a terminal."""
    from rich.console import Console  # noqa: PLC0415 - few commands have a bar
    from rich.progress import Progress  # noqa: PLC0415 - as above

    is_shown = is_shown and sys.stderr.isatty()
    return Progress(console=Console(stderr=True), disable=not is_shown, transient=True)


def printable(text: str) -> str:
    """The text with what a terminal would obey, such as an escape sequence, shown as it is written."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else letter.encode("unicode_escape").decode()
        for letter in text
    )


def open_in_browser(url: str) -> bool:
    """Open a page in the person's own browser; False where there is no screen."""
    # without one a browser for terminals may be found, and would take this one
    has_screen = sys.platform == "darwin" or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    return has_screen and webbrowser.open(url)
