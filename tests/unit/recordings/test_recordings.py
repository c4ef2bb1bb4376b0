"""Recordings: which answer a request gets, what differs between two runs, and files that are none."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pagehand.browser.page_recording import kept_exchange
from pagehand.errors import InvalidRequest
from pagehand.recordings import recording as recordings
from pagehand.recordings.answers import Answers
from pagehand.recordings.comparison import first_difference
from pagehand.recordings.recording import Bodies, Exchange, Recording, Step

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


def test_what_would_let_somebody_in_is_not_kept() -> None:
    bodies = Bodies()
    content = json.dumps({"accessToken": "canary", "items": [{"name": "x", "password": "canary"}]}).encode()
    headers = [
        ("Content-Type", "application/json"),
        ("Set-Cookie", "sid=canary; Path=/; HttpOnly\nlang=canary"),
        ("Authorization", "canary"),
    ]
    kept = kept_exchange("GET", f"{PAGE}?q=geheim", 200, headers, content, bodies, hide_geheim)
    everything = repr(kept).encode() + b"".join(bodies.by_name.values())
    assert b"canary" not in everything
    assert b"geheim" not in everything
    assert ("Set-Cookie", "sid=recorded; Path=/; HttpOnly\nlang=recorded") in kept.headers
    assert b'"name":"x"' in everything


def hide_geheim(value: Any) -> Any:
    return value.replace("geheim", "***")


def test_a_recording_is_the_same_from_a_zip_file_and_from_a_folder(tmp_path: Path) -> None:
    bodies = Bodies()
    made = run(SIGN_IN, total=1)
    made.exchanges = [answer(PAGE, bodies.add(b"<p>Hello"))]
    recordings.write(tmp_path / "recording.zip", made, bodies.by_name)
    recordings.unpack(tmp_path / "recording.zip", tmp_path / "folder")
    assert recordings.read(tmp_path / "recording.zip") == (made, bodies.by_name)
    assert recordings.read(tmp_path / "folder") == (made, bodies.by_name)


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
