"""Reads the rows of a sheet as params of a workflow, and checks each of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from pagehand.api.services import ApiServices
from pagehand.checks.workflow import schemas_without_blocking
from pagehand.documents import LARGEST_DOCUMENT
from pagehand.errors import BlockFailed, InvalidRequest, NotFound
from pagehand.loop import iterate_cooperatively
from pagehand.records import Json, Workflow
from pagehand.workflow.cells import as_parameter, by_name, headings, is_empty
from pagehand.workflow.parameters import check_params

_SECONDS: Final = 60
_MB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class SheetLimits:
    """How large a sheet may be."""

    rows: int
    cells: int
    characters: int


INLINE_LIMITS: Final = SheetLimits(rows=10_000, cells=250_000, characters=10_000_000)
"""For a sheet in the request itself, all of whose rows may be in the response."""
STORED_LIMITS: Final = SheetLimits(rows=50_000, cells=1_000_000, characters=50_000_000)
"""For a stored file."""


@dataclass(frozen=True, slots=True)
class ParsedRow:
    """A row below the heading."""

    number: int
    params: Json
    problem: str | None
    """Why the workflow would refuse it."""


@dataclass(frozen=True, slots=True)
class SheetRows:
    """A sheet that was read for one workflow."""

    names: list[str]
    columns: Mapping[str, str]
    """The parameter that each column is meant for."""
    rows: list[ParsedRow]


@dataclass(frozen=True, slots=True)
class SheetSource:
    """A sheet to read: the request's field that named it, its content, and its limits."""

    field: str
    content: bytes
    limits: SheetLimits


async def stored_sheet(services: ApiServices, organization_id: str, file_id: str) -> SheetSource:
    """A sheet that was uploaded as a file."""
    info = await services.stores.files.get(organization_id, file_id)
    if info is None:
        raise NotFound(f"`fileId`: there is no file `{file_id[:80]}` in this organization.")
    if info.size_bytes > LARGEST_DOCUMENT:
        raise InvalidRequest(
            f"`fileId`: the sheet has {info.size_bytes / _MB:.0f} MB; up to {LARGEST_DOCUMENT // _MB} MB are "
            "read. Split it into several batches."
        )
    return SheetSource("fileId", await services.files.read(info.key), STORED_LIMITS)


async def read_sheet_rows(
    services: ApiServices,
    workflow: Workflow,
    source: SheetSource,
    sheet: str | None,
    columns: Mapping[str, str] | None,
) -> SheetRows:
    """The sheet's rows as params; without `columns` they are matched with parameters by their names."""
    chunks = await _read_chunks(services, source, sheet)
    first: list[list[Any]] = orjson.loads(chunks[0])
    names = headings(first[0])
    expected, _ = await schemas_without_blocking(workflow, services.kinds)
    parameters = _match_columns(columns, names, expected)
    rows: list[ParsedRow] = []
    for position, chunk in enumerate(chunks):
        cells: list[list[Any]] = orjson.loads(chunk) if position else first[1:]
        chunks[position] = b""  # to save memory: its rows become params
        # there may be 50,000 rows to check
        async for row in iterate_cooperatively(cells):
            rows.append(_check_row(workflow, len(rows) + 1, parameters, dict(zip(names, row, strict=False))))
    return SheetRows(names, parameters, rows)


async def _read_chunks(services: ApiServices, source: SheetSource, sheet: str | None) -> list[bytes]:
    limits = source.limits
    options = {
        "sheet": sheet,
        # the heading counts as a row
        "mostRows": limits.rows + 1,
        "mostCells": limits.cells,
        "mostCharacters": limits.characters,
    }
    chunks: list[bytes] = []

    async def keep(_: str, content: bytes) -> None:
        chunks.append(content)

    try:
        count = await services.documents.perform(
            "sendRows", source.content, options, timeout_seconds=_SECONDS, keep=keep
        )
    except BlockFailed as problem:
        raise InvalidRequest(f"`{source.field}`: the sheet cannot be read. {problem.message}") from problem
    if count <= 1:
        raise InvalidRequest(f"`{source.field}`: the sheet has a heading at most; there are no rows to run.")
    return chunks


def _match_columns(columns: Mapping[str, str] | None, names: list[str], schema: Json) -> dict[str, str]:
    if columns is None:
        return _without_duplicates(by_name(names, schema["properties"]))
    unknown = next((name for name in columns if name not in names), None)
    if unknown is not None:
        existing = ", ".join(f"`{name[:80]}`" for name in names[:20])
        raise InvalidRequest(f"`columns`: the sheet has no column `{unknown[:80]}`; it has {existing}.")
    parameters = list(columns.values())
    repeated = next((name for name in parameters if parameters.count(name) > 1), None)
    if repeated is not None:
        raise InvalidRequest(f"`columns`: two columns are meant for the parameter `{repeated[:80]}`.")
    return dict(columns)


def _without_duplicates(columns: dict[str, str]) -> dict[str, str]:
    """If two columns resemble one parameter, the first gets it."""
    first = {parameter: column for column, parameter in reversed(columns.items())}
    return {column: parameter for column, parameter in columns.items() if first[parameter] == column}


def _check_row(
    workflow: Workflow, number: int, columns: Mapping[str, str], cells: Mapping[str, Any]
) -> ParsedRow:
    declared = {str(parameter["name"]): parameter for parameter in workflow.parameters}
    params = {
        parameter: as_parameter(declared.get(parameter, {}), cells[column])
        for column, parameter in columns.items()
        if not is_empty(cells.get(column))
    }
    return ParsedRow(number, params, _problem(workflow.parameters, params))


def _problem(declared: Iterable[Mapping[str, Any]], params: Json) -> str | None:
    try:
        check_params(declared, params, "params")
    except InvalidRequest as problem:
        return problem.message.replace("`params.", "`", 1)
    return None
