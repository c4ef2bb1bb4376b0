"""What processes of a fleet leave behind when they are killed: browsers, folders, half-written files."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from support.workers import Fleet


def browsers_of(folder: Path) -> dict[int, str]:
    """The browser processes that processes of a fleet have started, by what they inherited from it."""
    mark, found = f"PAGEHAND_FILES=file://{folder}".encode(), dict[int, str]()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if _is_browser(words) and mark in (process / "environ").read_bytes():
                found[int(process.name)] = words[0].decode()
        except OSError:
            continue  # it has ended, or belongs to another user
    return found


def temporary_files_of_ended_processes(fleet: Fleet) -> list[Path]:
    """Temporary files and folders of processes of the fleet that have ended."""
    processes = [*fleet.nodes, *fleet.workers]
    dead = [pid for process in processes for pid in process.pids if not Path(f"/proc/{pid}").exists()]
    return [path for pid in dead for path in Path(tempfile.gettempdir()).glob(f"pagehand-*-{pid}.*")]


def _is_browser(words: Sequence[bytes]) -> bool:
    """A browser's main process; those below it end with it."""
    name = words[0].rpartition(b"/")[2]
    return b"chrom" in name and not any(word.startswith(b"--type=") for word in words)
