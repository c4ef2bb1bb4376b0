"""`pagehand worker` and `serve` before they serve: where they cannot listen, and who needs a key."""

import socket
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from httpx2 import ASGITransport, AsyncClient
from starlette.responses import PlainTextResponse
from typer.testing import CliRunner

from pagehand.api.keys import new_key
from pagehand.assemble import Service
from pagehand.cli import app, serve, worker
from pagehand.errors import Forbidden, InvalidRequest, Unavailable, UserMistake
from pagehand.settings import Settings
from pagehand.storage import Stores

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def logs_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loggers keep the stream they first write to: one of a command under test is closed at its end."""

    def configure(level: str) -> None:
        del level

    monkeypatch.setattr(serve, "configure_logging", configure)


@pytest.mark.parametrize(
    ("listen", "address"),
    [
        ("127.0.0.1:8710", ("127.0.0.1", 8710)),
        ("[::1]:0", ("::1", 0)),
        ("worker.internal:65535", ("worker.internal", 65535)),
    ],
)
def test_worker_listens_where_it_was_asked_to(listen: str, address: tuple[str, int]) -> None:
    assert worker._address(listen) == address  # pyright: ignore[reportPrivateUsage] - needs no service


@pytest.mark.parametrize(
    "listen",
    ["", "8710", ":8710", "localhost", "localhost:", "localhost:http", "localhost:65536", "a:-1", "a:٣"],
)
def test_worker_refuses_an_address_that_cannot_be_one(listen: str) -> None:
    with pytest.raises(InvalidRequest, match=r"`--listen`: expected HOST:PORT"):
        worker._address(listen)  # pyright: ignore[reportPrivateUsage] - as above


def test_wrong_address_is_a_sentence_before_anything_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    result = CliRunner().invoke(app, ["worker", "--listen", "127.0.0.1:99999", "--data-dir", str(folder)])
    assert isinstance(result.exception, InvalidRequest)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("environment", "word"),
    [
        ({}, "PostgreSQL"),
        ({"PAGEHAND_DATABASE": "postgresql+psycopg://x/y"}, "PAGEHAND_MASTER_KEY"),
        (
            {"PAGEHAND_DATABASE": "postgresql+psycopg://x/y", "PAGEHAND_MASTER_KEY": "00" * 32},
            "PAGEHAND_FILES",
        ),
    ],
)
def test_worker_without_what_processes_share_says_what_is_missing(
    tmp_path: Path, environment: dict[str, str], word: str
) -> None:
    # within this process: at a lower priority all later tests would run
    environment = {**environment, "PAGEHAND_WORKER_NICE": "0"}
    result = CliRunner().invoke(
        app, ["worker", "--listen", "127.0.0.1:0", "--data-dir", str(tmp_path / "data")], env=environment
    )
    assert isinstance(result.exception, UserMistake)
    assert word in result.exception.message


def test_taken_port_is_named_with_what_to_do(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(Unavailable, match=rf"127\.0\.0\.1:{port}.*`--port`"):
            serve.listen(Settings(port=port, data_dir=tmp_path))


@pytest.mark.parametrize(
    ("changes", "is_open"),
    [
        ({"host": "127.0.0.1"}, True),
        ({"host": "::1"}, True),
        ({"host": "localhost"}, True),
        ({"host": "0.0.0.0"}, False),  # noqa: S104 - the case under test
        ({"host": "192.0.2.7"}, False),
        ({"host": "0.0.0.0", "allow_keyless": True}, True),  # noqa: S104 - as above
    ],
)
async def test_service_beyond_loopback_does_not_start_without_a_key(
    stores: Stores, changes: dict[str, object], is_open: bool
) -> None:
    settings = Settings.model_validate(changes)
    require_key = serve._require_key  # pyright: ignore[reportPrivateUsage] - what `serve` asks at its start
    if is_open:
        await require_key(settings, stores)
        return
    with pytest.raises(Forbidden, match=r"pagehand keys create"):
        await require_key(settings, stores)
    owner = await stores.organizations.ensure("one")
    key, _ = new_key(owner.id)
    await stores.keys.add(key)
    await require_key(settings, stores)
    await stores.keys.revoke(owner.id, key.id, 1)
    with pytest.raises(Forbidden):
        await require_key(settings, stores)


@pytest.mark.parametrize(
    ("path", "status"), [("/healthz", 200), ("/metrics", 200), ("/executions/list", 403), ("/", 403)]
)
async def test_worker_serves_its_health_and_figures_and_no_api(path: str, status: int) -> None:
    service = SimpleNamespace(app=PlainTextResponse("served"))
    served = worker._WorkerApp(cast("Service", service))  # pyright: ignore[reportPrivateUsage] - only its app is asked
    async with AsyncClient(transport=ASGITransport(served), base_url="http://worker") as client:
        answer = await client.post(path)
    assert answer.status_code == status
    assert ("pagehand serve" in answer.text) is (status == 403)
