"""What is released: sdist and wheel hold everything, and the wheel runs in an environment of its own."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx2
import pytest

import pagehand
from support.service import RunningService

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).parent / "uv"
AGENT = """
import asyncio, sys
from mcp import Client, StdioServerParameters

async def main():
    command = StdioServerParameters(command=sys.argv[1], args=["mcp", "--url", sys.argv[2]])
    async with Client(command) as client:
        result = await client.call_tool("read_claims", {"words": "water"})
        print(len(result.structured_content["output"]))

asyncio.run(main())
"""


def run(*command: str | Path, cwd: Path, **env: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(  # noqa: S603 - our own commands
        command, cwd=cwd, env={**environment, **env}, capture_output=True, text=True, check=False, timeout=250
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def build(source: Path, out: Path, *options: str, **env: str) -> None:
    """Build with the tools of this environment, which the lock file has hashes of."""
    run(
        UV,
        "build",
        source,
        "--no-build-isolation",
        "--python",
        sys.executable,
        *options,
        "-o",
        out,
        cwd=out,
        **env,
    )


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that is made from it."""
    out = tmp_path_factory.mktemp("dist")
    build(ROOT, out, "--sdist")
    empty = out / "no programs"
    empty.mkdir()
    [sdist] = out.glob("*.tar.gz")
    # nothing on the path: what Node.js makes is in the sdist
    build(sdist, out, "--wheel", PATH=str(empty))
    return out


@pytest.fixture(scope="module")
def installed(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that holds nothing but the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("installed")
    [wheel] = released.glob("*.whl")
    run(UV, "venv", "--quiet", "--python", sys.executable, "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    install = (UV, "pip", "install", "--quiet", "--python", python)
    run(*install, "--require-hashes", "-r", ROOT / "requirements" / "base.txt", cwd=folder)
    run(*install, "--no-deps", wheel, cwd=folder)
    run(UV, "pip", "check", "--python", python, cwd=folder)
    return python.parent


@pytest.fixture(scope="module")
def service(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    running = RunningService(tmp_path_factory.mktemp("service") / "data")
    running.python = str(installed / "python")
    running.start()
    assert b"/venv/" in Path(f"/proc/{running.pids[0]}/cmdline").read_bytes()
    yield running
    running.stop()


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_of_the_sdist_holds_what_that_of_the_checkout_holds(released: Path, tmp_path: Path) -> None:
    build(ROOT, tmp_path, "--wheel")
    [from_sdist], [from_checkout] = released.glob("*.whl"), tmp_path.glob("*.whl")
    assert from_sdist.name == f"pagehand-{pagehand.__version__}-py3-none-any.whl"
    held = contents(from_sdist)
    assert held == contents(from_checkout)
    sources = [path for path in (ROOT / "pagehand").rglob("*") if path.is_file()]
    sources = [path for path in sources if path.parent.name != "__pycache__"]
    assert {str(path.relative_to(ROOT)) for path in sources} <= held.keys()
    notices = held["pagehand/api/console/bundle/NOTICES.txt"].decode()
    assert "preact" in notices
    assert "codemirror" in notices
    assert notices.count("Permission is hereby granted") > 10
    assert b"Martin Donath" in held["pagehand/api/guide/site/NOTICES.txt"]


def test_the_installed_command_runs_the_workflow_of_the_tutorial(installed: Path, tmp_path: Path) -> None:
    assert run(installed / "pagehand", "--version", cwd=tmp_path).strip() == pagehand.__version__
    text = (ROOT / "docs" / "tutorial.md").read_text().split("```yaml\n")[1].split("```")[0]
    (tmp_path / "claims.workflow.yaml").write_text(text)
    answer = run(installed / "pagehand", "run", "claims.workflow.yaml", cwd=tmp_path, PAGEHAND_DEMO_PORT="0")
    assert json.loads(answer)["output"][0].keys() == {"claim", "amount"}


@pytest.fixture
def demo(installed: Path, tmp_path: Path) -> Iterator[RunningService]:
    running = RunningService(tmp_path / "service" / "data", "--demo", PAGEHAND_DEMO_PORT="0")
    running.data_dir.mkdir(parents=True)
    running.python = str(installed / "python")
    yield running.start()
    running.stop()


def test_the_first_ten_minutes_of_a_newcomer(installed: Path, demo: RunningService, tmp_path: Path) -> None:
    """Each command is one of the tutorial, in its order, from the wheel alone."""
    folder = tmp_path / "work"
    shutil.copytree(ROOT / "examples", folder / "examples")
    tutorial = (ROOT / "docs" / "tutorial.md").read_text()
    (folder / "claims.workflow.yaml").write_text(tutorial.split("```yaml\n")[1].split("```")[0])
    python = partial(run, installed / "python", cwd=folder)
    pagehand = partial(
        run, installed / "pagehand", cwd=folder, PAGEHAND_URL=demo.url, PAGEHAND_DEMO_PORT="0", NO_COLOR="1"
    )

    # without a service: an example, then the same without its site
    example = ("examples/open-claims.workflow.yaml", "--record", "claims.recording")
    assert {claim["status"] for claim in json.loads(pagehand("run", *example))["output"]} == {"Open"}
    replayed = pagehand("replay", example[0], "--recording", "claims.recording")
    assert replayed.startswith("examples/open-claims.workflow.yaml: as recorded: 6 blocks")

    # with the service
    assert pagehand("apply", "claims.workflow.yaml") == "created: Read claims (claims.workflow.yaml)\n"
    assert pagehand("diff", "claims.workflow.yaml") == ""
    claims = json.loads(pagehand("run", "Read claims", "-p", "words=water"))["output"]
    assert claims[0].keys() == {"claim", "amount"}
    pagehand("schedules", "add", "--workflow", "Read claims", "--cron", "30 7 * * MON-FRI", "--name", "Daily")
    started = json.loads(pagehand("schedules", "run", "Daily", "--json"))["execution"]
    assert "execution.completed" in pagehand("executions", "follow", started["id"])
    assert "Completed" in pagehand("executions", "list", "--workflow", "Read claims")
    pagehand("look", "Read claims")

    # from programs and agents
    [sample] = re.findall(r"```python\n(from pagehand.client .*?)```", tutorial, re.DOTALL)
    assert str(claims[0]["claim"]) in python("-c", sample.replace("http://127.0.0.1:8700", demo.url))
    assert python("-c", AGENT, installed / "pagehand", demo.url) == f"{len(claims)}\n"
    metrics = httpx2.get(f"{demo.url}/metrics").text
    assert re.search(r'^pagehand_executions\{status="Completed"\} [5-9]', metrics, re.MULTILINE)


def test_the_installed_service_serves_console_and_guide(service: RunningService) -> None:
    with httpx2.Client(base_url=service.url, headers={"accept": "text/html"}) as client:
        console = client.get("/").text
        assert (
            client.get(console.split('src="')[1].split('"')[0])
            .headers["content-type"]
            .startswith("text/javascript")
        )
        assert "<h1" in client.get("/guide/tutorial.html").text
        assert client.get("/llms.txt").text.startswith("# Pagehand")
        assert (
            client.get("/", headers={"accept": "application/json"}).json()["version"] == pagehand.__version__
        )
        assert client.get("/openapi.json").json()["info"]["version"] == pagehand.__version__
