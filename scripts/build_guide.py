"""Build the guide: the pages of `docs/` as a site in `pagehand/api/guide/site`, with MkDocs.

The build of the package and `make guide` run it. A link that leads nowhere ends it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SITE = ROOT / "pagehand" / "api" / "guide" / "site"
_CONFIGURATION = ROOT / "mkdocs.yml"


def build() -> None:
    """Build the site, unless it is newer than all its sources."""
    if is_current():
        return
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean"]
    command += ["--config-file", str(_CONFIGURATION), "--site-dir", str(SITE)]
    # the theme's authors announce other products while it builds
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    if done.returncode:
        # it is written before links are judged: the next build must not take it for a good one
        shutil.rmtree(SITE, ignore_errors=True)
        sys.exit(done.stdout + done.stderr)


def is_current() -> bool:
    """Whether the site is there and no older than what it is made of."""
    built = SITE / "index.html"
    if not built.is_file():
        return False
    sources = [*DOCS.rglob("*"), _CONFIGURATION, *(ROOT / "scripts").glob("*guide*.py")]
    return all(source.stat().st_mtime <= built.stat().st_mtime for source in sources if source.is_file())


if __name__ == "__main__":
    build()
