"""One service, and one of each application: started when the first test asks for it."""

from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from typing import Any

import pytest

from support.apps import App, started_app
from support.service import Api, Json, RunningService


class Workplace:
    """A service that works in one application, and a way to ask that application what is true."""

    def __init__(self, api: Api, app: App, database: str = "") -> None:
        self.api, self.url, self.facts = api, app.url, app.facts
        self.folder = Path(app.facts["folder"])
        self._database = self.folder / database

    def run(self, *blocks: Json, **params: Any) -> Json:
        """The outputs; the run must complete."""
        ended = self.api.run(*blocks, params=params)
        assert ended["status"] == "Completed", ended["errorAnalysis"]
        return ended["response"]

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """What the application's own database says."""
        with closing(connect(self._database, timeout=20)) as database:
            return database.execute(query, values).fetchall()

    def upload(self, name: str, content: bytes) -> str:
        """The id of a file that workflows may use."""
        given = {"name": name, "contentBase64": b64encode(content).decode()}
        return self.api.call("/files/upload", given)["file"]["id"]

    def content(self, file: Json) -> bytes:
        """The bytes of a file that a block returned."""
        return self.api.http.get(file["downloadUrl"]).content


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("applications")


@pytest.fixture(scope="session")
def api(folder: Path) -> Iterator[Api]:
    running = RunningService(folder / "data").start()
    yield running.api()
    running.stop()


@pytest.fixture(scope="session")
def admin(api: Api, folder: Path) -> Iterator[Workplace]:
    with started_app("admin", folder) as app:
        yield Workplace(api, app, "site.sqlite3")


@pytest.fixture(scope="session")
def datasette(api: Api, folder: Path) -> Iterator[Workplace]:
    with started_app("datasette", folder) as app:
        yield Workplace(api, app, "rivers.db")


@pytest.fixture(scope="session")
def roundup(api: Api, folder: Path) -> Iterator[Workplace]:
    with started_app("roundup", folder) as app:
        yield Workplace(api, app, "tracker/db/db")


@pytest.fixture(scope="session")
def wagtail(api: Api, folder: Path) -> Iterator[Workplace]:
    with started_app("wagtail", folder) as app:
        yield Workplace(api, app, "site.sqlite3")
