"""Files in and out, the URLs they are fetched by, and API keys."""

import base64
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from support.database import add_key
from support.service import Api, Json, RunningService
from support.shapes import FILE, KEY, ListOf, misfits
from support.waiting import wait_until


def upload(api: Api, content: bytes = b"hello", **fields: Any) -> Json:
    sent = {"name": "note.txt", "contentBase64": base64.b64encode(content).decode(), **fields}
    return api.call("/files/upload", sent)["file"]


def token(file: Json) -> bytes:
    text = parse_qs(urlsplit(str(file["downloadUrl"])).query)["t"][0]
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def with_token(file: Json, raw: bytes) -> str:
    return file["downloadUrl"].partition("?")[0] + "?t=" + base64.urlsafe_b64encode(raw).decode().rstrip("=")


def refused(url: str) -> int:
    """The status of a URL that does not work; it says so as every error does."""
    answer = httpx2.get(url)
    assert list(answer.json()) == ["error"]
    return answer.status_code


def test_a_file_comes_back_byte_by_byte(api: Api) -> None:
    content = bytes(range(256)) * 40
    file = upload(api, content, name="naïve “name”.bin", mimeType="application/x-thing")
    assert misfits(file, FILE) == []
    assert (file["name"], file["mimeType"], file["sizeBytes"]) == (
        "naïve “name”.bin",
        "application/x-thing",
        10_240,
    )
    answer = httpx2.get(file["downloadUrl"])
    assert (answer.status_code, answer.content) == (200, content)
    assert answer.headers["content-type"] == "application/x-thing"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("name", "kind"), [("a.pdf", "application/pdf"), ("b.csv", "text/csv"), ("c", "application/octet-stream")]
)
def test_the_media_type_is_guessed_from_the_name(api: Api, name: str, kind: str) -> None:
    assert upload(api, name=name)["mimeType"] == kind


def test_a_form_can_send_a_file_too(api: Api) -> None:
    answer = api.http.post(
        "/files/upload", files={"file": ("C:\\docs\\form.txt", b"from a form", "text/plain")}
    )
    assert answer.status_code == 200, answer.text
    file = answer.json()["file"]
    assert misfits(file, FILE) == []
    assert (file["name"], file["mimeType"], file["sizeBytes"]) == ("form.txt", "text/plain", 11)
    assert httpx2.get(file["downloadUrl"]).content == b"from a form"
    assert upload(api, b"")["sizeBytes"] == 0


def test_a_form_without_the_part_is_refused(api: Api) -> None:
    wrong = [
        api.http.post("/files/upload", files={"document": ("a.txt", b"x", "text/plain")}),
        api.http.post(
            "/files/upload", content=b"junk", headers={"Content-Type": "multipart/form-data; boundary=x"}
        ),
        api.http.post("/files/upload", content=b"junk", headers={"Content-Type": "multipart/form-data"}),
    ]
    assert [answer.status_code for answer in wrong] == [400, 400, 400]
    assert all(list(answer.json()) == ["error"] for answer in wrong)
    elsewhere = api.http.post("/tags/create", files={"file": ("a.txt", b"x", "text/plain")})
    assert elsewhere.status_code == 415


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "../up.txt"},
        {"name": "/etc/passwd"},
        {"name": ".."},
        {"name": ""},
        {"name": "a\u0007b"},
        {"name": "x" * 256},
        {"contentBase64": "not base64!"},
        {"contentBase64": "QQ"},
        {"contentBase64": None},
        {"mimeType": "text"},
        {"mimeType": "text/plain\r\nX: y"},
    ],
)
def test_a_file_that_is_refused_is_not_kept(api: Api, fields: Json) -> None:
    before = api.call("/files/list")["total"]
    answer = api.post("/files/upload", {"name": "n.txt", "contentBase64": "QQ==", **fields})
    assert answer.status_code == 400
    assert next(iter(fields)) in answer.json()["error"]
    assert api.call("/files/list")["total"] == before


def test_files_are_listed_newest_first_got_and_deleted(api: Api) -> None:
    made = [upload(api, name=f"{n}.txt") for n in range(2)]
    page = api.call("/files/list")
    assert set(page) == {"files", "total"}
    assert misfits(page["files"], ListOf(FILE)) == []
    assert [file["id"] for file in page["files"][:2]] == [item["id"] for item in reversed(made)]
    part = api.call("/files/list", {"limit": 1, "offset": 1})
    assert ([file["id"] for file in part["files"]], part["total"]) == ([made[0]["id"]], page["total"])
    shown = api.call("/files/get", {"id": made[0]["id"]})["file"]
    assert misfits(shown, FILE) == []
    assert httpx2.get(shown["downloadUrl"]).content == b"hello"
    assert api.call("/files/delete", {"id": made[0]["id"]}) == {
        "file": {"id": made[0]["id"], "name": "0.txt"}
    }
    assert refused(shown["downloadUrl"]) == 404
    assert api.post("/files/get", {"id": made[0]["id"]}).status_code == 404
    assert api.post("/files/delete", {"id": made[0]["id"]}).status_code == 404


def test_a_url_that_was_tampered_with_is_refused(api: Api, other: Api) -> None:
    mine, theirs = upload(api), upload(other, b"theirs")
    raw = token(mine)
    body = token(theirs)[32:]
    attempts = {
        "another's file under my signature": with_token(mine, raw[:32] + body),
        "my file under another's signature": with_token(mine, token(theirs)[:32] + raw[32:]),
        "a later end": with_token(mine, raw[:-2] + (b"1]" if raw[-2:] == b"9]" else b"9]")),
        "no signature": with_token(mine, raw[32:]),
        "one bit": with_token(mine, bytes([raw[0] ^ 1]) + raw[1:]),
        "nothing": mine["downloadUrl"].partition("?")[0],
        "rubbish": with_token(mine, b"") + "%%%",
    }
    assert {name: refused(url) for name, url in attempts.items()} == dict.fromkeys(attempts, 403)
    assert httpx2.get(mine["downloadUrl"]).status_code == 200


@pytest.mark.slow
def test_a_url_that_has_expired_is_refused(keyed: Api) -> None:
    file = upload(keyed)
    wait_until(lambda: httpx2.get(file["downloadUrl"]).status_code != 200)
    assert refused(file["downloadUrl"]) == 404


@pytest.mark.slow
def test_an_execution_that_is_asked_for_again_has_a_fresh_url(keyed: Api) -> None:
    flow = keyed.create("never run", {"type": "Wait", "data": {"durationMs": 1}})
    started = keyed.start(flow["id"])
    keyed.call("/executions/cancel", {"id": started["id"]})
    first = keyed.get(started["id"])["responseFile"]["downloadUrl"]
    wait_until(lambda: keyed.get(started["id"])["responseFile"]["downloadUrl"] != first)


def test_keys_are_listed_without_what_makes_them_keys(locked: RunningService) -> None:
    text = add_key(locked, "listed")
    caller = locked.api(text)
    caller.call("/tags/list")
    page = caller.call("/keys/list")
    assert set(page) == {"keys", "total"}
    assert misfits(page["keys"], ListOf(KEY)) == []
    assert page["total"] == len(page["keys"]) == 1
    [key] = page["keys"]
    assert key["lastUsedAt"] is not None
    assert key["revokedAt"] is None
    secret = text.split("_", 2)[2]
    assert secret not in str(page)
    stored = b"".join(path.read_bytes() for path in locked.data_dir.glob("pagehand.db*"))
    assert secret.encode() not in stored


@pytest.mark.slow
def test_a_revoked_key_is_refused_soon(locked: RunningService) -> None:
    first, second = locked.api(add_key(locked, "revoked")), locked.api(add_key(locked, "revoked"))
    assert second.post("/tags/list").status_code == 200
    [revoked] = [key for key in first.call("/keys/list")["keys"] if key["lastUsedAt"] and key != mine(first)]
    assert first.call("/keys/revoke", {"id": revoked["id"]}) == {"key": {"id": revoked["id"]}}
    wait_until(lambda: second.post("/tags/list").status_code != 200, seconds=60)
    answer = second.post("/tags/list")
    assert (answer.status_code, list(answer.json())) == (401, ["error"])
    assert answer.headers["www-authenticate"] == "Bearer"
    assert first.post("/tags/list").status_code == 200


def mine(caller: Api) -> Json:
    """The older of two keys: the one that looks."""
    return caller.call("/keys/list")["keys"][-1]
