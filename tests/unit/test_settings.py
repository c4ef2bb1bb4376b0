"""Settings: what an empty value, a strange database URL or another case of a name means."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from pagehand.cli.configuration import read_settings
from pagehand.errors import InvalidRequest
from pagehand.settings import Settings


@pytest.mark.parametrize(
    ("given", "url"),
    [
        (None, "sqlite+aiosqlite:////data/pagehand.db"),
        ("sqlite:///x.db", "sqlite+aiosqlite:///x.db"),
        ("postgres://u:p@h/d", "postgresql+psycopg://u:p@h/d"),
        ("postgresql://u:p@h/d?sslmode=require", "postgresql+psycopg://u:p@h/d?sslmode=require"),
        ("postgresql+psycopg://h/d", "postgresql+psycopg://h/d"),
        ("sqlite+aiosqlite:///x.db", "sqlite+aiosqlite:///x.db"),
    ],
)
def test_a_database_is_named_as_the_driver_wants_it(given: str | None, url: str) -> None:
    assert Settings(data_dir=Path("/data"), database=given).database_url == url


@pytest.mark.parametrize(
    ("given", "is_shared"),
    [
        ({}, False),
        ({"database": "postgres://h/d"}, False),
        ({"database": "postgres://h/d", "worker": False}, True),
        ({"worker": False}, False),
        ({"engine": "postgres"}, True),
        ({"engine": "local", "database": "postgres://h/d", "worker": False}, False),
    ],
)
def test_a_queue_is_shared_where_several_processes_work(given: dict[str, Any], is_shared: bool) -> None:
    assert Settings(**given).is_shared is is_shared


def test_secrets_do_not_print_themselves() -> None:
    given: dict[str, Any] = dict.fromkeys(
        (
            "master_key",
            "previous_master_keys",
            "smtp_password",
            "imap_password",
            "model_api_key",
            "embeddings_key",
        ),
        "hunter2",
    )
    settings = Settings(**given)
    assert "hunter2" not in repr(settings)
    assert "hunter2" not in str(settings.model_dump())


def test_an_empty_variable_is_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGEHAND_PORT", "")
    assert Settings().port == 8700


@pytest.mark.parametrize("name", ["PAGEHAND_PORT", "pagehand_port", "Pagehand_Port"])
def test_the_environment_wins_over_the_file_in_any_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file = tmp_path / "pagehand.toml"
    file.write_text("port = 1\n")
    monkeypatch.setenv(name, "2")
    assert read_settings({}, file, {name: "2"}).port == 2


def test_an_empty_variable_leaves_the_file_its_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "pagehand.toml"
    file.write_text("port = 1\n")
    monkeypatch.setenv("PAGEHAND_PORT", "")
    assert read_settings({}, file, {"PAGEHAND_PORT": ""}).port == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("port = 70000", "`port` in `.*`: .*65535"),
        ("port = 'x'", "`port` in"),
        ("prot = 1", "There is no setting `prot` in .*did you mean `port`"),
        ("port = ", "is not TOML"),
        ("concurrency = 0", "`concurrency` in"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "pagehand.toml"
    file.write_text(text)
    with pytest.raises(InvalidRequest, match=words):
        read_settings({}, file, {})


@pytest.mark.parametrize("content", [b"\xff\xfe", b"\0"])
def test_a_file_that_is_not_text_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "pagehand.toml"
    file.write_bytes(content)
    with pytest.raises(InvalidRequest, match="is not TOML"):
        read_settings({}, file, {})


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="cannot be read: No such file"):
        read_settings({}, tmp_path / "no.toml", {})


@pytest.mark.parametrize(
    "given",
    [
        {"port": -1},
        {"port": "1e999"},
        {"heal_probability": 2},
        {"keep_days": 0},
        {"max_body_bytes": 0},
        {"smtp_security": "ssl"},
        {"browser_provider": "netscape"},
        {"keep_days": "nan"},
    ],
)
def test_values_out_of_their_bounds_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Settings(**given)
