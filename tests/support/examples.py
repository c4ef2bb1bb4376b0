"""Sends the examples of the OpenAPI document, by the methods of the Python client."""

import re
from collections.abc import Iterator
from pathlib import Path

from pagehand.client import ApiError, Pagehand
from support.requests import Description, Json

FILES = {
    "/executions/evidence": "application/zip",
    "/batches/results": "text/csv",
    "/batches/resultsZip": "application/zip",
}
"""Operations that answer with something else than JSON."""
_ORDER = (
    r"cancel|stop|release|decline|close",
    r"/demo/break|/organization/update",
    r"delete",
    r"/workflows/delete",
    r"revoke",
)
"""What ends or deletes a thing, or changes what the others need, comes last, in this order."""


def operations(document: Json) -> Iterator[tuple[str, Json]]:
    """Every described POST."""
    for path, methods in document["paths"].items():
        if "post" in methods:
            yield path, methods["post"]


def refused_examples(client: Pagehand, document: Json, ids: dict[str, str], folder: Path) -> dict[str, str]:
    """The answers to the examples that were refused, by path; `ids` are put in place of theirs, by prefix."""
    description = Description(document, ids)
    refused: dict[str, str] = {}
    for path, operation in sorted(operations(document), key=_rank):
        fields = {_snake(name): value for name, value in description.example(path).items()}
        target = {"to": folder / "file"} if path in FILES else {}
        try:
            getattr(client, _snake(operation["operationId"]))(**fields, **target)
        except ApiError as refusal:
            refused[path] = f"{refusal.status} {refusal}"
    return refused


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _rank(operation: tuple[str, Json]) -> int:
    matching = [rank for rank, words in enumerate(_ORDER, 1) if re.search(words, operation[0], re.IGNORECASE)]
    return max(matching, default=0)
