"""`pagehand replay` and `pagehand test`: workflows against recordings, without the sites they are of."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import msgspec
import typer

from pagehand.blocks import kinds
from pagehand.cli.checking import check_file
from pagehand.cli.connection import all_of, connect, connect_async, one_named
from pagehand.cli.embedded import embedded_service
from pagehand.cli.files import SUFFIXES, checked, files_in
from pagehand.cli.terminal import printable
from pagehand.cli.text_files import check_target, read_text
from pagehand.client import AsyncPagehand, ExecutionFailed
from pagehand.errors import InvalidRequest, UserMistake
from pagehand.recordings import recording as recordings
from pagehand.recordings.recording import RecordedLogin, Recording, Step, first_difference
from pagehand.recordings.server import Playback, recorded_network
from pagehand.records import Json
from pagehand.settings import Settings
from pagehand.workflow import tree
from pagehand.workflow_files.writing import write_file

_RECORDING_SUFFIXES: Final = (".recording", ".recording.zip")
_SHOWN_MISSING: Final = 5
_TIMEOUT_SECONDS: Final = 300
_PLACEHOLDER: Final = "recorded"
_CODE_SEED: Final = "JBSWY3DPEHPK3PXP"


@dataclass(slots=True)
class Outcome:
    """How a workflow met its recording."""

    file: str
    recording: str
    seconds: float
    blocks: int
    difference: str = ""
    """The first block that differs, and how; empty when all is as recorded."""
    missing: list[str] = field(default_factory=list[str])
    """Requests that the recording has no answer to."""


def replay(
    target: str, recording: Path, settings: Settings, *, as_json: bool, url: str | None, key: str | None
) -> None:
    """Run a workflow against a recording; ends with 1 when something differs."""
    file = Path(target)
    definition = _file_text(file) if file.name.endswith(SUFFIXES) or file.is_file() else None
    text = _exported(target, url, key) if definition is None else definition
    outcome = asyncio.run(_replay_all([_Case(target, text, recording)], settings))[0]
    _show(outcome, as_json=as_json)
    raise typer.Exit(1 if outcome.difference else 0)


def test(paths: Sequence[Path], settings: Settings, *, junit: Path | None, as_json: bool) -> None:
    """Run every workflow file that has recordings beside it; ends with 1 when one differs."""
    if junit is not None:
        check_target(junit)
    cases = [
        _Case(str(file), _file_text(file), found)
        for file in files_in(paths)
        for found in _recordings_of(file)
    ]
    if not cases:
        raise InvalidRequest(
            "there is no recording: `NAME.workflow.yaml` needs `NAME.recording` or `NAME.recording.zip` "
            "beside it."
        )
    outcomes = asyncio.run(_replay_all(cases, settings))
    for outcome in outcomes:
        _show(outcome, as_json=as_json)
    if junit is not None:
        junit.write_bytes(_junit(outcomes))
    failed = sum(bool(outcome.difference) for outcome in outcomes)
    typer.echo(f"{len(outcomes) - failed} of {len(outcomes)} as recorded.", err=True)
    raise typer.Exit(1 if failed else 0)


@dataclass(slots=True, frozen=True)
class _Case:
    """A workflow and a recording of it."""

    name: str
    text: str
    recording: Path


def _recordings_of(file: Path) -> Iterator[Path]:
    """`NAME.recording`, `NAME.recording.zip`, and several as `NAME.WORD.recording`."""
    stem = next(
        (file.name.removesuffix(suffix) for suffix in SUFFIXES if file.name.endswith(suffix)), file.stem
    )
    for found in sorted(file.parent.iterdir()):
        ending = next((end for end in _RECORDING_SUFFIXES if found.name.endswith(end)), "")
        name = found.name.removesuffix(ending)
        if ending and (name == stem or name.startswith(f"{stem}.")):
            yield found


def _file_text(file: Path) -> str:
    text = read_text(file)
    checked(file)  # what is wrong with it is said before anything is started
    return text


def _exported(name: str, url: str | None, key: str | None) -> str:
    """A workflow of the service as a file."""
    with connect(url, key) as client:
        found = one_named(all_of(client, "workflows"), name, "workflow")
        names = {login["id"]: login["name"] for login in all_of(client, "logins")}
        portable = client.call("/workflows/export", {"id": found["id"]})["workflow"]
    return write_file(portable, kinds(), names.get)


async def _replay_all(cases: Sequence[_Case], settings: Settings) -> list[Outcome]:
    read = [(case, *recordings.read(case.recording)) for case in cases]
    playback = Playback()
    needs_browser = any(recording.exchanges for _, recording, _ in read)
    async with _service(playback, settings, needs_browser=needs_browser) as client:
        outcomes: list[Outcome] = []
        for case, recording, bodies in read:
            playback.load(recording.exchanges, bodies)
            outcomes.append(await _replay(case, recording, playback, client))
        return outcomes


@asynccontextmanager
async def _service(
    playback: Playback, settings: Settings, *, needs_browser: bool
) -> AsyncGenerator[AsyncPagehand]:
    async with recorded_network(playback) as network:
        # of this process alone: the HTTP client of API blocks trusts the recording's certificates
        os.environ["SSL_CERT_FILE"] = str(network.trusted)
        service = embedded_service(settings, recorded=network, needs_browser=needs_browser)
        async with service as url, connect_async(url, None) as client:
            yield client


async def _replay(case: _Case, recording: Recording, playback: Playback, client: AsyncPagehand) -> Outcome:
    began = time.monotonic()
    workflow = await _create(case, recording, client)
    request = {"workflowId": workflow["id"], "params": recording.params, "timeout": _TIMEOUT_SECONDS}
    started = await client.call("/workflows/execute", {**request, "useProxy": True})
    names = {block.block_reference_id: block.name for block in tree.walk(tree.from_json(workflow["blocks"]))}
    steps = [step async for step in _steps(client, started["execution"]["id"], names)]
    try:
        execution = (await client.wait(started["execution"]["id"])).data
    except ExecutionFailed as failed:
        execution = failed.execution
    now = Recording(
        workflow=recording.workflow,
        status=execution["status"],
        response=execution["response"],
        steps=steps,
    )
    difference = first_difference(recording, now)
    if difference and execution["status"] == "Failed":
        difference = f"{difference}\n{execution['errorAnalysis']}"
    return Outcome(
        *(case.name, str(case.recording), time.monotonic() - began, len(steps)),
        difference=difference,
        missing=playback.answers.missing,
    )


async def _steps(client: AsyncPagehand, execution_id: str, names: Mapping[str, str]) -> AsyncGenerator[Step]:
    async for event in client.follow(execution_id):
        if event["type"] in ("block.finished", "block.failed"):
            block = event["blockReferenceId"]
            yield Step(block, names.get(block, block), failed=event["type"] == "block.failed")


async def _create(case: _Case, recording: Recording, client: AsyncPagehand) -> Json:
    """The workflow in the embedded service, with logins that have nothing but their addresses."""
    logins = {login.name: await _login(client, login) for login in recording.logins}

    def login_id(name: str) -> str:
        if name not in logins:
            raise UserMistake(f"{case.name}: the recording has no login `{name}`: record it again.")
        return logins[name]

    definition = check_file(case.text, kinds(), login_id).definition
    # the outputs of all blocks are compared, not the answer that is made of them
    definition.pop("output", None)
    return (await client.call("/workflows/create", definition))["workflow"]


async def _login(client: AsyncPagehand, login: RecordedLogin) -> str:
    fields = {
        "name": login.name,
        "authenticationUrl": login.authentication_url,
        "homeUrl": login.home_url,
        "loginConfiguration": {
            "username": _PLACEHOLDER,
            "password": _PLACEHOLDER,
            "twoFactorAuthConfiguration": {"method": "TOTP", "totpSecretKey": _CODE_SEED},
        },
    }
    return (await client.call("/logins/create", fields))["login"]["id"]


def _show(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        typer.echo(msgspec.json.encode(asdict(outcome)).decode())
        return
    verdict = printable(outcome.difference) or f"as recorded: {outcome.blocks} blocks"
    typer.echo(f"{outcome.file}: {verdict} ({outcome.seconds:.1f} s)")
    if outcome.difference:
        for asked in outcome.missing[:_SHOWN_MISSING]:
            typer.echo(f"  not in the recording: {printable(asked)}")


def _junit(outcomes: Sequence[Outcome]) -> bytes:
    failed = sum(bool(outcome.difference) for outcome in outcomes)
    suite = ET.Element(
        "testsuite", name="pagehand", tests=str(len(outcomes)), failures=str(failed), errors="0"
    )
    for outcome in outcomes:
        case = ET.SubElement(
            *(suite, "testcase"),
            classname=outcome.file,
            name=Path(outcome.recording).name,
            time=f"{outcome.seconds:.3f}",
        )
        if outcome.difference:
            message = printable(outcome.difference)
            ET.SubElement(case, "failure", message=message.splitlines()[0]).text = message
    return ET.tostring(suite, encoding="utf-8", xml_declaration=True)
