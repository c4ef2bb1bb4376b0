"""The commands for what the service keeps: workflows, executions, logins, schedules, webhooks, files."""
# ruff: noqa: PLC0415 - as in `commands.py`: help must be answered without loading what a command works with

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pagehand.cli.commands import app, group
from pagehand.cli.workflow_commands import AsJson, GivenParam, Key, LoginName, ParamsFile, Url

if TYPE_CHECKING:
    from pagehand.cli.resources import Connection

Name = Annotated[str, typer.Argument(help="Its name or id.")]
Id = Annotated[str, typer.Argument(help="Its id.")]
Workflow = Annotated[str, typer.Option("--workflow", help="Name of the workflow.")]


def _connection(url: str | None, key: str | None, as_json: bool) -> "Connection":
    from pagehand.cli.resources import Connection

    return Connection(url, key, as_json=as_json)


workflows = group("workflows", "List, show and delete workflows.")
executions = group("executions", "List, show, follow, repeat and cancel executions.")
logins = group("logins", "List, add and test logins.")
schedules = group("schedules", "List, add, remove and run schedules.")
webhooks = group("webhooks", "List, add and test webhooks.")
files = group("files", "Store and fetch files.")
batches = group("batches", "Run a workflow for every row of a sheet.")


@workflows.command("list")
def list_workflows(as_json: AsJson = False, url: Url = None, key: Key = None) -> None:
    """List the workflows."""
    _connection(url, key, as_json).list("workflows")


@workflows.command("get")
def get_workflow(name: Name, as_json: AsJson = False, url: Url = None, key: Key = None) -> None:
    """Show a workflow with its blocks."""
    _connection(url, key, as_json).call_named("/workflows/get", "workflow", name, "workflow")


@workflows.command("delete")
def delete_workflow(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Delete a workflow and its schedules; its executions stay."""
    if as_json and not yes:
        raise typer.BadParameter("with `--json` nobody is asked: give it, too.", param_hint="--yes")
    if not yes:
        typer.confirm(f"Delete the workflow {name}?", abort=True, err=True)
    _connection(url, key, as_json).call_named(
        "/workflows/delete", "workflow", name, "workflow", f"{name} is deleted."
    )


@executions.command("list")
def list_executions(
    workflow: Annotated[str | None, typer.Option("--workflow", help="Only those of this workflow.")] = None,
    status: Annotated[str | None, typer.Option("--status", help="Only those with this status.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many at most.")] = 20,
    as_json: AsJson = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """List executions, newest first."""
    given = {"workflowName": workflow, "status": status}
    wanted = {name: value for name, value in given.items() if value is not None}
    _connection(url, key, as_json).list("executions", limit, **wanted)


@executions.command("get")
def get_execution(execution_id: Id, as_json: AsJson = False, url: Url = None, key: Key = None) -> None:
    """Show an execution."""
    _connection(url, key, as_json).call("/executions/get", {"id": execution_id}, "execution")


@executions.command("follow")
def follow_execution(execution_id: Id, as_json: AsJson = False, url: Url = None, key: Key = None) -> None:
    """Show what an execution does until it ends; the exit status is 1 when it fails."""
    _connection(url, key, as_json).follow(execution_id)


@executions.command("retry")
def retry_execution(execution_id: Id, as_json: AsJson = False, url: Url = None, key: Key = None) -> None:
    """Run an execution again."""
    _connection(url, key, as_json).call("/executions/retry", {"id": execution_id})


@executions.command("cancel")
def cancel_execution(execution_id: Id, as_json: AsJson = False, url: Url = None, key: Key = None) -> None:
    """End an execution."""
    _connection(url, key, as_json).call(
        "/executions/cancel", {"id": execution_id}, "execution", f"{execution_id} is cancelled."
    )


@executions.command("evidence")
def fetch_evidence(
    execution_id: Id,
    to: Annotated[Path, typer.Option("--to", help="The ZIP file to write.")],
    as_json: AsJson = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Write everything about an execution into a ZIP file."""
    _connection(url, key, as_json).download("/executions/evidence", to, {"id": execution_id})


@logins.command("list")
def list_logins(as_json: AsJson = False, url: Url = None, key: Key = None) -> None:
    """List the logins."""
    _connection(url, key, as_json).list("logins")


@logins.command("add")
def add_login(
    name: Annotated[str, typer.Argument(help="What to call it.")],
    site: Annotated[str, typer.Option("--site", help="Address of the page to sign in on.")],
    username: Annotated[str, typer.Option("--username", help="The account.")],
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password from standard input.")
    ] = False,
    as_json: AsJson = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Store a login."""
    if not password_stdin:
        # as an option the password would stand in the list of processes
        raise typer.BadParameter("give the password on standard input.", param_hint="--password-stdin")
    _connection(url, key, as_json).add_login(name, site, username)


@logins.command("test")
def try_login(name: Name, as_json: AsJson = False, url: Url = None, key: Key = None) -> None:
    """Sign in with a login and say whether that works; ends with 1 if it does not."""
    _connection(url, key, as_json).try_login(name)


@schedules.command("list")
def list_schedules(as_json: AsJson = False, url: Url = None, key: Key = None) -> None:
    """List the schedules."""
    _connection(url, key, as_json).list("schedules")


@schedules.command("add")
def add_schedule(
    workflow: Workflow,
    cron: Annotated[str, typer.Option("--cron", help="When, as five fields of cron.")],
    time_zone: Annotated[str, typer.Option("--time-zone", help="Such as Europe/Berlin.")] = "UTC",
    name: Annotated[str | None, typer.Option("--name", help="What to call it.")] = None,
    param: GivenParam = None,
    params: ParamsFile = None,
    login: LoginName = None,
    catch_up: Annotated[
        Literal["none", "latest", "all"],
        typer.Option("--catch-up", help="Which of the times to run that passed while no service ran."),
    ] = "none",
    overlap: Annotated[
        Literal["skip", "queue"],
        typer.Option("--overlap", help="What to do at a time when an earlier execution is still running."),
    ] = "skip",
    look: Annotated[
        bool, typer.Option("--look", help="Look for the elements of the workflow instead of running it.")
    ] = False,
    as_json: AsJson = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Start a workflow at set times."""
    fields = {"cron": cron, "timeZone": time_zone, "catchUp": catch_up, "overlap": overlap, "look": look}
    named = fields if name is None else {**fields, "name": name}
    _connection(url, key, as_json).add_schedule(workflow, named, param or [], params, login)


@schedules.command("remove")
def remove_schedule(name: Name, as_json: AsJson = False, url: Url = None, key: Key = None) -> None:
    """Remove a schedule."""
    _connection(url, key, as_json).call_named(
        "/schedules/delete", "schedule", name, message=f"{name} is removed."
    )


@schedules.command("run")
def run_schedule(name: Name, as_json: AsJson = False, url: Url = None, key: Key = None) -> None:
    """Start what a schedule starts, now."""
    _connection(url, key, as_json).call_named("/schedules/run", "schedule", name)


@webhooks.command("list")
def list_webhooks(as_json: AsJson = False, url: Url = None, key: Key = None) -> None:
    """List the webhooks."""
    _connection(url, key, as_json).list("webhooks")


@webhooks.command("add")
def add_webhook(
    target: Annotated[str, typer.Argument(metavar="URL", help="Where to send events.")],
    events: Annotated[str, typer.Option("--events", help="Which, with commas between.")],
    format_: Annotated[
        str, typer.Option("--format", help="`pagehand`, `slack`, `teams`, or `mail` for a mailto: URL.")
    ] = "pagehand",
    as_json: AsJson = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Send events to a URL; shows the secret that signs them, once."""
    wanted = [name.strip() for name in events.split(",") if name.strip()]
    fields = {"url": target, "events": wanted, "format": format_}
    _connection(url, key, as_json).call("/webhooks/create", fields)


@webhooks.command("test")
def try_webhook(webhook_id: Id, as_json: AsJson = False, url: Url = None, key: Key = None) -> None:
    """Send a test event; ends with 1 if it is not accepted."""
    _connection(url, key, as_json).try_webhook(webhook_id)


@files.command("put")
def put_file(
    path: Annotated[Path, typer.Argument(help="The file.")],
    as_json: AsJson = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Store a file and print its id."""
    _connection(url, key, as_json).upload(path)


@files.command("get")
def get_file(
    file_id: Id,
    to: Annotated[Path, typer.Option("--to", help="Where to write it.")],
    as_json: AsJson = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Fetch a file."""
    _connection(url, key, as_json).download(file_id, to)


@batches.command("run")
def run_batch(
    sheet: Annotated[Path, typer.Argument(metavar="FILE.csv", help="One row per execution.")],
    workflow: Workflow,
    concurrency: Annotated[int | None, typer.Option("--concurrency", help="How many at once.")] = None,
    to: Annotated[Path | None, typer.Option("--to", help="CSV file for the results.")] = None,
    as_json: AsJson = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Run a workflow for every row of a CSV file; the exit status is 1 when a row fails."""
    _connection(url, key, as_json).run_batch(sheet, workflow, concurrency, to)


@app.command("mcp")
def serve_agents(url: Url = None, key: Key = None) -> None:
    """Serve workflows as tools of agents over standard input and output (MCP)."""
    from pagehand.cli import agents

    agents.serve(url, key)
