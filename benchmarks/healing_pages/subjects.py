"""What is looked at in two releases: front ends of the npm registry, and whole applications."""

import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from healing_pages.front_ends import BUILDING, FrontEnd
from healing_pages.releases import CACHE, folders_of, served

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))  # the applications are those of the tests
from support.apps import started_app

# the pages' own scripts do not run, so both visits see the same; and a browser keeps no file of a release
_HEADERS: Final = {"Content-Security-Policy": "script-src 'none'", "Cache-Control": "no-store"}
_UV: Final = Path(sys.executable).with_name("uv")


class Subject(Protocol):
    """Pages at two releases, the older one first."""

    @property
    def name(self) -> str:
        """What it is called in tables, with its releases."""
        ...

    @property
    def paths(self) -> tuple[str, ...]:
        """Where its pages are, in both releases."""
        ...

    @property
    def account(self) -> str:
        """Who signs in at the first of its pages; empty where nobody has to."""
        ...

    @contextmanager
    def serving(self, release: int, port: int) -> Generator[str]:
        """Serve one of the releases at a port; its address."""
        ...


@dataclass(slots=True, frozen=True)
class Pages:
    """A front end without a server of its own."""

    site: FrontEnd
    account: str = ""

    @property
    def name(self) -> str:
        """The package and its versions."""
        return f"{self.site.package} {' → '.join(self.site.versions)}"

    @property
    def paths(self) -> tuple[str, ...]:
        """Those that have kept their names."""
        return tuple(f"/{page}.html" for page in self.site.pages if isinstance(page, str))

    @contextmanager
    def serving(self, release: int, port: int) -> Generator[str]:
        """Serve the folder of a version."""
        with served([*folders_of(self.site)][release], port, _HEADERS) as address:
            yield address


@dataclass(slots=True, frozen=True)
class Application:
    """An application of the tests, in environments that have other releases of it."""

    script: str
    releases: tuple[tuple[str, ...], tuple[str, ...]]
    """What is installed for each, the application itself first."""
    paths: tuple[str, ...]
    account: str = ""

    @property
    def name(self) -> str:
        """The package and its versions."""
        (package, older), (_, newer) = (first.split("==") for first, *_ in self.releases)
        return f"{package} {older} → {newer}"

    @contextmanager
    def serving(self, release: int, port: int) -> Generator[str]:
        """Start it with data of its own."""
        python = _environment(self.releases[release])
        with (
            tempfile.TemporaryDirectory() as folder,
            started_app(self.script, Path(folder), python=str(python), port=port) as app,
        ):
            yield app.url


def _environment(wanted: tuple[str, ...]) -> Path:
    """The Python of an environment that has these packages; it is made once."""
    folder = CACHE / "environments" / wanted[0]
    python = folder / "bin" / "python"
    if not (folder / ".complete").exists():
        for command in (["venv", "--clear", folder], ["pip", "install", "--python", python, *wanted]):
            subprocess.run([_UV, *command, "--quiet"], check=True, timeout=300)  # noqa: S603 - our own names
        (folder / ".complete").touch()
    return python


_ADMIN: Final = (
    *("/admin/", "/admin/library/book/", "/admin/library/book/add/", "/admin/library/book/3/change/"),
    *("/admin/library/author/", "/admin/auth/user/", "/admin/auth/user/1/change/", "/admin/password_change/"),
)
_RIVERS: Final = (
    *("/", "/rivers", "/rivers/rivers", "/rivers/rivers/7", "/rivers/rivers?country=Chad"),
    "/rivers?sql=select+name+from+rivers",
)
_LOOKED_AT: Final = (
    ("startbootstrap-sb-admin", "5.1.1"),
    ("startbootstrap-clean-blog", "4.1.1"),
    ("startbootstrap-modern-business", "4.2.3"),
)
SUBJECTS: Final[tuple[Subject, ...]] = (
    Application(
        "datasette",
        (("datasette==0.59.4", "setuptools<81", "httpx<0.28"), ("datasette==0.65.5", "setuptools<81")),
        _RIVERS,
    ),
    Application(
        "admin",
        (("django==3.2.25", "django-otp==1.2.4"), ("django==5.2.19", "django-otp==1.7.5")),
        _ADMIN,
        "plain",
    ),
    *(Pages(site) for site in BUILDING if (site.package, site.versions[0]) in _LOOKED_AT),
)
