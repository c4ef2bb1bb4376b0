"""Settings from file and environment: who wins, and what is refused."""

import sys
from pathlib import Path
from subprocess import run

import pytest

from pagehand.cli.configuration import read_settings
from pagehand.errors import InvalidRequest


def written(folder: Path, text: str) -> Path:
    path = folder / "pagehand.toml"
    path.write_text(text)
    return path


def test_the_file_is_read(tmp_path: Path) -> None:
    file = written(tmp_path, 'concurrency = 8\ndemo = false\nhost = "127.0.0.2"\n')
    settings = read_settings({}, file, {})
    assert (settings.concurrency, settings.demo, settings.host) == (8, False, "127.0.0.2")


def test_the_environment_wins_over_the_file_and_the_command_line_over_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, "concurrency = 8\nport = 1\nbrowser_pool = 3\n")
    environment = {"PAGEHAND_CONCURRENCY": "6", "PAGEHAND_PORT": "2"}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = read_settings({"port": 3}, file, environment)
    assert (settings.concurrency, settings.port, settings.browser_pool) == (6, 3, 3)


def test_the_environment_may_name_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, "concurrency = 8\n")
    assert read_settings({}, None, {"PAGEHAND_CONFIG": str(file)}).concurrency == 8


@pytest.mark.parametrize("name", ["PAGEHAND_CONCURENCY", "pagehand_concurency"])
def test_an_unknown_variable_is_refused_with_the_one_that_was_meant(name: str) -> None:
    with pytest.raises(InvalidRequest, match="did you mean `PAGEHAND_CONCURRENCY`"):
        read_settings({}, None, {name: "8"})


def test_an_unknown_variable_like_none_of_ours_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="There is no setting `PAGEHAND_XYZZY`"):
        read_settings({}, None, {"PAGEHAND_XYZZY": ""})


def test_what_clients_and_tests_read_is_not_refused() -> None:
    read_settings({}, None, {"PAGEHAND_URL": "x", "PAGEHAND_KEY": "y", "PAGEHAND_TEST_POSTGRES": "z"})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("concurency = 8", "did you mean `concurrency`"),
        ("PAGEHAND_PORT = 8", "There is no setting `PAGEHAND_PORT`"),
        ("[serve]\nport = 8", "There is no setting `serve`"),
        ("concurrency = 0", "`concurrency` in `.*pagehand.toml`: "),
        ("concurrency = ", "is not TOML"),
    ],
)
def test_a_wrong_file_is_refused_and_named(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InvalidRequest, match=sentence) as refused:
        read_settings({}, written(tmp_path, text), {})
    assert "pagehand.toml" in refused.value.message


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="cannot be read: No such file"):
        read_settings({}, tmp_path / "none.toml", {})


@pytest.mark.slow
def test_serve_refuses_to_start_with_an_unknown_setting(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pagehand", "serve", "--data-dir", str(tmp_path / "data")]
    ended = run(command, env={"PAGEHAND_CONCURENCY": "8"}, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    assert ended.returncode == 2
    assert "did you mean `PAGEHAND_CONCURRENCY`" in ended.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(("given", "level"), [("INFO", "info"), ("Debug", "debug"), ("critical", "critical")])
def test_log_level_is_read_in_any_case(given: str, level: str) -> None:
    assert read_settings({"log_level": given}, None, {}).log_level == level


@pytest.mark.parametrize("given", ["loud", "verbose", 10])
def test_log_level_that_does_not_exist_is_refused_with_those_there_are(given: object) -> None:
    with pytest.raises(InvalidRequest, match=r"log-level.*'debug'.*'critical'"):
        read_settings({"log_level": given}, None, {})
