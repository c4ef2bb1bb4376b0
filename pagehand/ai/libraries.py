"""Whether the libraries of the configured models are installed, for `pagehand doctor`."""

import asyncio
from collections.abc import Iterator
from typing import Final

from pagehand.settings import Settings

_INSTALL: Final = "pip install 'pagehand[models]'"
_NO_MODEL: Final = "none"


async def describe_models(settings: Settings) -> list[str]:
    """A line for each model that the settings name; what to run where its library is absent."""
    # in a thread: the libraries take a second to load
    lines = [await asyncio.to_thread(_describe, spec, settings) for spec in dict.fromkeys(_named(settings))]
    return lines or ["No language model (set PAGEHAND_MODEL to use one)"]


def _named(settings: Settings) -> Iterator[str]:
    entries = [entry.partition("=")[2] for entry in settings.model_organizations.split(",")]
    for spec in (settings.model or "", *settings.model_fallbacks.split(","), *entries):
        if spec.strip() not in ("", _NO_MODEL):
            yield spec.strip()


def _describe(spec: str, settings: Settings) -> str:
    provider = spec.partition(":")[0]
    # a service at an address of its own is spoken to as OpenAI's
    has_address = settings.model_base_url is not None and (settings.model or spec).startswith(f"{provider}:")
    is_compatible = has_address or provider == "ollama"
    try:
        from pydantic_ai.providers import infer_provider_class  # noqa: PLC0415 - an extra

        infer_provider_class("openai" if is_compatible else provider)
    except ImportError:
        return f"Language model {spec} cannot be used: run `{_INSTALL}`"
    except ValueError as unknown:
        return f"Language model {spec} cannot be used: {unknown}"
    return f"Language model {spec}"
