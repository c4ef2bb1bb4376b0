"""`pagehand record`: what a person does in the live view becomes a workflow file."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import typer

from pagehand.blocks import kinds
from pagehand.cli.connection import connect_async
from pagehand.cli.embedded import embedded_service
from pagehand.cli.serve import stop_requested
from pagehand.cli.terminal import open_in_browser, printable, show
from pagehand.cli.text_files import check_target, write_text
from pagehand.client import ApiError, AsyncPagehand
from pagehand.errors import InvalidRequest
from pagehand.records import Json
from pagehand.settings import Settings
from pagehand.workflow_files.writing import write_file

_SUFFIX = ".workflow.yaml"


def record(page: str, to: Path, settings: Settings, *, allow: Sequence[str], as_json: bool) -> None:
    """Record from the page at an address on, until interrupted; then write the file."""
    if not to.name.endswith(_SUFFIX):
        raise InvalidRequest(f"`--to {to}`: expected a name that ends in `{_SUFFIX}`.")
    check_target(to)  # said before somebody works for it
    blocks = asyncio.run(_record(page, to, settings, allow))
    shown = {"file": str(to), "blocks": blocks}
    show(shown, f"{to}: {blocks} blocks", as_json=as_json)


async def _record(page: str, to: Path, settings: Settings, allow: Sequence[str]) -> int:
    async with embedded_service(settings, allow) as url, connect_async(url, None) as client:
        name = to.name.removesuffix(_SUFFIX)
        workflow = (await client.call("/workflows/create", {"name": name, "blocks": []}))["workflow"]
        session = (await client.call("/liveSessions/open", {"workflowId": workflow["id"]}))["execution"]
        session_id: str = session["id"]
        await client.call("/liveSessions/describe", {"id": session_id, "url": page})
        await client.call("/liveSessions/record", {"id": session_id, "isOn": True, "withAddress": True})
        _show(session["liveViewUrl"])
        blocks = await _until_stopped(client, session_id)
        await client.call("/workflows/update", {"id": workflow["id"], "blocks": blocks})
        portable = (await client.call("/workflows/export", {"id": workflow["id"]}))["workflow"]
        write_text(to, write_file(portable, kinds()))
        return len(blocks)


def _show(live_view: str) -> None:
    """Open the live view where there is a screen; its address is shown in any case."""
    open_in_browser(live_view)
    typer.echo(f"Live view: {live_view}\nRecording what is done there; Ctrl-C ends it.", err=True)


async def _until_stopped(client: AsyncPagehand, session_id: str) -> list[Json]:
    recorded: dict[int, Json] = {}
    stop = stop_requested()
    collecting = asyncio.create_task(_collect(client, session_id, recorded))
    await asyncio.wait([stop, collecting], return_when=asyncio.FIRST_COMPLETED)
    if not collecting.done():
        collecting.cancel()
        await asyncio.wait([collecting])
        await client.call("/liveSessions/record", {"id": session_id, "isOn": False})
        # what is typed last becomes a block only when the recording ends
        last = await client.call("/liveSessions/recorded", {"id": session_id})
        recorded |= {one["number"]: one["block"] for one in last["blocks"]}
    return [recorded[number] for number in sorted(recorded)]


async def _collect(client: AsyncPagehand, session_id: str, recorded: dict[int, Json]) -> None:
    """Show and keep each block as it is recorded, until the live session ends."""
    after = 0
    while True:
        try:
            answer = await client.call("/liveSessions/recorded", {"id": session_id, "after": after})
        except ApiError as ended:
            typer.echo(str(ended), err=True)
            return
        for one in answer["blocks"]:
            if one["number"] not in recorded:
                block = one["block"]
                typer.echo(printable(f"  {block.get('name') or block['type']}"), err=True)
            recorded[one["number"]], after = one["block"], max(after, one["revision"])
