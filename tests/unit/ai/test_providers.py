"""Which of the library's models a setting such as `anthropic:claude-sonnet-5` stands for, and its key."""

import sys
from collections.abc import Generator

import pytest

from pagehand.ai.wire import open_model
from pagehand.errors import BlockFailed

PROVIDERS = [
    ("openai:gpt-5-mini", "openai", "OpenAIResponsesModel", "https://api.openai.com/"),
    ("anthropic:claude-sonnet-5", "anthropic", "AnthropicModel", "https://api.anthropic.com"),
    ("google:gemini-3-flash", "google", "GoogleModel", "https://generativelanguage.googleapis.com"),
    (
        "bedrock:anthropic.claude-sonnet-5",
        "bedrock",
        "BedrockConverseModel",
        "https://bedrock-runtime.eu-west-1.",
    ),
    ("ollama:qwen3", "openai", "OpenAIChatModel", "http://localhost:11434/v1"),
]
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "OLLAMA_BASE_URL")


@pytest.fixture(autouse=True)
def bare_environment() -> Generator[None]:
    """No keys of the machine, and a region for the one provider that has no default."""
    with pytest.MonkeyPatch.context() as patched:
        for name in KEYS:
            patched.delenv(name, raising=False)
        patched.setenv("AWS_DEFAULT_REGION", "eu-west-1")
        yield


@pytest.mark.parametrize(("spec", "module", "kind", "address"), PROVIDERS)
def test_a_provider_is_served_by_the_librarys_own_model(
    spec: str, module: str, kind: str, address: str
) -> None:
    model = open_model(spec, None, "a-key")
    assert type(model).__module__ == f"pydantic_ai.models.{module}"
    assert type(model).__name__ == kind
    assert model.model_name == spec.partition(":")[2]
    assert str(model.base_url).startswith(address)


def test_a_missing_library_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    monkeypatch.delitem(sys.modules, "pydantic_ai.models.anthropic", raising=False)
    monkeypatch.delitem(sys.modules, "pydantic_ai.providers.anthropic", raising=False)
    with pytest.raises(BlockFailed, match=r"pip install 'pagehand\[models\]'"):
        open_model("anthropic:claude-sonnet-5", None, "a-key")


def test_without_a_key_the_providers_own_variable_is_named() -> None:
    with pytest.raises(BlockFailed, match="OPENAI_API_KEY"):
        open_model("openai:gpt-5-mini", None, None)


def test_ollama_is_reached_where_its_own_variable_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://models.internal:11434/v1")
    assert str(open_model("ollama:qwen3", None, None).base_url).startswith("http://models.internal:11434/v1")


def test_any_provider_at_an_address_of_its_own_speaks_openais_protocol() -> None:
    model = open_model("house:qwen3", "http://127.0.0.1:8080/v1", None)
    assert (type(model).__name__, model.model_name) == ("OpenAIChatModel", "qwen3")
    assert str(model.base_url).startswith("http://127.0.0.1:8080/v1")
