"""Settings become an engine, a file store and traces; what they lack is refused at start with a sentence."""

from pathlib import Path
from typing import Any

import pytest

from pagehand.assemble import installation_name
from pagehand.assemble.engines import LocalEngineSetup, choose_engine
from pagehand.assemble.services import knowledge_base, open_vault, traces
from pagehand.documents import DocumentProcess
from pagehand.engine.reporting.events import NoTraces
from pagehand.errors import NotFound, UserMistake
from pagehand.files import file_store
from pagehand.files.local import LocalFiles
from pagehand.settings import Settings
from pagehand.storage import Database, Stores

pytestmark = pytest.mark.anyio

POSTGRES = "postgresql+psycopg://localhost/none"
KEY = "00" * 32


def settings(folder: Path, **given: Any) -> Settings:
    return Settings(data_dir=folder, **given)


def nobody(reason: str) -> None:
    raise AssertionError(reason)


def chosen(given: Settings) -> object:
    database = Database(given.database_url)
    return choose_engine(given, database, "installation_1", "http://127.0.0.1:1", nobody)


async def test_lone_service_on_sqlite_runs_its_own_executions(tmp_path: Path) -> None:
    choice = chosen(settings(tmp_path))
    assert isinstance(choice, LocalEngineSetup)
    assert await choice.count_workers() == 1
    assert choice.worker_id() == "worker"


async def test_service_without_a_worker_counts_none(tmp_path: Path) -> None:
    choice = chosen(settings(tmp_path, worker=False))
    assert isinstance(choice, LocalEngineSetup)
    assert await choice.count_workers() == 0


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"engine": "postgres"}, "--database"),
        ({"engine": "postgres", "database": POSTGRES}, "PAGEHAND_MASTER_KEY"),
        ({"engine": "postgres", "database": POSTGRES, "master_key": KEY}, "PAGEHAND_FILES"),
        # without a worker on PostgreSQL others run the executions, whatever engine is named
        ({"worker": False, "database": POSTGRES}, "PAGEHAND_MASTER_KEY"),
    ],
)
def test_several_processes_need_one_database_one_key_and_one_place_for_files(
    tmp_path: Path, given: dict[str, Any], word: str
) -> None:
    with pytest.raises(UserMistake, match=word):
        chosen(settings(tmp_path, **given))


async def test_files_are_kept_in_the_data_folder_or_where_the_operator_says(tmp_path: Path) -> None:
    for given, folder in (
        ({}, tmp_path / "files"),
        ({"files": f"file://{tmp_path / 'elsewhere'}"}, tmp_path / "elsewhere"),
    ):
        store = file_store(settings(tmp_path, **given))
        assert isinstance(store, LocalFiles)
        await store.put("org_1/uploads/file_1", b"x")
        assert (folder / "org_1" / "uploads" / "file_1").read_bytes() == b"x"


def test_object_storage_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match=r"`PAGEHAND_FILES`.*`nowhere://bucket`"):
        file_store(settings(tmp_path, files="nowhere://bucket"))


def test_installation_keeps_its_name_and_a_folder_that_cannot_be_written_is_no_obstacle(
    tmp_path: Path,
) -> None:
    name = installation_name(tmp_path)
    assert installation_name(tmp_path) == name
    (tmp_path / "installation").write_text("  \n")
    assert installation_name(tmp_path) not in ("", name)
    assert installation_name(tmp_path / "missing").startswith("installation_")


def test_master_key_of_the_environment_is_used_and_no_file_is_made(tmp_path: Path) -> None:
    key, _ = open_vault(settings(tmp_path, master_key=KEY))
    assert key.material == bytes(32)
    assert list(tmp_path.iterdir()) == []
    made, _ = open_vault(settings(tmp_path))
    assert made.material != key.material
    assert (tmp_path / "master.key").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("key", ["short", "zz" * 32, "AAAA"])
def test_master_key_of_another_length_is_refused_without_being_shown(tmp_path: Path, key: str) -> None:
    with pytest.raises(UserMistake) as refusal:
        open_vault(settings(tmp_path, master_key=key))
    assert key not in refusal.value.message


@pytest.fixture
def no_otel(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ENDPOINT", "TRACES_ENDPOINT", "PROTOCOL", "TRACES_PROTOCOL"):
        monkeypatch.delenv(f"OTEL_EXPORTER_OTLP_{name}", raising=False)
    monkeypatch.delenv("OTEL_SDK_DISABLED", raising=False)
    monkeypatch.delenv("OTEL_TRACES_EXPORTER", raising=False)


@pytest.mark.usefixtures("no_otel")
@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "TRUE"},
        {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "none"},
    ],
)
async def test_no_traces_are_made_where_nobody_asks_for_them(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    made, close = traces()
    assert isinstance(made, NoTraces)
    await close()


@pytest.mark.usefixtures("no_otel")
def test_protocol_that_is_not_sent_is_refused_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    with pytest.raises(UserMistake, match=r"`OTEL_EXPORTER_OTLP_PROTOCOL`.*`http/protobuf`.*`grpc`"):
        traces()


async def test_knowledge_base_takes_documents_without_an_embeddings_endpoint(tmp_path: Path) -> None:
    given = settings(tmp_path)
    database = Database(given.database_url)
    await database.open()
    try:
        documents = DocumentProcess()
        base = knowledge_base(given, Stores(database), file_store(given), documents)
        added = await base.add_text("org_1", "Zebra", "The zebra machine lasts long.", [])
        assert [passage.document_id for passage in await base.query("org_1", "zebra", 3, [])] == [added.id]
        with pytest.raises(NotFound):
            await base.get("org_2", added.id)
        await documents.close()
    finally:
        await database.close()
