"""`pagehand run`: a workflow file runs in a service of its own, a named workflow on the service."""

import asyncio
import re
import tempfile
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import typer
from rich.console import Console

from pagehand.cli.connection import connect_async, one_named
from pagehand.cli.run_view import RunView
from pagehand.cli.terminal import open_in_browser, printable
from pagehand.cli.text_files import check_folder, read_text
from pagehand.client import AsyncPagehand, ExecutionFailed
from pagehand.errors import InvalidRequest, NotFound
from pagehand.recordings import recording as recordings
from pagehand.records import Json, is_object
from pagehand.settings import Settings

_SUFFIXES: Final = (".yaml", ".yml", ".json")
_MOST: Final = 1000
_FAILED: Final = 1
_INTERRUPTED: Final = 130
_UNSAFE: Final = re.compile(r"[^\w.-]+")


@dataclass(slots=True, kw_only=True)
class RunOptions:
    """What was given on the command line."""

    target: str
    params: Sequence[str]
    params_file: Path | None
    login: str | None
    watch: bool
    save: Path | None
    record: Path | None
    allow: Sequence[str]
    as_json: bool
    url: str | None
    key: str | None

    @property
    def file(self) -> Path | None:
        """The workflow file; None when a workflow of the service is named."""
        path = Path(self.target)
        return path if path.is_file() or path.suffix in _SUFFIXES else None


def run(options: RunOptions, settings: Settings) -> None:
    """Run it and end with its status: 0 completed, 1 failed, 130 interrupted."""
    for folder in (options.save, options.record):
        if folder is not None:
            check_folder(folder)
    try:
        status = asyncio.run(_run(options, settings))
    except KeyboardInterrupt:
        typer.echo("Interrupted; the execution was cancelled.", err=True)
        status = _INTERRUPTED
    raise typer.Exit(status)


async def _run(options: RunOptions, settings: Settings) -> int:
    async with _client(options, settings) as client:
        workflow = await _workflow(client, options)
        return await _Run(client, options, workflow).run()


@asynccontextmanager
async def _client(options: RunOptions, settings: Settings) -> AsyncGenerator[AsyncPagehand]:
    if options.file is None:
        async with connect_async(options.url, options.key) as client:
            yield client
        return
    read_text(options.file)  # a file that is not there is said before anything is loaded or started
    from pagehand.cli.embedded import embedded_service  # noqa: PLC0415 - a service is not always needed
    from pagehand.cli.files import definition_of, wants_browser  # noqa: PLC0415 - loads every block kind

    # what is wrong with it is said before anything is started
    needs_browser = wants_browser(definition_of(options.file))
    service = embedded_service(settings, options.allow, needs_browser=needs_browser)
    async with service as url, connect_async(url, None) as client:
        yield client


async def _workflow(client: AsyncPagehand, options: RunOptions) -> Json:
    if options.file is None:
        return await workflow_named(client, options.target)
    from pagehand.cli.files import definition_of  # noqa: PLC0415 - loads every block kind

    logins = (await client.call("/logins/list"))["logins"]
    definition = definition_of(options.file, lambda name: _login_id(options, logins, name))
    return (await client.call("/workflows/create", definition))["workflow"]


async def workflow_named(client: AsyncPagehand, name: str) -> Json:
    """The workflow of that name or id; raises an error that ends the command."""
    named = (await client.call("/workflows/list", {"search": name, "limit": _MOST}))["workflows"]
    if name.startswith("wf_"):
        named = [{"id": name, "name": name}]
    found = one_named(named, name, "workflow")
    return (await client.call("/workflows/get", {"id": found["id"]}))["workflow"]


def _login_id(options: RunOptions, logins: list[Json], name: str) -> str:
    if options.file is not None and not any(name == login["name"] for login in logins):
        raise NotFound(
            f"there is no login `{name}`: a file runs in a service of its own, "
            "which has the demo's login alone. To use others, `pagehand apply` it to your "
            "service and run the workflow by its name."
        )
    return one_named(logins, name, "login")["id"]


class _Run:
    """One execution, from the start to what is shown of its end."""

    def __init__(self, client: AsyncPagehand, options: RunOptions, workflow: Json) -> None:
        self._client = client
        self._options = options
        self._workflow = workflow
        # stdout is for the result alone
        self._console = Console(stderr=True, quiet=options.as_json, highlight=False)

    async def run(self) -> int:
        """The exit status."""
        given = GivenParams(self._options.params, self._options.params_file)
        params = await given.read(self._client, self._workflow, self._say)
        request: Json = {"params": params, "record": self._options.record is not None}
        if self._options.login is not None:
            logins = (await self._client.call("/logins/list"))["logins"]
            request["loginId"] = _login_id(self._options, logins, self._options.login)
        started = await self._client.call(
            "/workflows/execute", {"workflowId": self._workflow["id"], **request}
        )
        execution_id = started["execution"]["id"]
        try:
            return await self._follow(execution_id)
        except asyncio.CancelledError:
            with suppress(Exception):  # it may have ended by itself, and the interruption is what counts
                await asyncio.shield(self._client.call("/executions/cancel", {"id": execution_id}))
            raise

    async def _follow(self, execution_id: str) -> int:
        picture: str | None = None
        with RunView(self._console, self._workflow["blocks"]) as view:
            is_shown = not self._options.watch
            async for event in self._client.follow(execution_id):
                view.event(event)
                if event["type"] == "block.failed":
                    picture = event["screenshotUrl"] or picture
                if event["type"] == "browser.opened" and not is_shown:
                    is_shown = True
                    await self._watch(execution_id, view)
        await self._keep_recording(execution_id)
        try:
            done = await self._client.wait(execution_id)
        except ExecutionFailed as failed:
            await self._show_failure(failed.execution, picture)
            return _FAILED
        await self._show(done.data, [file.info for file in done.files])
        return 0

    async def _watch(self, execution_id: str, view: RunView) -> None:
        execution = (await self._client.call("/executions/get", {"id": execution_id}))["execution"]
        if (url := execution["liveViewUrl"]) and not open_in_browser(url):
            view.say(f"Live view: {url}")

    async def _keep_recording(self, execution_id: str) -> None:
        if (folder := self._options.record) is None:
            return
        files = (await self._client.call("/files/list", {"executionId": execution_id}))["files"]
        for info in (info for info in files if info["name"] == recordings.FILE_NAME):
            with tempfile.TemporaryDirectory() as temporary:
                file = Path(temporary) / info["name"]
                await self._client.download(info["downloadUrl"], file)
                recordings.unpack(file, folder)
            self._console.print(f"Recording: {folder}", markup=False, soft_wrap=True)

    async def _show(self, execution: Json, files: list[Json]) -> None:
        seconds = execution["durationMs"] / 1000
        self._console.print("[green]Completed[/green]", end=" ")
        summary = printable(execution["summary"])
        self._console.print(f"in {seconds:.1f} s: {summary}", markup=False, soft_wrap=True)
        for info in files:
            kept = await self._save(info) if self._options.save else info["name"]
            self._console.print(printable(f"File: {kept}"), markup=False, soft_wrap=True)
        self._print(execution)

    async def _show_failure(self, execution: Json, picture: str | None) -> None:
        self._console.print("[red]Failed[/red]", end=" ")
        self._console.print(printable(execution["errorAnalysis"]), markup=False, soft_wrap=True)
        if picture is not None:
            target = self._picture_path()
            await self._client.download(picture, target)
            self._console.print(f"Picture: {target}", markup=False, soft_wrap=True)
        self._print(execution)

    def _print(self, execution: Json) -> None:
        if self._options.as_json:
            typer.echo(msgspec.json.encode(execution).decode())
        elif execution["status"] == "Completed":
            typer.echo(msgspec.json.format(msgspec.json.encode(execution["response"])).decode())

    async def _save(self, info: Json) -> Path:
        folder = self._options.save or Path()
        folder.mkdir(parents=True, exist_ok=True)
        # only the last part: a name from a page must not lead out of the folder
        target = folder / (Path(info["name"]).name or info["id"])
        if target.exists():
            target = folder / f"{info['id']}-{target.name}"
        await self._client.download(info["downloadUrl"], target)
        return target

    def _picture_path(self) -> Path:
        file = self._options.file
        name = file.name.split(".")[0] if file else _UNSAFE.sub("-", self._workflow["name"])
        folder = self._options.save or (file.parent if file else Path())
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{name}.failure.jpg"

    def _say(self, message: str) -> None:
        self._console.print(message, markup=False)


@dataclass(slots=True, frozen=True)
class GivenParams:
    """The params of a command line: `-p NAME=VALUE`, and a file with all of them."""

    texts: Sequence[str]
    file: Path | None

    async def read(self, client: AsyncPagehand, workflow: Json, say: Callable[[str], None]) -> Json:
        """The params for a workflow; files that it takes are uploaded."""
        params = _params_in(self.file) if self.file else {}
        declared = {one["name"]: one.get("type") for one in workflow["parameters"]}
        for given in self.texts:
            name, separator, text = given.partition("=")
            if not separator or not name:
                raise InvalidRequest(f"`-p {given}`: expected NAME=VALUE.")
            if declared and name not in declared:
                known = ", ".join(f"`{one}`" for one in declared)
                say(f"The workflow declares no parameter `{name}`; it has {known}.")
            params[name] = await _value(client, name, text, declared.get(name))
        return params


async def _value(client: AsyncPagehand, name: str, text: str, kind: str | None) -> Any:
    if kind == "file" and _is_file(text):
        return (await client.upload(text))["id"]
    if kind in ("number", "boolean", "object", "array"):
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError as error:
            raise InvalidRequest(f"`-p {name}`: expected a {kind} as JSON, got `{text}`.") from error
    return text


def _is_file(path: str) -> bool:
    """Whether a file is there; ids of stored files are none."""
    return Path(path).is_file()


def _params_in(file: Path) -> Json:
    try:
        params = msgspec.json.decode(read_text(file))
    except msgspec.DecodeError as error:
        raise InvalidRequest(f"{file}: this is not JSON: {error}.") from error
    if not is_object(params):
        raise InvalidRequest(f"{file}: expected an object of params.")
    return params
