"""A workflow of the service as a script for another tool."""

from pathlib import Path

import typer

from pagehand.blocks import kinds
from pagehand.cli.connection import all_of, connect, one_named
from pagehand.cli.terminal import printable, show
from pagehand.cli.text_files import check_target, write_text
from pagehand.errors import InvalidRequest
from pagehand.exports import playwright_script
from pagehand.records import Json


def export_script(names: list[str], to: Path, *, as_json: bool, url: str | None, key: str | None) -> None:
    """Write a script for Playwright; what it cannot do is listed on standard error."""
    if len(names) != 1 or to.suffix != ".py":
        raise InvalidRequest("`export --as playwright` takes one NAME, and `--to FILE.py`.")
    check_target(to)
    with connect(url, key) as client:
        found = one_named(all_of(client, "workflows"), names[0], "workflow")
        workflow = client.call("/workflows/export", {"id": found["id"]})["workflow"]
        logins = {login["id"]: login for login in all_of(client, "logins")}
    script, left_out = playwright_script(workflow, kinds(), lambda login_id: _login(logins.get(login_id)))
    write_text(to, script)
    for reason in left_out:
        typer.echo(printable(f"not exported: {reason}"), err=True)
    shown = {"file": str(to), "workflow": workflow["name"], "notExported": left_out}
    show(shown, str(to), as_json=as_json)


def _login(login: Json | None) -> Json | None:
    if login is None:
        return None
    username = login["loginConfiguration"].get("username") or ""
    return {
        "name": login["name"],
        "username": username,
        "url": login["authenticationUrl"] or login["homeUrl"],
    }
