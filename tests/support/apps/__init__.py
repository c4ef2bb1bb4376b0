"""Real applications of other people, started on loopback for tests that use them as a person would.

    with started("admin", tmp_path) as app:
        app.url            where it answers
        app.facts["…"]     what it says of itself: accounts, seeds, the folder with its data

`admin`     Django's admin with django-otp: passwords, TOTP devices, codes by e-mail; and a library to edit
`identity`  an OpenID provider (django-oauth-toolkit) and an application that signs in through it
`roundup`   the Roundup issue tracker
`datasette` Datasette over a database of rivers
`wagtail`   a news site on Wagtail
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_START_SECONDS = 90


@dataclass(slots=True, frozen=True)
class App:
    """A running application."""

    url: str
    facts: dict[str, Any]


@contextmanager
def started_app(name: str, folder: Path, *, python: str = sys.executable, **options: Any) -> Generator[App]:
    """Run `support/apps/<name>.py` in a separate process, with `options` as its arguments.

    `python` may be that of an environment with another release of the application.
    """
    work = folder / f"app-{name}"
    work.mkdir(parents=True, exist_ok=True)
    script = Path(__file__).with_name(f"{name}.py")
    log = work / "log.txt"
    with log.open("ab") as output:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [python, "-W", "ignore", str(script), str(work), json.dumps(options)],
            stdout=output,
            stderr=output,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
    try:
        yield _when_ready(process, work / "ready.json", log)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _when_ready(process: "subprocess.Popen[bytes]", ready: Path, log: Path) -> App:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        if ready.exists():
            facts = json.loads(ready.read_text())
            return App(facts.pop("url"), facts)
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise AssertionError(f"the application did not start: {log.read_text()[-3000:]}")


def report_ready(folder: Path, url: str, **facts: Any) -> None:
    """For the scripts: the application answers from now on."""
    draft = folder / "ready.draft"
    draft.write_text(json.dumps({"url": url, "folder": str(folder), **facts}))
    draft.rename(folder / "ready.json")
