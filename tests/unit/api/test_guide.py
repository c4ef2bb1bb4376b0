"""The guide at `/guide`: its files, their headers, and what is said where it has not been built."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pagehand.api import guide

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<h1>Guide</h1>")
    (folder / "llms.txt").write_text("# Pagehand\n")
    (folder / "assets" / "bundle.0123abcd.min.js").write_text("1")
    (tmp_path / "secret.html").write_text("secret")
    monkeypatch.setattr(guide, "SITE", folder)
    return folder


async def test_pages_are_served_with_the_policy_of_the_console_and_checked_for_changes(api: "Api") -> None:
    page = await api.client.get("/guide/")
    assert page.text == "<h1>Guide</h1>"
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert "unsafe" not in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-cache"
    cached = await api.client.get("/guide/", headers={"if-none-match": page.headers["etag"]})
    assert cached.status_code == 304
    assert (await api.client.head("/guide/index.html")).text == ""
    assert (await api.client.get("/guide")).headers["location"] == "/guide/"


async def test_a_file_whose_name_changes_with_its_content_is_kept_for_good(api: "Api") -> None:
    asset = await api.client.get("/guide/assets/bundle.0123abcd.min.js")
    assert asset.headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("path", ["/llms.txt", "/guide/llms.txt"])
async def test_the_index_for_language_models_is_where_they_look_for_it(api: "Api", path: str) -> None:
    assert (await api.client.get(path)).text == "# Pagehand\n"


@pytest.mark.parametrize(
    "path", ["../secret.html", "..%2Fsecret.html", "%2Fetc%2Fpasswd", "assets", "none.html", "%00"]
)
async def test_nothing_else_is_served(api: "Api", path: str) -> None:
    answer = await api.client.get(f"/guide/{path}")
    assert answer.status_code == 404
    assert set(answer.json()) == {"error"}


async def test_a_guide_that_was_not_built_says_so(
    api: "Api", site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guide, "SITE", site / "nowhere")
    answer = await api.client.get("/guide/")
    assert answer.status_code == 404
    assert "has not been built" in answer.text
    assert "make guide" in answer.text
