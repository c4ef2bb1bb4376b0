"""Samples of the documentation are run as a reader would, against one service, in the order of their page."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.mail_server import mail_in_a_thread
from support.receiver import wait_until
from support.service import RunningService

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RUN = ("sh", "python")
NOT_RUN = {
    "make serve": "sets up the checkout",
    "python3 -m venv ~/pagehand": "tests/acceptance/test_release.py installs the wheel",
    "pagehand serve": "the service of this test; does not end",
    "from standardwebhooks.webhooks import Webhook": "tests/acceptance/test_webhooks.py verifies so",
    "pagehand run claims.workflow.yaml": "tests/acceptance/test_release.py runs it from the wheel",
    "curl -s http://127.0.0.1:8700/executions/get": "needs the id of an execution of the reader's own",
    "from mcp import Client": "a part of a coroutine; tests/acceptance/test_mcp.py does the same",
}
"""Samples that are not run here, by their beginning, with the reason."""


def samples(page: Path) -> list[tuple[str, str]]:
    """Language and text of every sample in `sh` or `python`, and the workflow files that they use."""
    found = re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    indented = re.findall(r"(?:\A|\n\n)((?:    [^\n]*\n)+)", page.read_text())
    commands = [re.sub(r"^    ", "", text, flags=re.MULTILINE) for text in indented]
    calls = [("sh", text) for text in commands if text.startswith("curl ")]
    return [(language, text) for language, text in found + calls if language in (*RUN, "yaml")]


def reason(text: str) -> str | None:
    return next((why for start, why in NOT_RUN.items() if text.startswith(start)), None)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with mail_in_a_thread() as inbox:
        mail = {"PAGEHAND_SMTP_HOST": "127.0.0.1", "PAGEHAND_SMTP_PORT": str(inbox.port)}
        folder = tmp_path_factory.mktemp("docs") / "data"
        running = RunningService(
            folder, "--demo", PAGEHAND_DEMO_PORT="0", PAGEHAND_SMTP_FROM="r@a.example", **mail
        )
        running.start()
        api = running.api()
        wait_until(lambda: api.call("/demo/get")["demo"])
        wait_until(lambda: api.call("/executions/list", {"status": "Completed"})["total"])
        yield running
        running.stop()


def run(text: str, language: str, service: RunningService, folder: Path) -> str:
    """What went wrong with a sample."""
    api = service.api()
    portal = api.call("/demo/get")["demo"]["url"].rstrip("/")
    workflow = api.call("/workflows/list")["workflows"][0]["id"]
    for shown, actual in (
        ("http://127.0.0.1:8701", portal),
        ("https://example.com", portal),
        ("wf_…", workflow),
    ):
        text = text.replace(shown, actual)
    text = re.sub(r"(?:http://)?(?:127\.0\.0\.1|localhost):8700", service.url, text)
    command = ["bash", "-eu", "-c", text] if language == "sh" else [sys.executable, "-c", text]
    if text.startswith("import pytest"):
        (folder / "test_sample.py").write_text(text)
        # trio is here for other tests; the service runs on asyncio
        command = [sys.executable, "-m", "pytest", "-q", "-k", "not trio", "test_sample.py"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "PAGEHAND_URL": service.url, "PAGEHAND_DEMO_PORT": "0"}
    done = subprocess.run(  # noqa: S603 - our own docs
        command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=200
    )
    is_refused = done.returncode != 0 or '{"error"' in done.stdout
    return f"{text}\n{done.stdout[-1000:]}{done.stderr[-1000:]}" if is_refused else ""


def test_samples_work_in_the_order_of_the_pages(service: RunningService, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    problems: list[str] = []
    for language, text in (sample for page in PAGES for sample in samples(page)):
        if language == "yaml":
            (tmp_path / "claims.workflow.yaml").write_text(text)
        elif reason(text) is None:
            problems.append(run(text, language, service, tmp_path))
    assert len(problems) > 15
    assert [problem for problem in problems if problem] == []


def test_every_reason_belongs_to_a_sample() -> None:
    texts = [text for page in PAGES for _, text in samples(page)]
    assert [start for start in NOT_RUN if not any(text.startswith(start) for text in texts)] == []
