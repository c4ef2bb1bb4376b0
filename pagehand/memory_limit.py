"""How much memory this process may use: the machine's, or less in a container."""

import os
from pathlib import Path
from typing import Final

_GROUPS: Final = Path("/proc/self/cgroup")
_MOUNT: Final = Path("/sys/fs/cgroup")


def memory_limit(groups: Path = _GROUPS, mount: Path = _MOUNT) -> int:
    """In bytes: the lowest limit of its control groups (version 1 or 2), or what the machine has."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    lines = groups.read_text().splitlines() if groups.exists() else []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):
            name = "memory.limit_in_bytes" if controllers else "memory.max"
            own = mount / controllers / path.lstrip("/")
            # a limit further up counts too; in a container, only the top is there
            limits += [
                _limit(folder / name) for folder in (own, *own.parents) if folder.is_relative_to(mount)
            ]
    return min(limit for limit in limits if limit > 0)


def _limit(file: Path) -> int:
    """The limit in a file; 0 if there is none."""
    try:
        text = file.read_text().strip()
    except OSError:
        return 0
    return int(text) if text.isdigit() else 0
