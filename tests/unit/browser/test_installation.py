"""Which browser is used, and the message when there is none."""

import sys
from pathlib import Path

import pytest

from pagehand.browser import installation
from pagehand.browser.installation import describe, find_browser, require_browser, run_installer
from pagehand.errors import Unavailable
from pagehand.settings import Settings

pytestmark = pytest.mark.anyio


def program(path: Path, says: str = "Chromium 1.2.3") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "playwright"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin:/usr/bin")
    monkeypatch.setattr(installation, "_SYSTEM_NAMES", ("google-chrome", "chromium"))
    monkeypatch.setattr(installation, "_SYSTEM_PATHS", ())

    def which(name: str) -> str | None:
        path = tmp_path / "bin" / name
        return str(path) if path.exists() else None

    monkeypatch.setattr(installation.shutil, "which", which)


def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *parts: str) -> Path:
    """A browser where Playwright puts its own of revision 99."""
    monkeypatch.setattr(
        installation, "_wanted_revisions", lambda: {"chromium": "99", "chromium-headless-shell": "99"}
    )
    return program((tmp_path / "playwright").joinpath(*parts))


def test_a_path_that_is_set_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own(tmp_path, monkeypatch, "chromium-99", "chrome-linux", "chrome")
    path = program(tmp_path / "my-headless-shell")
    found = find_browser(Settings(browser_path=path))
    assert found is not None
    assert (found.path, found.kind, found.source) == (path, "headless-shell", "PAGEHAND_BROWSER_PATH")


@pytest.mark.parametrize("kind", ["missing", "folder", "not executable"])
def test_a_path_that_is_not_a_program_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "browser"
    if kind == "folder":
        path.mkdir()
    elif kind == "not executable":
        path.write_text("x")
    with pytest.raises(Unavailable, match=r"`PAGEHAND_BROWSER_PATH` names .*which is not a program"):
        find_browser(Settings(browser_path=path))


def test_playwrights_own_comes_before_the_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin" / "chromium")
    found = find_browser(Settings())
    assert found is not None
    assert found.source == "system"
    path = own(tmp_path, monkeypatch, "chromium-99", "chrome-linux", "chrome")
    own(tmp_path, monkeypatch, "chromium-99", "chrome-linux", "chrome_crashpad_handler")
    found = find_browser(Settings())
    assert found is not None
    assert (found.path, found.source, found.kind) == (path, "playwright", "chromium")


def test_the_headless_shell_comes_before_the_whole_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own(tmp_path, monkeypatch, "chromium-99", "chrome-linux", "chrome")
    path = own(tmp_path, monkeypatch, "chromium_headless_shell-99", "chrome-linux", "headless_shell")
    found = find_browser(Settings())
    assert found is not None
    assert (found.path, found.kind) == (path, "headless-shell")


def test_another_revision_than_playwright_wants_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own(tmp_path, monkeypatch, "chromium-98", "chrome-linux", "chrome")
    assert find_browser(Settings()) is None


async def test_where_none_is_and_none_may_be_installed_the_command_is_named() -> None:
    with pytest.raises(
        Unavailable, match="Run `playwright install chromium --only-shell`, or set `PAGEHAND_B"
    ):
        await require_browser(Settings(browser_install=False))


async def test_one_is_installed_where_that_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def install() -> None:
        program(tmp_path / "bin" / "chromium")

    monkeypatch.setattr(installation, "install_browser", install)
    assert (await require_browser(Settings(browser_install=True))).source == "system"


@pytest.mark.slow
async def test_doctor_says_what_was_found_or_what_to_run(tmp_path: Path) -> None:
    assert any("Run `playwright install" in line for line in await describe(Settings()))
    path = program(tmp_path / "bin" / "chromium")
    assert any(
        f"Chromium 1.2.3 (chromium, from system) at {path}" in line for line in await describe(Settings())
    )
    wrong = await describe(Settings(browser_path=tmp_path / "no"))
    assert "which is not a program" in wrong[-1]


async def test_an_installer_that_works_is_followed_by_its_percents() -> None:
    heard: list[int] = []
    printing = "print('|  10% of 2 MiB', '| 100% of 2 MiB', sep='\\n')"
    assert await run_installer(sys.executable, "-c", printing, on_percent=heard.append) is None
    assert heard == [10, 100]


async def test_an_installer_that_fails_gives_what_it_printed() -> None:
    assert await run_installer(sys.executable, "-c", "raise SystemExit('no network')") == "no network\n"
