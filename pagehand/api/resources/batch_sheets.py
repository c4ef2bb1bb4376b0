"""Sheets for batches: a CSV or XLSX file becomes rows of params, and every row that does not fit is named."""

import base64
import binascii
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final

from msgspec import Meta

from pagehand.api.fields import Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.checks.schemas import schemas_of
from pagehand.errors import BlockFailed, InvalidRequest, NotFound
from pagehand.records import Json, Workflow
from pagehand.turns import in_turns
from pagehand.workflow.cells import as_parameter, by_name, headings, is_empty
from pagehand.workflow.parameters import check_params

MOST_ROWS: Final = 10_000
_MOST_CELLS: Final = 250_000
_MOST_CHARACTERS: Final = 10_000_000
_SECONDS: Final = 60


class ReadSheet(Request):
    """A sheet, and the workflow that is to run once for each of its rows."""

    workflow_id: str
    content_base64: Annotated[
        str,
        Meta(
            description="A CSV file in any encoding, or a workbook (XLSX, XLSM, XLSB, XLS, ODS).",
            extra_json_schema={"contentEncoding": "base64"},
        ),
    ]
    sheet: Annotated[str | None, Meta(description="Which sheet of a workbook; the first without it.")] = None
    columns: Annotated[
        dict[str, str] | None,
        Meta(
            description="Which parameter each column is meant for; others are left out. Without it a column "
            "is meant for the parameter it resembles, else for one of its own name."
        ),
    ] = None


class SheetColumn(View):
    """A column by its heading, and the parameter it is meant for."""

    name: str
    parameter: Annotated[str | None, Meta(description="null where the column is left out.")]


class SheetRow(View):
    """A row below the heading."""

    number: Annotated[int, Meta(description="1 for the first row below the heading.")]
    params: Annotated[Json, Meta(description="As `rows` of `/batches/create` takes them.")]
    problem: Annotated[str | None, Meta(description="Why the workflow would refuse it.")]


class SheetView(View):
    """A sheet as params of a workflow."""

    columns: list[SheetColumn]
    rows: list[SheetRow]
    total: int
    wrong: Annotated[int, Meta(description="How many rows have a problem.")]


class SheetAnswer(View):
    """What was read."""

    sheet: SheetView


@operation(
    "/batches/readSheet",
    needs="run",
    takes=ReadSheet,
    answers=SheetAnswer,
    errors=(404,),
    example={
        "workflowId": "wf_01k3v8c2m4e6g8j0n2q4s6t8w0",
        "contentBase64": "cG9saWN5LGFtb3VudApQLTEsMTIuNTAK",
        "columns": {"policy": "policy", "amount": "amount"},
    },
)
async def read_sheet(call: Call[ReadSheet]) -> Result:
    """Read a sheet into rows of params for `/batches/create`; nothing is stored and nothing starts.

    Cells become what their parameter is: `12.50` a number, `yes` a boolean; empty ones are left out.
    """
    workflow = await call.parts.stores.workflows.get(call.organization_id, call.request.workflow_id)
    if workflow is None:
        raise NotFound("Workflow not found or does not belong to this organization")
    heading, *cells = await _cells(call) or [[]]
    if not cells:
        raise InvalidRequest("`contentBase64`: the sheet has a heading at most; there are no rows to run.")
    names = headings(heading)
    columns = _columns(call.request.columns, names, schemas_of(workflow, call.parts.kinds)[0])
    rows = [
        _row(workflow, number, columns, dict(zip(names, row, strict=False)))
        async for number, row in in_turns(enumerate(cells, 1))
    ]
    return SheetAnswer(
        sheet=SheetView(
            columns=[SheetColumn(name=name, parameter=columns.get(name)) for name in names],
            rows=rows,
            total=len(rows),
            wrong=sum(row.problem is not None for row in rows),
        )
    )


async def _cells(call: Call[ReadSheet]) -> list[list[Any]]:
    try:
        content = base64.b64decode(call.request.content_base64, validate=True)
    except (binascii.Error, ValueError):
        raise InvalidRequest("`contentBase64`: expected base64 (RFC 4648, with padding)") from None
    limits = {"mostRows": MOST_ROWS + 1, "mostCells": _MOST_CELLS, "mostCharacters": _MOST_CHARACTERS}
    options = {"sheet": call.request.sheet, **limits}
    try:
        return await call.parts.documents.perform("readRows", content, options, timeout_seconds=_SECONDS)
    except BlockFailed as problem:
        raise InvalidRequest(f"`contentBase64`: the sheet cannot be read. {problem.message}") from problem


def _columns(asked: Mapping[str, str] | None, names: list[str], schema: Json) -> dict[str, str]:
    if asked is None:
        return _each_once(by_name(names, schema["properties"]))
    unknown = next((name for name in asked if name not in names), None)
    if unknown is not None:
        there = ", ".join(f"`{name[:80]}`" for name in names[:20])
        raise InvalidRequest(f"`columns`: the sheet has no column `{unknown[:80]}`; it has {there}.")
    taken = list(asked.values())
    twice = next((name for name in taken if taken.count(name) > 1), None)
    if twice is not None:
        raise InvalidRequest(f"`columns`: two columns are meant for the parameter `{twice[:80]}`.")
    return dict(asked)


def _each_once(columns: dict[str, str]) -> dict[str, str]:
    """Of two columns that resemble one parameter the first has it."""
    first = {parameter: column for column, parameter in reversed(columns.items())}
    return {column: parameter for column, parameter in columns.items() if first[parameter] == column}


def _row(workflow: Workflow, number: int, columns: Mapping[str, str], cells: Mapping[str, Any]) -> SheetRow:
    declared = {str(parameter["name"]): parameter for parameter in workflow.parameters}
    params = {
        parameter: as_parameter(declared.get(parameter, {}), cells[column])
        for column, parameter in columns.items()
        if not is_empty(cells.get(column))
    }
    return SheetRow(number=number, params=params, problem=_problem(workflow.parameters, params))


def _problem(declared: Iterable[Mapping[str, Any]], params: Json) -> str | None:
    try:
        check_params(declared, params, "params")
    except InvalidRequest as problem:
        return problem.message.replace("`params.", "`", 1)
    return None


OPERATIONS = (read_sheet,)
