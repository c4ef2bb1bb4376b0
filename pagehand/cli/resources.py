"""What the service keeps, from a shell: lists, single things, and what can be done with them."""

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import typer

from pagehand.cli.connection import all_of, connect, connect_async, one_named
from pagehand.cli.terminal import printable, progress_bar, show
from pagehand.cli.text_files import check_target
from pagehand.client import ExecutionFailed, Pagehand
from pagehand.errors import InvalidRequest
from pagehand.records import Json

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "workflows": ("id", "name", "version", "updatedAt"),
    "executions": ("id", "workflow", "status", "startTime", "durationMs"),
    "logins": ("id", "name", "authenticationUrl"),
    "schedules": ("id", "name", "workflow", "cron", "timeZone"),
    "webhooks": ("id", "url", "events"),
}
"""What lists show to people; with `--json` everything is shown."""
_POLL_SECONDS: Final = 0.5


class Connection:
    """One command's use of the service, and how its results are printed."""

    def __init__(self, url: str | None, key: str | None, *, as_json: bool) -> None:
        self._url = url
        self._key = key
        self._as_json = as_json

    def list(self, noun: str, limit: int | None = None, **fields: Any) -> None:
        """Print a list, one thing per line."""
        with connect(self._url, self._key) as client:
            if limit is None:
                things = all_of(client, noun, **fields)
            else:
                things = client.call(f"/{noun}/list", {**fields, "limit": limit})[noun]
            if not things and (name := fields.get("workflowName")):
                one_named(all_of(client, "workflows"), name, "workflow")  # a name that was mistyped is said
        for thing in things:
            self.show_line(thing, COLUMNS[noun])

    def call(self, path: str, fields: Json, shown: str | None = None, message: str = "") -> None:
        """Call an operation and print what it answers, or the part of it that `shown` names."""
        with connect(self._url, self._key) as client:
            answer = client.call(path, fields)
        self.result(answer[shown] if shown else answer, message)

    def call_named(
        self, path: str, noun: str, name: str, shown: str | None = None, message: str = ""
    ) -> None:
        """Call an operation on the thing of that name or id."""
        with connect(self._url, self._key) as client:
            found = one_named(all_of(client, f"{noun}s"), name, noun)
            answer = client.call(path, {"id": found["id"]})
        self.result(answer[shown] if shown else answer, message)

    def try_login(self, name: str) -> None:
        """Sign in with the login of that name; 1 if that does not work."""
        with connect(self._url, self._key) as client:
            login = one_named(all_of(client, "logins"), name, "login")
            test = client.logins_test(id=login["id"])["test"]
        self.result({"test": test}, printable(test["message"]))
        if not test["success"]:
            raise typer.Exit(1)

    def try_webhook(self, webhook_id: str) -> None:
        """Send a test event; 1 if it is not accepted."""
        with connect(self._url, self._key) as client:
            answer = client.call("/webhooks/test", {"id": webhook_id})
        self.result(answer)
        if answer["delivery"]["status"] != "delivered":
            raise typer.Exit(1)

    def result(self, value: Any, message: str = "") -> None:
        """Print one result: for people the message, if there is one."""
        show(
            value, message or msgspec.json.format(msgspec.json.encode(value)).decode(), as_json=self._as_json
        )

    def show_line(self, thing: Json, columns: Sequence[str]) -> None:
        """Print a line about a thing."""
        show(thing, "  ".join(_shown(thing.get(name)) for name in columns), as_json=self._as_json)

    def follow(self, execution_id: str) -> None:
        """Print the events of an execution until it ends; 1 if it failed."""
        with connect(self._url, self._key) as client:
            for event in client.follow(execution_id):
                self.show_line(event, ("at", "type", "message"))
            try:
                client.wait(execution_id)
            except ExecutionFailed as failed:
                typer.echo(printable(failed.analysis), err=True)
                raise typer.Exit(1) from failed

    def download(self, path: str, target: Path, fields: Json | None = None) -> None:
        """Write what an operation or a file has to a path."""
        check_target(target)
        with connect(self._url, self._key) as client:
            if fields is None:
                path = client.call("/files/get", {"id": path})["file"]["downloadUrl"]
            client.download(path, target, fields)
        self.result({"file": str(target)}, f"Written to {target}.")

    def upload(self, path: Path) -> None:
        """Store a file and print its id."""
        if not path.is_file():
            raise InvalidRequest(f"there is no file {path}.")
        with connect(self._url, self._key) as client:
            info = client.upload(path)
        self.result(info, info["id"])

    def add_login(self, name: str, site: str, username: str) -> None:
        """Store a login; its password comes on standard input."""
        password = sys.stdin.readline().rstrip("\n")
        if not password:
            raise InvalidRequest("`--password-stdin`: expected the password on standard input.")
        secrets = {"username": username, "password": password}
        fields = {"name": name, "authenticationUrl": site, "homeUrl": site, "loginConfiguration": secrets}
        self.call("/logins/create", fields, "login", f"The login {name} is stored.")

    def add_schedule(
        self, workflow: str, fields: Json, params: Sequence[str], params_file: Path | None, login: str | None
    ) -> None:
        """Start a workflow at set times; params and login are read as `run` reads them."""
        from pagehand.cli import running  # noqa: PLC0415 - for schedules alone

        async def added() -> Json:
            given = running.GivenParams(params, params_file)
            async with connect_async(self._url, self._key) as client:
                found = await running.workflow_named(client, workflow)
                read = await given.read(client, found, lambda message: typer.echo(message, err=True))
                request = {**fields, "workflowId": found["id"], "params": read}
                if login is not None:
                    logins = (await client.call("/logins/list"))["logins"]
                    request["loginId"] = one_named(logins, login, "login")["id"]
                return (await client.call("/schedules/create", request))["schedule"]

        self.result(asyncio.run(added()))

    def run_batch(self, sheet: Path, workflow: str, concurrency: int | None, target: Path | None) -> None:
        """Run a workflow for every row of a sheet, with a bar, and write the results; 1 if a row failed."""
        if target is not None:
            check_target(target)
        with connect(self._url, self._key) as client:
            batch = self._started_batch(client, sheet, workflow, concurrency)
            batch = _with_bar(client, batch, is_shown=not self._as_json)
            if target is not None:
                client.download("/batches/results", target, {"id": batch["id"]})
        progress = batch["progress"]
        self.result(batch, f"{progress['completed']} completed, {progress['failed']} failed.")
        raise typer.Exit(1 if progress["failed"] else 0)

    @staticmethod
    def _started_batch(client: Pagehand, sheet: Path, workflow: str, concurrency: int | None) -> Json:
        import csv  # noqa: PLC0415 - for batches alone

        try:
            with sheet.open(encoding="utf-8-sig", newline="") as lines:
                rows = list(csv.DictReader(lines))
        except OSError as error:
            raise InvalidRequest(f"{sheet} cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise InvalidRequest(f"{sheet} is not a CSV file in UTF-8: {error}.") from error
        if not rows:
            raise InvalidRequest(
                f"{sheet} has no rows: the first line names the parameters, each line below is one execution."
            )
        fields: Json = {"name": sheet.name, "workflowName": workflow, "rows": rows}
        more = {} if concurrency is None else {"concurrency": concurrency}
        return client.call("/batches/create", fields | more)["batch"]


def _with_bar(client: Pagehand, batch: Json, *, is_shown: bool) -> Json:
    with progress_bar(is_shown=is_shown) as bar:
        task = bar.add_task("Rows", total=batch["total"])
        while batch["status"] in ("running", "paused"):
            time.sleep(_POLL_SECONDS)
            batch = client.call("/batches/get", {"id": batch["id"]})["batch"]
            bar.update(task, completed=batch["progress"]["completed"] + batch["progress"]["failed"])
    return batch


def _shown(value: Any) -> str:
    """A value in one line."""
    return printable(_cell(value)).replace("\n", "\\n")


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("name", ""))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] - of JSON
    if isinstance(value, list):
        return ",".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType] - of JSON
    return "-" if value is None else str(value)
