"""`pagehand look`: says which elements of workflows would no longer be found, before a run fails."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Final

import typer

from pagehand.cli.connection import all_of, connect, one_named
from pagehand.cli.terminal import printable, show
from pagehand.cli.text_files import check_folder, file_stem
from pagehand.client import ApiError, ExecutionFailed, Pagehand
from pagehand.errors import InvalidRequest
from pagehand.records import Json

_HEAD: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Early warning</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem }
.pictures { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem }
figure { margin: 0 } img { width: 100%; border: 1px solid #999 } li { margin: .3rem 0 }
.wouldBreak { color: #b00020; font-weight: 600 } .wouldHeal, .moved { color: #8a5300 }
.notSeen { color: #555 }
</style>
<h1>Early warning</h1>
"""


def write_report(client: Pagehand, looks: Sequence[Json], folder: Path) -> Path:
    """Write `index.html` and its pictures into a folder; where it is."""
    folder.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    parts = [
        part for look in looks for part in _workflow(client, look, folder, file_stem(look["workflow"], taken))
    ]
    target = folder / "index.html"
    target.write_text(_HEAD + "\n".join(parts), encoding="utf-8")
    return target


def _workflow(client: Pagehand, result: Json, folder: Path, stem: str) -> Iterator[str]:
    yield f"<h2>{escape(result['workflow'])}</h2>"
    if note := result["problem"] or result["skipped"]:
        yield f"<p>{escape(note)}</p>"
    if (look := result["look"]) is None:
        return
    yield from (f"<p class=moved>{escape(_change(change))}</p>" for change in look["changes"])
    then, now = _pictures(client, look["executionId"]), _pictures(client, result["execution"])
    for number, page in enumerate(look["pages"], 1):
        yield f"<h3>{escape(page['url'])}</h3><p class={page['status']}>{escape(page['message'])}</p>"
        yield "<div class=pictures>"
        for title, pictures, event in (("Then", then, page["before"]), ("Now", now, page["now"])):
            if address := pictures.get(event):
                name = f"{stem}-{number}-{title.lower()}.jpg"
                client.download(address, folder / name)
                yield f'<figure><figcaption>{title}</figcaption><img src="{name}" alt="{title}"></figure>'
        yield "</div>"
        yield from _elements(element for element in look["elements"] if element["url"] == page["url"])
    if stop := look["stoppedAt"]:
        yield f"<p>Nothing behind “{escape(stop['name'])}” was looked at: {escape(stop['why'])}.</p>"


def _elements(elements: Iterator[Json]) -> Iterator[str]:
    yield "<ul>"
    for element in elements:
        located = ", ".join(f"{name} {value}" for name, value in element["locator"].items())
        # what has moved it is said above, once for all that moved with it
        message = WORDS["moved"] if element["status"] == "moved" else element["message"] or "as before"
        said = f"{element['name']} ({located}): {message}"
        yield f"<li class={element['status']}>{escape(said)}</li>"
    yield "</ul>"


def _pictures(client: Pagehand, execution_id: str) -> dict[int | None, str]:
    """The addresses of an execution's pictures, by the numbers of their events."""
    found: dict[int | None, str] = {}
    offset = 0
    while True:
        answer = client.call("/executions/events", {"id": execution_id, "offset": offset})
        found |= {
            event["seq"]: event["screenshotUrl"] for event in answer["events"] if event["screenshotUrl"]
        }
        offset += len(answer["events"])
        if offset >= answer["total"] or not answer["events"]:
            return found


WORDS: Final = {
    "asBefore": "as before",
    "moved": "moved",
    "wouldHeal": "would heal",
    "wouldBreak": "would break",
    "notSeen": "not seen",
}
_NAMED: Final = 3
_CONFLICT: Final = 409
_INTERRUPTED: Final = 130


def look(
    names: Sequence[str], *, every: bool, report: Path | None, as_json: bool, url: str | None, key: str | None
) -> None:
    """Look at workflows, one after the other; ends with 1 if one of them would fail."""
    if every == bool(names):
        raise InvalidRequest("name the workflows to look at, or give `--all`.")
    if report is not None:
        check_folder(report)
    with connect(url, key) as client:
        known = all_of(client, "workflows")
        wanted = known if every else [one_named(known, name, "workflow") for name in names]
        looks: list[Json] = []
        for workflow in wanted:
            looks.append(_look(client, workflow, skips=every))
            show(looks[-1], printable("\n".join(_lines(looks[-1]))), as_json=as_json)
        if report is not None:
            typer.echo(f"The report is in {write_report(client, looks, report)}.", err=True)
    raise typer.Exit(1 if any(one["problem"] for one in looks) else 0)


def _count(look: Json, status: str) -> str:
    count, changes = look["counts"][status], len(look["changes"])
    said = f"{count} {WORDS[status]}"
    is_shared = status == "moved" and changes < count
    return f"{said} by {changes} {'change' if changes == 1 else 'changes'}" if is_shared else said


def _change(change: Json) -> str:
    """What has moved elements: said once, however many they are."""
    names = [f"“{name}”" for name in change["blocks"]]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"  moved: {', '.join(names[:_NAMED])}{more}: {change['message']}"


def _look(client: Pagehand, workflow: Json, *, skips: bool) -> Json:
    """What was found; with `skips`, a workflow that never completed is no mistake."""
    result: Json = {
        "workflow": workflow["name"],
        "execution": None,
        "look": None,
        "problem": "",
        "skipped": "",
    }
    try:
        started = client.call("/workflows/execute", {"workflowId": workflow["id"], "look": True})["execution"]
    except ApiError as error:
        if not skips or error.status != _CONFLICT:
            raise
        return {**result, "skipped": str(error)}
    try:
        execution = client.wait(started["id"]).data
    except ExecutionFailed as failed:
        execution, result["problem"] = failed.execution, str(failed)
    except KeyboardInterrupt:
        with suppress(ApiError):  # it may have ended by itself
            client.call("/executions/cancel", {"id": started["id"]})
        raise typer.Exit(_INTERRUPTED) from None
    response: Json = execution["response"] or {}
    return {**result, "execution": execution["id"], "look": response.get("look")}


def _lines(result: Json) -> Iterator[str]:
    found = result["look"]
    if found is None:
        yield f"{result['workflow']}: {result['skipped'] or result['problem']}"
        return
    counts = ", ".join(_count(found, status) for status, count in found["counts"].items() if count)
    yield f"{result['workflow']}: {len(found['pages'])} pages; elements: {counts or 'none'}."
    for page in found["pages"]:
        if page["message"]:
            yield f"  {page['url']}: {page['message']}"
    yield from map(_change, found["changes"])
    for element in found["elements"]:
        if element["message"] and element["status"] != "moved":
            yield f"  {WORDS[element['status']]}: “{element['name']}”: {element['message']}"
    if stop := found["stoppedAt"]:
        yield f"  Nothing behind “{stop['name']}” was looked at: {stop['why']}."
