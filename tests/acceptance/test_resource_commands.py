"""The commands for what the service keeps, against a running service."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from pagehand.cli import app
from pagehand.errors import NotFound
from support.service import Api, RunningService

pytestmark = pytest.mark.slow
NAME = "Kept by commands"


class Shell:
    """Runs commands against one service."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __call__(self, *arguments: str | Path, entered: str | None = None) -> Result:
        return CliRunner().invoke(app, [*map(str, arguments), "--url", self._url], input=entered)

    def lines(self, *arguments: str | Path, entered: str | None = None) -> list[Any]:
        """What a command prints with `--json`, of which every line is a value."""
        shown = self(*arguments, "--json", entered=entered)
        assert shown.exit_code == 0, (shown.output, shown.exception)
        # `splitlines` would split at U+2028 in a name of another test's workflow too
        return [json.loads(line) for line in shown.stdout.split("\n") if line]


@pytest.fixture
def shell(service: RunningService) -> Shell:
    return Shell(service.url)


def test_workflows_are_listed_shown_and_deleted_by_name(shell: Shell, api: Api) -> None:
    made = api.create(NAME, {"type": "Wait", "data": {"durationMs": 1}})
    api.create("two\u2028lines", {"type": "Wait", "data": {"durationMs": 1}})
    assert made["id"] in {workflow["id"] for workflow in shell.lines("workflows", "list")}
    assert NAME in shell("workflows", "list").stdout
    [shown] = shell.lines("workflows", "get", NAME)
    assert shown["blocks"] == made["blocks"]
    assert shell("workflows", "delete", NAME, entered="n\n").exit_code == 1
    assert shell("workflows", "delete", NAME, "--yes").stdout == f"{NAME} is deleted.\n"
    assert isinstance(shell("workflows", "get", NAME).exception, NotFound)


def test_an_execution_is_followed_repeated_and_kept_as_evidence(
    shell: Shell, api: Api, tmp_path: Path
) -> None:
    made = api.create(f"{NAME} once", {"type": "Wait", "data": {"durationMs": 1}})
    started = api.start(made["id"])
    followed = shell.lines("executions", "follow", started["id"])
    assert followed[-1]["type"] == "execution.completed"
    [shown] = shell.lines("executions", "get", started["id"])
    assert shown["status"] == "Completed"
    [retried] = shell.lines("executions", "retry", started["id"])
    second = retried["execution"]["execution"]["id"]
    assert shell("executions", "follow", second).exit_code == 0
    listed = shell.lines("executions", "list", "--workflow", f"{NAME} once", "--limit", "5")
    assert [item["id"] for item in listed] == [second, started["id"]]
    shell.lines("executions", "evidence", started["id"], "--to", tmp_path / "evidence.zip")
    assert "execution.json" in zipfile.ZipFile(tmp_path / "evidence.zip").namelist()


def test_a_failed_execution_ends_the_command_with_1(shell: Shell, api: Api) -> None:
    fail = {"type": "FailOnCondition", "data": {"condition": "True", "message": "No luck"}}
    started = api.start(api.create(f"{NAME} failing", fail)["id"])
    followed = shell("executions", "follow", started["id"])
    assert (followed.exit_code, "No luck" in followed.stderr) == (1, True)


def test_a_waiting_execution_is_cancelled(shell: Shell, api: Api) -> None:
    started = api.start(api.create(f"{NAME} long", {"type": "Wait", "data": {"durationMs": 600_000}})["id"])
    [shown] = shell.lines("executions", "cancel", started["id"])
    assert shown["id"] == started["id"]
    assert api.wait_for(started["id"], "Failed")["failure"]["code"] == "Cancelled"


def test_a_login_is_added_with_its_password_from_standard_input(shell: Shell, api: Api) -> None:
    site = ("--site", "http://127.0.0.1:9/sign-in", "--username", "u")
    assert shell("logins", "add", NAME, *site).exit_code == 2
    [made] = shell.lines("logins", "add", NAME, *site, "--password-stdin", entered="secret\n")
    assert NAME in {login["name"] for login in shell.lines("logins", "list")}
    tried = shell("logins", "test", NAME, "--json")
    assert json.loads(tried.stdout)["test"]["success"] is False
    assert tried.exit_code == 1
    api.call("/logins/delete", {"id": made["id"]})


def test_schedules_and_webhooks_are_added_listed_and_used(shell: Shell, api: Api) -> None:
    api.create(f"{NAME} nightly", {"type": "Wait", "data": {"durationMs": 1}})
    when = ("--cron", "30 2 * * *", "--time-zone", "Europe/Berlin", "--name", "Nightly by command")
    [made] = shell.lines("schedules", "add", "--workflow", f"{NAME} nightly", *when)
    assert len(made["nextRuns"]) == 5
    assert made["id"] in {schedule["id"] for schedule in shell.lines("schedules", "list")}
    assert shell("schedules", "run", "Nightly by command").exit_code == 0
    assert "removed" in shell("schedules", "remove", "Nightly by command").stdout
    [hook] = shell.lines("webhooks", "add", "http://127.0.0.1:9/hook", "--events", "execution.completed")
    assert hook["secret"].startswith("whsec_")
    assert hook["webhook"]["id"] in {listed["id"] for listed in shell.lines("webhooks", "list")}
    # nothing listens there
    assert shell("webhooks", "test", hook["webhook"]["id"]).exit_code == 1
    api.call("/webhooks/delete", {"id": hook["webhook"]["id"]})


def test_a_schedule_takes_params_and_a_login_as_a_run_does(shell: Shell, api: Api, tmp_path: Path) -> None:
    declared = [{"name": "rows", "type": "array", "isRequired": True}, {"name": "month", "type": "string"}]
    wait = {"type": "Wait", "data": {"durationMs": 1}}
    api.create(f"{NAME} monthly", wait, parameters=declared)
    fields = {"name": f"{NAME} office", "authenticationUrl": "http://127.0.0.1:9/"}
    login = api.call("/logins/create", fields | {"loginConfiguration": {"username": "u", "password": "p"}})
    (tmp_path / "params.json").write_text('{"month": "May"}')
    add = ("schedules", "add", "--workflow", f"{NAME} monthly", "--cron", "0 6 1 * *")
    given = ("-p", "rows=[1, 2]", "--params", tmp_path / "params.json", "--login", f"{NAME} office")
    [made] = shell.lines(*add, *given, "--catch-up", "latest", "--overlap", "queue")
    assert made["params"] == {"rows": [1, 2], "month": "May"}
    assert made["loginId"] == login["login"]["id"]
    assert (made["catchUp"], made["overlap"], made["look"]) == ("latest", "queue", False)
    missing = shell(*add)
    assert "rows" in str(missing.exception)
    assert isinstance(shell(*add, *given[:4], "--login", "Nobody").exception, NotFound)
    api.call("/schedules/delete", {"id": made["id"]})
    api.call("/logins/delete", {"id": login["login"]["id"]})


def test_a_file_is_put_and_fetched(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    [info] = shell.lines("files", "put", tmp_path / "a.txt")
    shell.lines("files", "get", info["id"], "--to", tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_text() == "hello"


def test_a_batch_runs_every_row_and_writes_the_results(shell: Shell, api: Api, tmp_path: Path) -> None:
    check = {"type": "FailOnCondition", "data": {"condition": "params.n == '2'", "message": "Two"}}
    api.create(f"{NAME} rows", check)
    (tmp_path / "rows.csv").write_text("n\n1\n2\n3\n")
    run = shell(
        "batches", "run", tmp_path / "rows.csv", "--workflow", f"{NAME} rows", "--to", tmp_path / "r.csv"
    )
    assert (run.exit_code, run.stdout) == (1, "2 completed, 1 failed.\n")
    assert len((tmp_path / "r.csv").read_text().splitlines()) == 4


def test_executions_of_a_mistyped_workflow_are_wrong_use(shell: Shell, api: Api) -> None:
    api.create(f"{NAME} kept", {"type": "Wait", "data": {"durationMs": 1}})
    assert isinstance(shell("executions", "list", "--workflow", f"{NAME} kapt").exception, NotFound)
    assert shell("executions", "list", "--workflow", f"{NAME} kept").exit_code == 0
