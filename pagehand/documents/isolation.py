"""How the process that opens documents is started: in bubblewrap where it works, else as a bare process."""

import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Literal

import pagehand

Isolation = Literal["bubblewrap", "process"]

_PACKAGE = Path(pagehand.__file__).resolve().parent
_CHILD = Path(__file__).with_name("child.py").resolve()


def commands() -> list[tuple[Isolation, list[str]]]:
    """Ways to start it, the safest first; none of them reads the environment or the user's own packages."""
    python = str(Path(sys.executable).resolve())
    libraries = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    inside = [python, "-I", "-S", str(_CHILD), str(_PACKAGE.parent), *libraries]
    plain: tuple[Isolation, list[str]] = ("process", inside)
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        return [plain]
    # Without /proc: there a process of the same user could read the service's environment.
    walls = ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    shown: list[str] = []
    for folder in ("/usr", "/lib", "/lib64", "/bin", sys.base_prefix, *libraries, str(_PACKAGE)):
        shown += ["--ro-bind-try", folder, folder]
    return [("bubblewrap", [bubblewrap, *walls, *shown, "--chdir", "/", *inside]), plain]
