"""The files of one execution: found however they are named, kept within the claim, chosen by place."""

from typing import Any

import pytest

from pagehand.clock import now_ms
from pagehand.engine.run.files import Downloads, ExecutionFiles
from pagehand.errors import BadData, BlockFailed, WorkerLost
from pagehand.knowledge import KnowledgeBase
from pagehand.records import DownloadState, Execution, FileInfo
from pagehand.testing import Harness

pytestmark = pytest.mark.anyio


async def _ignored(_: DownloadState) -> None: ...


def files_of(
    harness: Harness, execution: Execution, *, knowledge: KnowledgeBase | None = None
) -> tuple[ExecutionFiles, Downloads]:
    services, downloads = harness.services, Downloads(_ignored)
    files = ExecutionFiles(
        execution,
        services.stores.files,
        services.file_bytes,
        services.describe_file,
        downloads,
        knowledge,
    )
    return files, downloads


@pytest.fixture
async def execution(harness: Harness) -> Execution:
    made = await harness.accept(await harness.add_workflow({"type": "Wait", "data": {"durationMs": 1}}))
    claimed = await harness.stores.executions.claim(made.id, at=now_ms(), token="mine")
    assert claimed is not None
    return claimed


async def test_a_file_is_found_by_its_id_its_info_and_outputs_of_blocks(
    harness: Harness, execution: Execution
) -> None:
    files, _ = files_of(harness, execution)
    info = await files.save("a.csv", "text/csv", b"a;b")
    shown = files.describe(info)
    references: list[Any] = [info.id, shown, [info.id], [shown], {"data": shown}, {"file": shown, "pages": 2}]
    for reference in references:
        assert (await files.find(reference)).id == info.id
    assert await files.read(info) == b"a;b"


@pytest.mark.parametrize("reference", [None, "", 7, [], ["a", "b"], {"name": "a.csv"}, {"id": 5}])
async def test_what_names_no_file_is_refused_with_what_was_expected(
    harness: Harness, execution: Execution, reference: Any
) -> None:
    files, _ = files_of(harness, execution)
    with pytest.raises(BadData, match="A file was expected"):
        await files.find(reference)


async def test_a_file_of_another_organization_is_not_there(harness: Harness, execution: Execution) -> None:
    other = await harness.stores.organizations.ensure("Other")
    theirs = FileInfo("file_x", other.id, None, "x.csv", "text/csv", 1, f"{other.id}/x", 1)
    await harness.stores.files.add(theirs)
    files, _ = files_of(harness, execution)
    with pytest.raises(BadData, match="no file `file_x` in this organization"):
        await files.find(theirs.id)


@pytest.mark.parametrize(
    ("name", "given", "mime_type"),
    [
        ("a.pdf", "", "application/pdf"),
        ("a.unknown-kind", "", "application/octet-stream"),
        ("a.pdf", "text/plain", "text/plain"),
    ],
)
async def test_a_file_without_a_type_gets_one_by_its_name(
    harness: Harness, execution: Execution, name: str, given: str, mime_type: str
) -> None:
    files, _ = files_of(harness, execution)
    assert (await files.save(name, given, b"x")).mime_type == mime_type


async def test_a_run_that_lost_its_claim_leaves_no_file_behind(
    harness: Harness, execution: Execution
) -> None:
    files, _ = files_of(harness, execution)
    execution.fence += 1  # what it believes to hold is not what the row says
    with pytest.raises(WorkerLost):
        await files.save("a.csv", "text/csv", b"a;b")
    assert harness.file_store.content == {}
    found, total = await harness.stores.files.list(
        harness.organization_id, execution_id=execution.id, limit=9, offset=0
    )
    assert (found, total) == ([], 0)


async def test_downloads_are_chosen_newest_first_and_files_of_the_organization_all(
    harness: Harness, execution: Execution
) -> None:
    files, downloads = files_of(harness, execution)
    assert await files.choices("downloads", "") == []
    kept = [await files.save(f"{number}.csv", "text/csv", b"x") for number in range(3)]
    for info in kept[:2]:
        await downloads.add(info)
    chosen = await files.choices("downloads", "ignored")
    assert [info.name for info in chosen] == ["1.csv", "0.csv"]
    assert {info.name for info in await files.choices("files", "")} == {"0.csv", "1.csv", "2.csv"}


async def test_files_of_the_knowledge_base_are_chosen_by_what_they_say(
    harness: Harness, execution: Execution
) -> None:
    files, _ = files_of(harness, execution, knowledge=harness.knowledge)
    for name, text in [("trips.txt", b"Hotels cost up to 90 euros."), ("tax.txt", b"Forms are due in May.")]:
        described = await harness.add_file(name, text, "text/plain")
        await harness.knowledge.add_file(harness.organization_id, name, described["id"], [])
    assert [info.name for info in await files.choices("knowledge", "hotels euros")][:1] == ["trips.txt"]
    assert len(await files.choices("knowledge", "")) == 2
    without, _ = files_of(harness, execution)
    with pytest.raises(BlockFailed, match="no knowledge base"):
        await without.choices("knowledge", "")
