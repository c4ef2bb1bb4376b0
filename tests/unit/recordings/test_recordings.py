"""Recordings: which answer a request gets, what differs between two runs, and files that are none."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pagehand.browser.page_recording import kept_exchange
from pagehand.errors import InvalidRequest, TooLarge
from pagehand.recordings import recording as recordings
from pagehand.recordings.recording import Bodies, Exchange, Recording, Step, first_difference
from pagehand.recordings.server import Answers

PAGE = "https://portal.example/list"


def answer(url: str, body: str, method: str = "GET") -> Exchange:
    return Exchange(method, url, 200, [], body)


def bodies_of(answers: Answers, *urls: str) -> list[str | None]:
    found = [answers.take("GET", url) for url in urls]
    return [exchange and exchange.body for exchange in found]


def test_answers_come_in_their_order_and_the_last_is_repeated() -> None:
    answers = Answers([answer(PAGE, "empty"), answer(PAGE, "one row"), answer(PAGE, "other", "POST")])
    assert bodies_of(answers, PAGE, PAGE, PAGE + "#top") == ["empty", "one row", "one row"]


def test_a_query_that_changes_with_every_run_gets_the_only_recorded_answer() -> None:
    answers = Answers([answer(PAGE + "?t=1", "a"), answer("https://portal.example/search?q=x", "x")])
    assert bodies_of(answers, PAGE + "?t=2") == ["a"]
    two = Answers([answer(PAGE + "?page=1", "first"), answer(PAGE + "?page=2", "second")])
    assert bodies_of(two, PAGE + "?page=3") == [None]
    assert two.missing == [f"GET {PAGE}?page=3"]


def test_ports_speak_what_they_were_recorded_with() -> None:
    answers = Answers([answer("http://portal.example:8443/", "a"), answer(PAGE, "b")])
    assert [answers.scheme(port) for port in (8443, 443, 80, 9000)] == ["http", "https", "http", "http"]


def run(*steps: Step, status: str = "Completed", **response: Any) -> Recording:
    return Recording("W", status=status, steps=list(steps), response=response)


SIGN_IN, TOTAL = Step("signIn", "Sign in"), Step("total", "Read the total")


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (run(SIGN_IN, TOTAL, total=12), ""),
        (run(SIGN_IN, TOTAL, total=13), "“Read the total” (`total`) differs: recorded 12, now 13"),
        (run(Step("signIn", "Sign in", failed=True), status="Failed"), "“Sign in” (`signIn`) failed"),
        (run(TOTAL, total=12), ""),
        (run(SIGN_IN, Step("new", "Added since"), TOTAL, total=12, new=1), ""),
        (run(SIGN_IN, TOTAL, status="Failed", total=12), "The run is Failed, recorded was Completed"),
    ],
)
def test_the_first_block_that_differs_is_named(now: Recording, said: str) -> None:
    assert first_difference(run(SIGN_IN, TOTAL, total=12), now) == said


def test_what_is_new_in_every_run_is_no_difference() -> None:
    file = {"id": "file_1", "name": "a.csv", "sizeBytes": 3, "downloadUrl": "http://x/1"}
    before, after = run(TOTAL, total=[file]), run(TOTAL, total=[{**file, "id": "file_2", "downloadUrl": "y"}])
    assert first_difference(before, after) == ""
    assert first_difference(before, run(TOTAL, total=[{**file, "name": "b.csv"}])) != ""
    assert first_difference(run(TOTAL, total={"id": 1}), run(TOTAL, total={"id": 2})) != ""


def kept_in(bodies: Bodies) -> dict[str, bytes]:
    return {f"bodies/{path.name}": path.read_bytes() for path in bodies.paths()}


def test_what_would_let_somebody_in_is_not_kept(tmp_path: Path) -> None:
    bodies = Bodies(tmp_path)
    content = json.dumps({"accessToken": "canary", "items": [{"name": "x", "password": "canary"}]}).encode()
    headers = [
        ("Content-Type", "application/json"),
        ("Set-Cookie", "sid=canary; Path=/; HttpOnly\nlang=canary"),
        ("Authorization", "canary"),
        ("X-Auth-Token", "canary"),
        ("Location", f"{PAGE};jsessionid=canary?a=1#access_token=canary&b=2"),
    ]
    url = f"{PAGE}?q=geheim&access_token=canary"
    kept = kept_exchange("GET", url, 200, headers, content, bodies, hide_geheim)
    everything = repr(kept).encode() + b"".join(kept_in(bodies).values())
    assert b"canary" not in everything
    assert b"geheim" not in everything
    assert ("Set-Cookie", "sid=recorded; Path=/; HttpOnly\nlang=recorded") in kept.headers
    assert b'"name":"x"' in everything
    assert ("Location", f"{PAGE};jsessionid=recorded?a=1#access_token=recorded&b=2") in kept.headers


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("application/vnd.api+json", b'{"said": "geheim"}'),
        ("application/x-www-form-urlencoded", b"a=geheim&access_token=canary"),
        ("", b'{"said": "geheim", "apiKey": "canary"}'),
        ("image/png", b"\x89PNG geheim \xff\x00"),
        ("text/html; charset=iso-8859-1", "Grüße geheim".encode("latin-1")),
        ("application/json", b'{"token": "canary", "a": ' + b"[" * 500 + b"]" * 500 + b"}"),
    ],
)
def test_secrets_are_not_kept_whatever_an_answer_is_called(tmp_path: Path, kind: str, content: bytes) -> None:
    bodies = Bodies(tmp_path)
    kept_exchange("GET", PAGE, 200, [("content-type", kind)], content, bodies, hide_geheim)
    everything = b"".join(kept_in(bodies).values())
    assert b"geheim" not in everything
    assert b"canary" not in everything


def test_what_has_no_secret_is_kept_byte_for_byte(tmp_path: Path) -> None:
    bodies = Bodies(tmp_path)
    for content in (b'{"id": 123456789012345678901234567890}', "Grüße".encode("latin-1"), bytes(range(256))):
        kept_exchange("GET", PAGE, 200, [("content-type", "application/json")], content, bodies, hide_geheim)
        assert content in kept_in(bodies).values()


def test_a_recording_that_grows_without_end_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recordings, "MAX_BYTES", 1000)
    bodies = Bodies(tmp_path)
    bodies.add(b"a" * 900)
    bodies.add(b"a" * 900)
    with pytest.raises(TooLarge):
        bodies.add(b"b" * 200)


def test_a_token_that_is_not_kept_still_finds_its_answer() -> None:
    answers = Answers([answer(f"{PAGE}?token=recorded&n={n}", str(n)) for n in (1, 2)])
    assert bodies_of(answers, f"{PAGE}?token=new&n=2") == ["2"]


@pytest.mark.parametrize("url", ["ftp://portal.example/", "https://portal.example:x/", "no address"])
def test_a_recording_with_an_address_that_is_none_is_refused(tmp_path: Path, url: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        exchange: dict[str, Any] = {"method": "GET", "url": url, "status": 200, "headers": []}
        archive.writestr("recording.json", json.dumps({"workflow": "W", "exchanges": [exchange]}))
    with pytest.raises(InvalidRequest, match="not an address"):
        recordings.read(tmp_path / "a.zip")


def test_links_in_the_folder_of_a_recording_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "bodies").mkdir()
    (tmp_path / "recording.json").write_text('{"workflow": "W"}')
    (tmp_path / "bodies" / "a").symlink_to("/etc/hostname")
    assert recordings.read(tmp_path)[1] == {}


def hide_geheim(value: Any) -> Any:
    return value.replace("geheim", "***")


def test_a_recording_is_the_same_from_a_zip_file_and_from_a_folder(tmp_path: Path) -> None:
    bodies = Bodies(tmp_path)
    made = run(SIGN_IN, total=1)
    made.exchanges = [answer(PAGE, bodies.add(b"<p>Hello"))]
    recordings.write(tmp_path / "recording.zip", made, bodies)
    recordings.unpack(tmp_path / "recording.zip", tmp_path / "folder")
    assert recordings.read(tmp_path / "recording.zip") == (made, kept_in(bodies))
    assert recordings.read(tmp_path / "folder") == (made, kept_in(bodies))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("other.json", b"{}", "it has no `recording.json`"),
        ("recording.json", b"{", "cannot be read"),
        ("recording.json", b'{"workflow": 5}', "cannot be read"),
        ("recording.json", b'{"workflow": "W", "format": 9}', "of format 9"),
    ],
)
def test_a_file_that_is_no_recording_is_refused(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(name, content)
    with pytest.raises(InvalidRequest, match=said):
        recordings.read(tmp_path / "a.zip")


def test_a_path_without_a_recording_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    for path in (tmp_path / "text", tmp_path / "absent", tmp_path):
        with pytest.raises(InvalidRequest, match="recording"):
            recordings.read(path)


def test_unpacking_writes_into_its_folder_alone(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("recording.json", '{"workflow": "W"}')
        archive.writestr("../../outside", "x")
        archive.writestr("bodies/../../../outside", "x")
    recordings.unpack(tmp_path / "a.zip", tmp_path / "deep" / "folder")
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert written == {"a.zip", "deep/folder/recording.json", "deep/folder/bodies/outside"}
