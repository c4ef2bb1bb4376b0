"""Commands that start the document process: in bubblewrap if possible, else as a plain process."""

import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Literal

import pagehand

Isolation = Literal["bubblewrap", "process"]

_PACKAGE = Path(pagehand.__file__).resolve().parent
_FORK_SERVER = Path(__file__).with_name("fork_server.py").resolve()


def commands() -> list[tuple[Isolation, list[str]]]:
    """Commands that start it, the most isolated first; none reads the environment or the user's packages."""
    python = str(Path(sys.executable).resolve())
    libraries = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    inside = [python, "-I", "-S", str(_FORK_SERVER), str(_PACKAGE.parent), *libraries]
    plain: tuple[Isolation, list[str]] = ("process", inside)
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        return [plain]
    # without /proc, where a process of the same user could read the service's environment
    options = ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    bindings: list[str] = []
    for folder in ("/usr", "/lib", "/lib64", "/bin", sys.base_prefix, *libraries, str(_PACKAGE)):
        bindings += ["--ro-bind-try", folder, folder]
    return [("bubblewrap", [bubblewrap, *options, *bindings, "--chdir", "/", *inside]), plain]
