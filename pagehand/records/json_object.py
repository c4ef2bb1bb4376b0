"""JSON objects whose keys are not known here: what callers, pages and models give."""

from typing import Any

Json = dict[str, Any]
