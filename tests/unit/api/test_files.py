import asyncio
import base64
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pagehand.clock import now_ms
from pagehand.ids import new_id
from pagehand.records import Event, Thread
from pagehand.testing.fakes import MemoryFileStore

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio

TEXT = "hello ünï".encode()


async def upload(api: "Api", **fields: Any) -> dict[str, Any]:
    body = {"name": "note.txt", "contentBase64": base64.b64encode(TEXT).decode(), **fields}
    answer = await api.post("/files/upload", body)
    assert answer.status_code == 200, answer.text
    return answer.json()["file"]


async def test_uploaded_file_is_fetched_by_its_url_alone(api: "Api") -> None:
    file = await upload(api, name='no"te\u00fc.txt')
    assert (file["mimeType"], file["sizeBytes"]) == ("text/plain", len(TEXT))
    answer = await api.client.get(file["downloadUrl"], headers={"host": "elsewhere"})
    assert answer.content == TEXT
    assert answer.headers["content-length"] == str(len(TEXT))
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''no%22te%C3%BC.txt"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


async def test_form_with_a_file_is_taken_too(api: "Api") -> None:
    files = {"file": ("C:\\folder\\multi.csv", TEXT, "text/csv")}
    answer = await api.client.post("/files/upload", files=files)
    file = answer.json()["file"]
    assert (file["name"], file["mimeType"]) == ("multi.csv", "text/csv")
    assert (await api.client.get(file["downloadUrl"])).content == TEXT


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"nonsense", "multipart/form-data; boundary=cut"),
        (
            b"--cut\r\nContent-Disposition: form-data; name=x\r\n\r\n1\r\n--cut--\r\n",
            "multipart/form-data; boundary=cut",
        ),
        (b"--cut--", "multipart/form-data"),
        (b"--cut--", "multipart/form-data; boundary=" + "x" * 300),
    ],
)
async def test_form_without_a_file_is_refused(api: "Api", content: bytes, kind: str) -> None:
    answer = await api.send("/files/upload", content, content_type=kind)
    assert answer.status_code == 400, answer.text
    assert set(answer.json()) == {"error"}


def temporary_uploads() -> set[str]:
    return {path.name for path in Path(tempfile.gettempdir()).glob("pagehand-upload-*")}


async def test_a_form_may_be_larger_than_other_requests_up_to_its_own_limit(api: "Api") -> None:
    before = temporary_uploads()
    content = b"x" * (api.services.settings.max_body_bytes + 1)
    answer = await api.client.post("/files/upload", files={"file": ("large.bin", content)})
    file = answer.json()["file"]
    assert file["sizeBytes"] == len(content)
    assert (await api.client.get(file["downloadUrl"])).content == content
    api.services.settings.max_upload_bytes = 1000
    refused = await api.client.post("/files/upload", files={"file": ("large.bin", content)})
    assert (refused.status_code, "1,000 bytes" in refused.json()["error"]) == (413, True)
    assert temporary_uploads() == before


async def test_nothing_is_left_of_a_form_that_is_refused(api: "Api") -> None:
    before = temporary_uploads()
    part = b'--b\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\n\r\nhello'
    for content in (part % b"cut off.txt", part % b".." + b"\r\n--b--\r\n", part % b"a\r\n--b\r\nnonsense"):
        answer = await api.send("/files/upload", content, content_type="multipart/form-data; boundary=b")
        assert answer.status_code == 400, answer.text
    assert temporary_uploads() == before


async def test_a_form_with_endless_headers_is_refused(api: "Api") -> None:
    content = b"--b\r\nX: " + b"x" * 100_000 + b"\r\n\r\n\r\n--b--\r\n"
    answer = await api.send("/files/upload", content, content_type="multipart/form-data; boundary=b")
    assert answer.status_code == 400, answer.text
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"name": None}, "name"),
        ({"name": "../x"}, "name"),
        ({"name": ".."}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"contentBase64": None}, "contentBase64"),
        ({"contentBase64": "%%%"}, "contentBase64"),
        ({"contentBase64": "ünï"}, "contentBase64"),
        ({"mimeType": "text/plain\r\nX: y"}, "mimeType"),
        ({"mimeType": "text"}, "mimeType"),
    ],
)
async def test_upload_that_does_not_fit_is_refused(api: "Api", fields: dict[str, Any], word: str) -> None:
    answer = await api.post("/files/upload", {"name": "x", "contentBase64": "QQ==", **fields})
    assert answer.status_code == 400
    assert f"`{word}`" in answer.json()["error"]


async def test_deleted_file_is_gone_with_its_bytes(api: "Api") -> None:
    file = await upload(api)
    assert (await api.post("/files/list")).json()["total"] == 1
    assert (await api.post("/files/delete", {"id": file["id"]})).json()["file"]["id"] == file["id"]
    assert (await api.post("/files/get", {"id": file["id"]})).status_code == 404
    answer = await api.client.get(file["downloadUrl"])
    assert answer.status_code == 404
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize("query", ["", "?t=", "?t=nonsense", "?t=a.b.c", "?t=%ff", "?x=1"])
async def test_download_without_a_right_token_is_refused(api: "Api", query: str) -> None:
    answer = await api.client.get(f"/files/download{query}")
    assert answer.status_code in (403, 404)
    assert set(answer.json()) == {"error"}


async def test_screenshot_of_an_event_has_a_url(api: "Api") -> None:
    workflow = await api.create_workflow()
    going = (await api.post("/workflows/execute", {"workflowId": workflow["id"]})).json()["execution"]
    owner = await api.services.stores.organizations.ensure("default")
    key = f"{owner.id}/{going['id']}/1.jpg"
    await api.services.files.put(key, b"\xff\xd8picture")
    event = Event(
        execution_id=going["id"],
        seq=1,
        at=now_ms(),
        type="block.finished",
        message="Done",
        screenshot_key=key,
    )
    await api.services.stores.events.add([event])
    shown = (await api.post("/executions/events", {"id": going["id"]})).json()
    assert shown["total"] == 1
    picture = await api.client.get(shown["events"][0]["screenshotUrl"])
    assert (picture.content, picture.headers["content-type"]) == (b"\xff\xd8picture", "image/jpeg")


async def test_messages_are_listed_by_id_or_thread_id(api: "Api") -> None:
    owner = await api.services.stores.organizations.ensure("default")
    thread = Thread(
        id=new_id("thread"), organization_id=owner.id, name="t", workflow_id=None, created_at=now_ms()
    )
    await api.services.stores.threads.add(thread)
    await api.services.stores.threads.add_messages(owner.id, thread.id, [("user", "hi"), ("assistant", "ho")])
    path = "/agents/session/messages/list"
    listed = (await api.post(path, {"id": thread.id})).json()
    assert listed["messages"][0] == {"role": "user", "parts": [{"type": "text", "text": "hi"}]}
    assert (await api.post(path, {"threadId": thread.id, "limit": 1, "offset": 1})).json() == {
        "messages": listed["messages"][1:],
        "total": 2,
    }
    assert (await api.post(path, {"id": "thread_none"})).status_code == 404
    assert (await api.post(path)).status_code == 400


@pytest.mark.parametrize(
    ("code", "status"),
    [("123", 400), ("123456789", 400), ("1-2-3", 400), (123456, 400), ("1-2 3 4", 404), ("ABCD1234", 404)],
)
async def test_code_is_4_to_8_characters_and_nobody_waits_for_it(
    api: "Api", code: object, status: int
) -> None:
    answer = await api.post("/authentication/submitTwoFactorAuthCode", {"code": code})
    assert answer.status_code == status


async def test_uploads_at_once_stay_within_the_quota_and_refused_ones_leave_no_bytes(api: "Api") -> None:
    api.services.stores.files._max_bytes = 3_000_000  # pyright: ignore[reportPrivateUsage] - it is given by the settings
    content = base64.b64encode(bytes(1_000_000)).decode()
    uploads = [api.post("/files/upload", {"name": "a", "contentBase64": content}) for _ in range(20)]
    answers = await asyncio.gather(*uploads)
    assert sorted(answer.status_code for answer in answers) == [200] * 3 + [413] * 17
    kept = {answer.json()["file"]["key"] for answer in answers if answer.status_code == 200}
    assert isinstance(api.services.files, MemoryFileStore)
    assert set(api.services.files.content) == kept
