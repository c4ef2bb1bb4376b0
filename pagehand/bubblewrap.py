"""bubblewrap: runs a command without network, other processes, environment, and most files."""

import asyncio
import shutil
from collections.abc import Sequence
from typing import Literal

Isolation = Literal["bubblewrap", "process"]
"""What holds back a process that works on code or documents of others."""
_OPTIONS = ("--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL")
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin")
_PROBE_SECONDS = 20


def wrap(command: Sequence[str], readable: Sequence[str]) -> list[str] | None:
    """The command in bubblewrap, where it can only read these paths; None if that is not installed."""
    program = shutil.which("bwrap")
    if program is None:
        return None
    # without /proc, where a process of the same user could read the service's environment
    bindings = [part for path in readable for part in ("--ro-bind-try", path, path)]
    return [program, *_OPTIONS, *bindings, "--chdir", "/", *command]


async def problem() -> str:
    """Why bubblewrap cannot be used here, and what to do; "" when it can."""
    command = wrap(["/bin/true"], _SYSTEM)
    if command is None:
        return "it is not installed (apt-get install bubblewrap)"
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, output = await asyncio.wait_for(process.communicate(), _PROBE_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
        return f"it does not start within {_PROBE_SECONDS} s"
    if process.returncode == 0:
        return ""
    return f"it does not start here ({output.decode(errors='replace').strip()[-200:]}); allow user namespaces"
