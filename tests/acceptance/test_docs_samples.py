"""Samples of the documentation are run as a reader would, against one service, in the order of their page."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from support.mail_server import mail_in_a_thread
from support.service import RunningService
from support.waiting import wait_until

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RUN = ("sh", "python")
COMMAND = re.compile(r"(?:[A-Z_]+=\S* )*pagehand ")
NOT_RUN = {
    "make serve": "sets up the checkout",
    "python3 -m venv ~/pagehand": "tests/acceptance/test_release.py installs the wheel",
    "pagehand serve": "the service of this test; does not end",
    "from standardwebhooks.webhooks import Webhook": "tests/acceptance/test_webhooks.py verifies so",
    "pagehand run claims.workflow.yaml\n": "tests/acceptance/test_release.py runs it from the wheel",
    "curl -s http://127.0.0.1:8700/executions/get": "needs the id of an execution of the reader's own",
    "from mcp import Client": "a part of a coroutine; tests/acceptance/test_mcp.py does the same",
    "pagehand run FILE|NAME": "the form of the command",
    "pagehand record URL": "the form of the command, which waits for a person",
    "pagehand serve [": "the form of the command",
    "pagehand restored --data-dir FOLDER [": "the form of the command",
    "OTEL_EXPORTER_OTLP_ENDPOINT=": "does not end; tests/acceptance/test_traces.py runs it",
}
"""Samples that are not run here, by their beginning, with the reason."""


def samples(page: Path) -> list[tuple[str, str]]:
    """Language and text of every sample in `sh` or `python`, and the workflow files that they use."""
    found = re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    indented = re.findall(r"(?:\A|\n\n)((?:    [^\n]*\n)+)", page.read_text())
    commands = [re.sub(r"^    ", "", text, flags=re.MULTILINE) for text in indented]
    calls = [("sh", text) for text in commands if text.startswith("curl ")]
    shown = [("shown", text) for text in commands if COMMAND.match(text)]
    return [
        (language, text) for language, text in found + calls + shown if language in (*RUN, "shown", "yaml")
    ]


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


def shown_commands(text: str) -> Iterator[tuple[str, bool]]:
    """The commands of a sample that also has what they print, and whether that follows."""
    lines = text.splitlines()
    for line, following in pairwise([*lines, "pagehand "]):
        if COMMAND.match(line):
            yield line, COMMAND.match(following) is None


def run_shown(text: str, service: RunningService, folder: Path) -> str:
    """What went wrong; a command that found something, which is shown, ends with 1."""
    ran = [run(line, "sh", service, folder, found_something=found) for line, found in shown_commands(text)]
    return "\n".join(filter(None, ran))


def run(
    text: str, language: str, service: RunningService, folder: Path, *, found_something: bool = False
) -> str:
    """What went wrong with a sample."""
    api = service.api()
    portal = api.call("/demo/get")["demo"]["url"].rstrip("/")
    workflow = api.call("/workflows/list")["workflows"][0]["id"]
    for shown, actual in (
        ("http://127.0.0.1:8701", portal),
        ("https://example.com", portal),
        ("wf_…", workflow),
        ("/backups/", f"{folder}/"),
    ):
        text = text.replace(shown, actual)
    if "key_…" in text:
        text = text.replace("key_…", f"key_{service.new_key('Acme').split('_')[1]}")
    text = re.sub(r"(?:http://)?(?:127\.0\.0\.1|localhost):8700", service.url, text)
    command = ["bash", "-eu", "-c", text] if language == "sh" else [sys.executable, "-c", text]
    if text.startswith("import pytest"):
        (folder / "test_sample.py").write_text(text)
        # trio is here for other tests; the service runs on asyncio
        command = [sys.executable, "-m", "pytest", "-q", "-k", "not trio", "test_sample.py"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    own = {
        "PAGEHAND_URL": service.url,
        "PAGEHAND_DATA_DIR": str(service.data_dir),
        "PAGEHAND_DEMO_PORT": "0",
        "PAGEHAND_EGRESS_ALLOW": portal.removeprefix("http://"),
    }
    done = subprocess.run(  # noqa: S603 - our own docs
        command,
        cwd=folder,
        env={**os.environ, "PATH": path, **own},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    is_refused = done.returncode not in (0, int(found_something)) or '{"error"' in done.stdout
    return f"{text}\n{done.stdout[-1000:]}{done.stderr[-1000:]}" if is_refused else ""


DEVTOOLS = """{"title": "Claims", "steps": [
  {"type": "navigate", "url": "http://127.0.0.1:8701/"},
  {"type": "click", "selectors": [["#nav-new"]]}]}"""
HEADLINE = """\
name: Headline
parameters:
  url: {type: string, required: true}
blocks:
  - kind: Navigate
    url: "{{params.url}}"
"""


def prepare(folder: Path, service: RunningService) -> None:
    """What the samples take for granted: files of the reader's own, and workflows of the service."""
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "recording.json").write_text(DEVTOOLS)
    (folder / "headline.workflow.yaml").write_text(HEADLINE)
    (folder / "workflows").mkdir()
    shutil.copy(ROOT / "examples" / "new-claim.workflow.yaml", folder / "workflows")
    api = service.api()
    demo = api.call("/workflows/list", {"search": "Demo: collect claims"})["workflows"][0]
    collect = api.call("/workflows/create", {"name": "Collect claims", "blocks": demo["blocks"]})["workflow"]
    ran = api.call("/workflows/executeSync", {"workflowId": collect["id"]})["execution"]
    assert ran["status"] == "Completed", ran["errorAnalysis"]
    # a backup does not hold the key: the reader has kept it
    (folder / "NEW-FOLDER").mkdir()
    shutil.copy(service.data_dir / "master.key", folder / "NEW-FOLDER")


def begin_page(folder: Path) -> None:
    """The workflow of the tutorial, for each page; with its recording beside it where there is one."""
    text = (ROOT / "docs" / "tutorial.md").read_text().split("```yaml\n")[1].split("```")[0]
    (folder / "claims.workflow.yaml").write_text(text)


def keep_as_suite(folder: Path) -> None:
    """Put the recorded workflow among the others, as a reader of docs/replaying.md does."""
    if (folder / "claims.recording").exists():
        shutil.copy(folder / "claims.workflow.yaml", folder / "workflows")
        shutil.copytree(
            folder / "claims.recording", folder / "workflows" / "claims.recording", dirs_exist_ok=True
        )


@pytest.mark.timeout(1200)  # dozens of commands, each a process of its own
def test_samples_work_in_the_order_of_the_pages(service: RunningService, tmp_path: Path) -> None:
    prepare(tmp_path, service)
    problems: list[str] = []
    for page in PAGES:
        begin_page(tmp_path)
        for language, text in samples(page):
            if language == "shown" and reason(text) is None:
                problems.append(run_shown(text, service, tmp_path))
                keep_as_suite(tmp_path)
            elif language in RUN and reason(text) is None:
                problems.append(run(text, language, service, tmp_path))
    assert len(problems) > 25
    assert [problem for problem in problems if problem] == []


def test_every_reason_belongs_to_a_sample() -> None:
    texts = [text for page in PAGES for _, text in samples(page)]
    assert [start for start in NOT_RUN if not any(text.startswith(start) for text in texts)] == []
