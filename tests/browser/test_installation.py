"""Which browser is used, and the message when there is none."""

import json
from pathlib import Path

import playwright
import pytest

from pagehand.browser import LaunchOptions, LocalProvider, describe, find_browser
from pagehand.browser.installation import driver_problem, require_browser
from pagehand.browser.providers.driver import Driver
from pagehand.errors import Unavailable
from pagehand.settings import Settings

pytestmark = pytest.mark.anyio


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\necho Chromium 1.2.3\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def empty_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing on the path, nothing in Playwright's cache."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "cache"))
    return tmp_path


def wanted_revision() -> str:
    listing = Path(playwright.__file__).parent / "driver" / "package" / "browsers.json"
    entries = json.loads(listing.read_text(encoding="utf-8"))["browsers"]
    return next(entry["revision"] for entry in entries if entry["name"] == "chromium-headless-shell")


def test_the_named_browser_comes_first(empty_machine: Path) -> None:
    mine = program(empty_machine / "my-chrome")
    program(empty_machine / "bin" / "chromium-headless-shell")
    found = find_browser(Settings(browser_path=mine))
    assert found is not None
    assert (found.path, found.kind, found.source) == (mine, "chromium", "PAGEHAND_BROWSER_PATH")


def test_a_named_browser_that_is_not_there_is_an_error(empty_machine: Path) -> None:
    with pytest.raises(Unavailable, match="PAGEHAND_BROWSER_PATH"):
        find_browser(Settings(browser_path=empty_machine / "none"))


def test_playwrights_own_comes_before_the_systems(empty_machine: Path) -> None:
    system = program(empty_machine / "bin" / "chromium")
    assert (found := find_browser(Settings())) is not None
    assert found.path == system
    folder = (
        empty_machine
        / "cache"
        / f"chromium_headless_shell-{wanted_revision()}"
        / "chrome-headless-shell-linux64"
    )
    own = program(folder / "chrome-headless-shell")
    assert (found := find_browser(Settings())) is not None
    assert (found.path, found.kind, found.source) == (own, "headless-shell", "playwright")


def test_the_systems_headless_shell_comes_before_its_chromium(empty_machine: Path) -> None:
    program(empty_machine / "bin" / "chromium")
    shell = program(empty_machine / "bin" / "chromium-headless-shell")
    assert (found := find_browser(Settings())) is not None
    assert (found.path, found.kind) == (shell, "headless-shell")


@pytest.mark.usefixtures("empty_machine")
async def test_without_a_browser_the_error_names_the_command() -> None:
    assert find_browser(Settings()) is None
    with pytest.raises(Unavailable, match="playwright install chromium --only-shell"):
        await require_browser(Settings(browser_install=False))
    assert "playwright install" in (await describe(Settings()))[-1]


async def test_doctor_says_which_version_and_where(empty_machine: Path) -> None:
    shell = program(empty_machine / "bin" / "chromium-headless-shell")
    lines = "\n".join(await describe(Settings()))
    assert f"Chromium 1.2.3 (headless-shell, from system) at {shell}" in lines


@pytest.fixture
def broken_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Node.js that ends at once, as on a machine without its libraries."""
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\necho 'node: libatomic.so.1: cannot open shared object file' >&2\nexit 127\n")
    node.chmod(0o755)
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(node))


@pytest.mark.usefixtures("broken_driver")
async def test_a_driver_that_does_not_start_is_reported_with_what_helps(tmp_path: Path) -> None:
    lines = await describe(Settings(browser_path=program(tmp_path / "chromium")))
    assert any("driver does not start" in line and "install `libatomic1`" in line for line in lines)
    with pytest.raises(Unavailable, match="install `libatomic1`"):
        await Driver.start()


async def test_a_driver_that_starts_has_no_problem() -> None:
    assert await driver_problem() == ""


async def test_a_browser_whose_sandbox_is_forbidden_says_what_to_allow(tmp_path: Path) -> None:
    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\necho 'FATAL: No usable sandbox!' >&2\nexit 1\n", encoding="utf-8")
    browser.chmod(0o755)
    provider = LocalProvider(Settings(browser_path=browser))
    with pytest.raises(Unavailable, match="needs user namespaces"):
        await provider.launch(LaunchOptions())
    await provider.close()
