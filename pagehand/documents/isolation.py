"""Commands that start the document process: in bubblewrap if possible, else as a plain process."""

import sys
import sysconfig
from pathlib import Path
from typing import Literal

import pagehand
from pagehand import bubblewrap

Isolation = Literal["bubblewrap", "process"]

_PACKAGE = Path(pagehand.__file__).resolve().parent
_FORK_SERVER = Path(__file__).with_name("fork_server.py").resolve()


def commands() -> list[tuple[Isolation, list[str]]]:
    """Commands that start it, the most isolated first; none reads the environment or the user's packages."""
    python = str(Path(sys.executable).resolve())
    libraries = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    inside = [python, "-I", "-S", str(_FORK_SERVER), str(_PACKAGE.parent), *libraries]
    plain: tuple[Isolation, list[str]] = ("process", inside)
    readable = ["/usr", "/lib", "/lib64", "/bin", sys.base_prefix, *libraries, str(_PACKAGE)]
    wrapped = bubblewrap.wrap(inside, readable)
    return [("bubblewrap", wrapped), plain] if wrapped else [plain]
