"""Workflows, tags, keys, logins, files, threads and events: what goes in comes out."""

import asyncio

import pytest

from pagehand.errors import Conflict
from pagehand.records import ApiKey, Event, FileInfo, Login, Thread, Workflow
from pagehand.storage import Stores
from support.database import whole

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio


def workflow(workflow_id: str = "wf_1", name: str = "Invoices", created_at: int = 1) -> Workflow:
    return Workflow(
        id=workflow_id,
        organization_id="org_a",
        name=name,
        version=1,
        blocks=[{"type": "Wait", "data": {"durationMs": 5}}],
        output={"x": "{{a}}"},
        parameters=[{"name": "p"}],
        created_at=created_at,
        updated_at=created_at,
    )


async def test_a_saved_workflow_keeps_its_earlier_versions(stores: Stores) -> None:
    added = await stores.workflows.add(workflow(), ["b", "a", "b"])
    assert [tag.name for tag in added.tags] == ["a", "b"]
    added.name, added.blocks = "Renamed", []
    saved = await stores.workflows.save("org_a", added, expected_version=1, tag_names=None)
    assert saved is not None
    assert (saved.name, saved.version, saved.blocks, [tag.name for tag in saved.tags]) == (
        "Renamed",
        2,
        [],
        ["a", "b"],
    )
    first = await stores.workflows.version("org_a", "wf_1", 1)
    assert first is not None
    assert (first.name, first.blocks) == ("Invoices", workflow().blocks)
    versions, total = await whole(stores.workflows.versions("org_a", "wf_1", 10, 0))
    assert ([v.version for v in versions], total) == ([2, 1], 2)


async def test_of_two_saves_on_one_version_one_wins(stores: Stores) -> None:
    added = await stores.workflows.add(workflow(), [])
    saved = await asyncio.gather(
        *(stores.workflows.save("org_a", added, expected_version=1, tag_names=["t"]) for _ in range(4))
    )
    assert [item.version for item in saved if item] == [2]


async def test_a_deleted_workflow_is_gone_but_its_versions_stay(stores: Stores) -> None:
    added = await stores.workflows.add(workflow(), [])
    assert await stores.workflows.delete("org_a", "wf_1")
    assert not await stores.workflows.delete("org_a", "wf_1")
    assert await stores.workflows.get("org_a", "wf_1") is None
    assert await stores.workflows.find_by_name("org_a", "Invoices") == []
    assert await stores.workflows.save("org_a", added, expected_version=1, tag_names=None) is None
    assert await stores.workflows.version("org_a", "wf_1", 1) is not None


async def test_workflows_are_found_by_name_and_tags_newest_first(stores: Stores) -> None:
    for k, name in enumerate(["Ärzte 100%", "ärzte", "Other"]):
        await stores.workflows.add(workflow(f"wf_{k}", name, k), ["even"] if k % 2 == 0 else [])
    listed, total = await whole(stores.workflows.list("org_a", search="ÄRZTE", tag_ids=[], limit=1, offset=0))
    assert ([item.id for item in listed], total) == (["wf_1"], 2)
    literal, _ = await whole(stores.workflows.list("org_a", search="0%", tag_ids=[], limit=9, offset=0))
    assert [item.id for item in literal] == ["wf_0"]
    (tag,), _ = await stores.tags.list("org_a", 9, 0)
    tagged, total = await whole(
        stores.workflows.list("org_a", search=None, tag_ids=[tag.id], limit=9, offset=0)
    )
    assert ([item.id for item in tagged], total) == (["wf_2", "wf_0"], 2)


async def test_a_tag_name_is_there_once(stores: Stores) -> None:
    made = await asyncio.gather(*(stores.tags.add("org_a", "red") for _ in range(5)))
    assert len({tag.id for tag in made}) == 1
    blue = await stores.tags.add("org_a", "blue")
    with pytest.raises(Conflict, match="red"):
        await stores.tags.rename("org_a", blue.id, "red")
    renamed = await stores.tags.rename("org_a", blue.id, "green")
    assert renamed is not None
    assert renamed.name == "green"


async def test_deleting_a_tag_takes_it_off_workflows(stores: Stores) -> None:
    added = await stores.workflows.add(workflow(), ["red"])
    assert await stores.tags.delete("org_a", added.tags[0].id)
    found = await stores.workflows.get("org_a", "wf_1")
    assert found is not None
    assert found.tags == []


async def test_a_key_is_found_touched_and_revoked(stores: Stores) -> None:
    organization = await stores.organizations.ensure("One")
    assert not await stores.keys.any_active()
    key = ApiKey(
        id="key_1", organization_id=organization.id, name="ci", digest=b"\0\xff", scopes=["*"], created_at=1
    )
    await stores.keys.add(key)
    assert await stores.keys.find_in_any_organization("key_1") == key
    assert await stores.keys.any_active()
    await stores.keys.touch("key_1", 7)
    assert await stores.keys.revoke(organization.id, "key_1", 9)
    assert not await stores.keys.revoke(organization.id, "key_1", 10)
    found = await stores.keys.find_in_any_organization("key_1")
    assert found is not None
    assert (found.last_used_at, found.revoked_at) == (7, 9)
    assert not await stores.keys.any_active()


async def test_logins_are_searched_by_name_or_username(stores: Stores) -> None:
    for k, (name, username) in enumerate([("Portal", "ann"), ("Shop", "Bob_1"), ("Bank", "bobx1")]):
        login = Login(
            id=f"login_{k}",
            organization_id="org_a",
            name=name,
            username=username,
            fields={"homeUrl": "x"},
            secrets=b"\0",
            created_at=k,
            updated_at=k,
        )
        await stores.logins.add(login)
        assert await stores.logins.get("org_a", login.id) == login
    for search, expected in (("BOB", ["login_2", "login_1"]), ("b_1", ["login_1"]), ("portalann", [])):
        listed, total = await whole(stores.logins.list("org_a", search=search, limit=9, offset=0))
        assert ([item.id for item in listed], total) == (expected, len(expected))


async def test_files_are_found_by_part_of_their_name_whatever_its_case(stores: Stores) -> None:
    for number, name in enumerate(("RÉSUMÉ.pdf", "résumé_50%.docx", "STRASSE.txt", "other.txt"), 1):
        await stores.files.add(
            FileInfo(f"file_{number}", "org_a", None, name, "text/plain", 1, f"k{number}", number)
        )

    async def found(term: str) -> list[str]:
        page, total = await stores.files.list("org_a", execution_id=None, search=term, limit=10, offset=0)
        assert total == len(page)
        return [info.name for info in page]

    assert await found("résumé") == ["résumé_50%.docx", "RÉSUMÉ.pdf"]
    assert await found("RÉSUMÉ.P") == ["RÉSUMÉ.pdf"]
    assert await found("straße") == ["STRASSE.txt"]
    assert await found("é_5") == ["résumé_50%.docx"]
    assert await found("0%") == ["résumé_50%.docx"]
    assert await found("none") == []


async def test_responses_of_executions_are_left_out_of_a_list_of_files(stores: Stores) -> None:
    for number, (execution_id, name) in enumerate(
        [("exec_1", "response.json"), ("exec_1", "statement.pdf"), (None, "response.json")]
    ):
        await stores.files.add(
            FileInfo(f"file_{number}", "org_a", execution_id, name, "text/plain", 1, f"k{number}", number)
        )
    for without_responses, expected in (
        (True, ["file_2", "file_1"]),
        (False, ["file_2", "file_1", "file_0"]),
    ):
        page, total = await stores.files.list(
            "org_a", execution_id=None, without_responses=without_responses, limit=9, offset=0
        )
        assert ([info.id for info in page], total) == (expected, len(expected))


async def test_a_deleted_file_says_what_it_was(stores: Stores) -> None:
    info = FileInfo("file_1", "org_a", None, "a.pdf", "application/pdf", 3, "org_a/uploads/file_1", 1)
    await stores.files.add(info)
    assert await stores.files.delete("org_a", "file_1") == info
    assert await stores.files.delete("org_a", "file_1") is None


async def test_messages_written_at_once_are_numbered_in_turn(stores: Stores) -> None:
    await stores.threads.add(
        Thread(id="t", organization_id="org_a", name="T", workflow_id=None, created_at=1)
    )
    await asyncio.gather(
        *(
            stores.threads.add_messages("org_a", "t", [("user", f"q{k}"), ("assistant", f"a{k}")])
            for k in range(8)
        )
    )
    messages, total = await whole(stores.threads.messages("org_a", "t", 100, 0))
    assert ([message.seq for message in messages], total) == (list(range(1, 17)), 16)
    for question, answer in zip(messages[::2], messages[1::2], strict=True):
        assert question.text[1:] == answer.text[1:]


async def test_events_keep_their_order_and_never_push_each_other_out(
    stores: Stores, make_execution: MakeExecution
) -> None:
    execution = make_execution()
    await stores.executions.add(execution)

    def event(seq: int, message: str) -> Event:
        return Event(execution_id=execution.id, seq=seq, at=seq, type="block.started", message=message)

    await stores.events.add([event(1, "one"), event(2, "two \0")])
    await stores.events.add([event(2, "late"), event(3, "later")])
    events, total = await whole(stores.events.list("org_a", execution.id, 10, 0))
    assert [(e.seq, e.message) for e in events] == [(1, "one"), (2, "two \ufffd"), (3, "late"), (4, "later")]
    assert total == await stores.events.last_seq(execution.id) == 4
    assert (await whole(stores.events.list("org_a", execution.id, 2, 3))) == (events[3:], 4)


async def test_an_organizations_proxy_is_kept_changed_and_forgotten(stores: Stores) -> None:
    mine, other = [await stores.organizations.ensure(name) for name in ("mine", "other")]
    await stores.organizations.set_proxy(mine.id, b"first")
    await stores.organizations.set_proxy(mine.id, b"second")
    assert await stores.organizations.proxy(mine.id) == b"second"
    assert await stores.organizations.proxy(other.id) is None
    [sealed] = [item async for item in stores.sealed.all()]
    assert (sealed.organization_id, sealed.row, sealed.sealed) == (mine.id, mine.id, b"second")
    await stores.organizations.set_proxy(mine.id, None)
    assert await stores.organizations.proxy(mine.id) is None
