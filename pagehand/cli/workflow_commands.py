"""The commands that run workflows and keep them in files."""
# ruff: noqa: PLC0415 - as in `commands.py`: help must be answered without loading what a command works with

from pathlib import Path
from typing import Annotated, Literal

import typer

from pagehand.cli.commands import Allow, AsJson, ConfigFile, app, settings_with, start_without_collecting

Url = Annotated[
    str | None,
    typer.Option("--url", help="Address of the service; `PAGEHAND_URL`, or this machine's, without it."),
]
Key = Annotated[str | None, typer.Option("--key", help="API key; `PAGEHAND_KEY` without it.")]
GivenParam = Annotated[list[str] | None, typer.Option("-p", "--param", help="A parameter as NAME=VALUE.")]
ParamsFile = Annotated[Path | None, typer.Option("--params", help="JSON file with parameters.")]
LoginName = Annotated[str | None, typer.Option("--login", help="Name of the login to sign in with.")]
Paths = Annotated[list[Path], typer.Argument(help="Workflow files, or folders of them.")]


@app.command()
def run(
    target: Annotated[
        str, typer.Argument(metavar="FILE|NAME", help="A workflow file, or a workflow's name.")
    ],
    param: GivenParam = None,
    params: ParamsFile = None,
    login: LoginName = None,
    watch: Annotated[bool, typer.Option("--watch", help="Open the live view in a browser.")] = False,
    save: Annotated[Path | None, typer.Option("--save", help="Folder for the files that it makes.")] = None,
    record: Annotated[
        Path | None, typer.Option("--record", help="Folder for a recording, to replay without the sites.")
    ] = None,
    allow: Allow = None,
    as_json: AsJson = False,
    url: Url = None,
    key: Key = None,
    config: ConfigFile = None,
) -> None:
    """Run a workflow and show its result: a FILE without any service, a NAME on the service."""
    settings = settings_with(config)
    from pagehand.cli import running

    options = running.RunOptions(
        target=target,
        params=param or [],
        params_file=params,
        login=login,
        watch=watch,
        save=save,
        record=record,
        allow=allow or [],
        as_json=as_json,
        url=url,
        key=key,
    )
    running.run(options, settings)


@app.command()
def record(
    page: Annotated[str, typer.Argument(metavar="URL", help="The page to begin on.")],
    to: Annotated[Path, typer.Option("--to", help="The workflow file to write.")],
    allow: Allow = None,
    as_json: AsJson = False,
    config: ConfigFile = None,
) -> None:
    """Record what you do in a browser as a workflow file, until Ctrl-C; needs no service."""
    settings = settings_with(config)
    with start_without_collecting():
        from pagehand.cli import recording

    recording.record(page, to, settings, allow=allow or [], as_json=as_json)


@app.command()
def replay(
    target: Annotated[
        str, typer.Argument(metavar="FILE|NAME", help="A workflow file, or a workflow's name.")
    ],
    recording: Annotated[Path, typer.Option("--recording", help="Folder or ZIP file of a recording.")],
    as_json: AsJson = False,
    url: Url = None,
    key: Key = None,
    config: ConfigFile = None,
) -> None:
    """Run a workflow against a recording, without any network; 1 when a block differs."""
    settings = settings_with(config)
    with start_without_collecting():
        from pagehand.cli import replaying

    replaying.replay(target, recording, settings, as_json=as_json, url=url, key=key)


@app.command("test")
def replay_all(
    paths: Paths,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write the results as JUnit XML.")] = None,
    as_json: AsJson = False,
    config: ConfigFile = None,
) -> None:
    """Run workflow files against the recordings beside them, without any network; 1 when one differs."""
    settings = settings_with(config)
    with start_without_collecting():
        from pagehand.cli import replaying

    replaying.test(paths, settings, junit=junit, as_json=as_json)


@app.command()
def look(
    names: Annotated[list[str] | None, typer.Argument(help="Workflows by name.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Look at every workflow that ever completed.")] = False,
    report: Annotated[
        Path | None, typer.Option("--report", help="Folder for a page with pictures of then and now.")
    ] = None,
    as_json: AsJson = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Early warning: look for the elements of workflows without acting; 1 when a run would fail."""
    from pagehand.cli import looking

    looking.look(names or [], every=every, report=report, as_json=as_json, url=url, key=key)


@app.command()
def check(paths: Paths, as_json: AsJson = False) -> None:
    """Check workflow files without a service; the exit status is 1 when one is wrong."""
    from pagehand.cli import files

    files.check(paths, as_json=as_json)


@app.command()
def apply(
    paths: Paths,
    force: Annotated[bool, typer.Option("--force", help="Replace what was changed elsewhere, too.")] = False,
    as_json: AsJson = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Bring the service to workflow files: what they hold is created, updated or left alone."""
    from pagehand.cli import applying

    applying.apply(paths, force=force, as_json=as_json, url=url, key=key)


@app.command()
def diff(paths: Paths, as_json: AsJson = False, url: Url = None, key: Key = None) -> None:
    """Say in words what `apply` would change; the exit status is 1 when it is anything."""
    from pagehand.cli import applying

    applying.diff(paths, as_json=as_json, url=url, key=key)


@app.command()
def export(
    names: Annotated[list[str] | None, typer.Argument(help="Workflows by name; all without one.")] = None,
    to: Annotated[Path, typer.Option("--to", help="Folder for the files; the script with `--as`.")] = Path(),
    as_: Annotated[
        Literal["playwright"] | None,
        typer.Option("--as", help="Write one workflow as a Python script for Playwright."),
    ] = None,
    as_json: AsJson = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Write workflows of the service as files, or one of them as a script."""
    if as_ is not None:
        from pagehand.cli import exporting

        exporting.export_script(names or [], to, as_json=as_json, url=url, key=key)
        return
    from pagehand.cli import applying

    applying.export(names or [], to, as_json=as_json, url=url, key=key)


@app.command("import")
def import_(
    file: Annotated[
        Path,
        typer.Argument(help="A recording of Chrome's DevTools, Playwright, Selenium IDE, or Skyvern's YAML."),
    ],
    to: Annotated[Path, typer.Option("--to", help="The workflow file to write; a folder, for all tests.")],
    test: Annotated[str | None, typer.Option("--test", help="Which test, where a file has several.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a workflow file of a recording; what has no counterpart is listed, and kept as comments."""
    from pagehand.cli import importing

    importing.import_file(file, to, test, as_json=as_json)
