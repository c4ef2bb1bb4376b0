"""Every example runs, in the service that `pagehand run` embeds, and is written as export writes it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pagehand.blocks import kinds
from pagehand.cli.checking import check_file
from pagehand.cli.embedded import embedded_service
from pagehand.client import AsyncExecution, AsyncPagehand
from pagehand.settings import Settings
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow_files.writing import write_file

pytestmark = pytest.mark.anyio
FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.workflow.yaml"))


@pytest.fixture(scope="module")
async def client(anyio_backend: str) -> AsyncIterator[AsyncPagehand]:
    assert anyio_backend == "asyncio"
    async with embedded_service(Settings(demo_port=0)) as url, AsyncPagehand(url) as client:
        yield client


async def run(client: AsyncPagehand, name: str, **params: Any) -> AsyncExecution:
    logins = {login["name"]: login["id"] for login in (await client.call("/logins/list"))["logins"]}
    text = (FOLDER / f"{name}.workflow.yaml").read_text()
    checked = check_file(text, kinds(), logins.__getitem__)
    assert checked.warnings == []
    applied = await client.call("/workflows/apply", checked.definition)
    return await client.run(applied["workflow"]["id"], params)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name.split(".")[0])
def test_an_example_is_written_as_export_writes_it(file: Path) -> None:
    definition = check_file(file.read_text(), kinds()).definition
    workflow = {**definition, "blocks": tree.to_json(parse_blocks(definition["blocks"], kinds()))}
    assert write_file(workflow, kinds(), str) == file.read_text()


@pytest.mark.slow
async def test_open_claims_are_read_from_every_page(client: AsyncPagehand) -> None:
    done = await run(client, "open-claims")
    assert len(done.response["output"]) > 3
    assert {claim["status"] for claim in done.response["output"]} == {"Open"}


@pytest.mark.slow
async def test_the_letter_of_a_claim_is_downloaded_and_read(client: AsyncPagehand, tmp_path: Path) -> None:
    done = await run(client, "claim-letter")
    assert "claim" in done.response["text"].lower()
    [letter] = [file for file in done.files if file.name.endswith(".pdf")]
    assert (await letter.save(tmp_path)).read_bytes().startswith(b"%PDF")


@pytest.mark.slow
async def test_the_letters_of_several_claims_are_read(client: AsyncPagehand) -> None:
    letters = (await run(client, "open-letters", most=2)).response["output"]
    assert len({letter["text"]["text"] for letter in letters}) == 2


@pytest.mark.slow
async def test_a_claim_is_submitted_with_its_parameters(client: AsyncPagehand) -> None:
    done = await run(client, "new-claim", holder="Grace Hopper")
    found = await run(client, "check-claim", words="Grace Hopper")
    assert found.response == {"claim": done.response["output"]}


@pytest.mark.slow
async def test_what_is_not_there_is_said(client: AsyncPagehand) -> None:
    assert (await run(client, "check-claim")).response["output"] == "No claim fits."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "file"), [("claims-spreadsheet", "claims.csv"), ("claims-as-pdf", "claims.pdf")]
)
async def test_files_are_made(client: AsyncPagehand, name: str, file: str, tmp_path: Path) -> None:
    done = await run(client, name)
    [made] = [item for item in done.files if item.name == file]
    assert (await made.save(tmp_path / file)).stat().st_size > 100
    assert "block.finished" in {event["type"] for event in await done.events()}
