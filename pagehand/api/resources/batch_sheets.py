"""Batches from sheets: a CSV or XLSX file becomes rows of params, and every row is checked."""

from typing import Annotated, Final

from msgspec import Meta

from pagehand.api.body import MULTIPART
from pagehand.api.fields import (
    Answer,
    ExistingName,
    Id,
    Listing,
    Name,
    Page,
    Request,
    View,
    decode_content,
)
from pagehand.api.operation import EXAMPLE_WORKFLOW_ID, Call, Result, operation
from pagehand.api.resources.batches import BatchAnswer, Concurrency, batch_answer, find_batch
from pagehand.api.resources.files import FileAnswer, Upload, UploadFile, read_upload, store_upload
from pagehand.api.resources.lookups import find_workflow
from pagehand.api.sheet_rows import (
    INLINE_LIMITS,
    SheetRows,
    SheetSource,
    read_sheet_rows,
    stored_sheet,
)
from pagehand.engine.port import ExecutionRequest
from pagehand.errors import InvalidRequest
from pagehand.records import Json, SkippedRow

_EXAMPLE_FILE: Final = "file_01k3v8c2m4e6g8j0n2q4s6t8w0"
_EXAMPLE_CONTENT: Final = "cG9saWN5LGFtb3VudApQLTEsMTIuNTAK"
_EXAMPLE_COLUMNS: Final = {"policy": "policy", "amount": "amount"}
SheetName = Annotated[
    ExistingName | None, Meta(description="Which sheet of a workbook; the first without it.")
]
Columns = Annotated[
    dict[str, str] | None,
    Meta(
        description="Which parameter each column is meant for; others are left out. Without it a column "
        "is meant for the parameter it resembles, else for one with the column's name."
    ),
]
RowLimit = Annotated[
    int,
    Meta(
        ge=1,
        le=1000,
        description="Answer only with so many of the first rows, and so many of the later ones that have a "
        "problem. `total` and `wrong` still count all of them.",
    ),
]


class ReadSheet(Request):
    """A sheet (`fileId` or `contentBase64` is needed), and the workflow that is to run once for each row."""

    workflow_id: str
    file_id: Annotated[
        str | None, Meta(description="A stored file: a CSV file in any encoding, or a workbook.")
    ] = None
    content_base64: Annotated[
        str | None,
        Meta(
            description="A CSV file in any encoding, or a workbook (XLSX, XLSM, XLSB, XLS, ODS).",
            extra_json_schema={"contentEncoding": "base64"},
        ),
    ] = None
    sheet: SheetName = None
    columns: Columns = None
    limit: RowLimit | None = None


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


SheetAnswer = Answer("SheetAnswer", "sheet", SheetView, "What was read.")
SkippedRows = Listing(
    "SkippedRows",
    "rows",
    SheetRow,
    "In their order. At most the first 1,000 of a batch are kept, and 1 MB of them.",
)


class ListSkippedRows(Page, kw_only=True):
    """Of which batch, and which part of them."""

    id: Id


class CreateFromSheet(Request):
    """Which workflow to run once for each row of a stored file."""

    name: Name
    workflow_id: str
    file_id: Annotated[str, Meta(description="Of `/batches/uploadSheet` or `/files/upload`.")]
    sheet: SheetName = None
    columns: Columns = None
    leave_out_wrong_rows: Annotated[
        bool, Meta(description="Start without the rows that the workflow would refuse.")
    ] = False
    login_id: str | None = None
    concurrency: Concurrency | None = None


@operation(
    "/batches/uploadSheet",
    scope="run",
    response=FileAnswer,
    decode=read_upload,
    request_schema=UploadFile,
    accepts=(b"application/json", MULTIPART),
    example={
        "name": "March.csv",
        "mimeType": "text/csv",
        "contentBase64": _EXAMPLE_CONTENT,
    },
)
async def upload_sheet(call: Call[Upload]) -> Result:
    """Keep a sheet for a batch, as `/files/upload` does, for keys that may run but not edit."""
    return await store_upload(call)


@operation(
    "/batches/readSheet",
    scope="run",
    response=SheetAnswer,
    errors=(404,),
    example={
        "workflowId": EXAMPLE_WORKFLOW_ID,
        "contentBase64": _EXAMPLE_CONTENT,
        "columns": _EXAMPLE_COLUMNS,
    },
)
async def read_sheet(call: Call[ReadSheet]) -> Result:
    """Read a sheet into rows of params for `/batches/create`; nothing is stored and nothing starts.

    Cells become what their parameter is: `12.50` a number, `yes` a boolean; empty ones are left out.
    """
    request = call.request
    workflow = await find_workflow(call, request.workflow_id, "workflowId")
    read = await read_sheet_rows(call.services, workflow, await _source(call), request.sheet, request.columns)
    return SheetAnswer(_view(read, request.limit))


@operation(
    "/batches/createFromSheet",
    scope="run",
    response=BatchAnswer,
    errors=(404, 409),
    example={
        "name": "March",
        "workflowId": EXAMPLE_WORKFLOW_ID,
        "fileId": _EXAMPLE_FILE,
        "columns": _EXAMPLE_COLUMNS,
    },
)
async def create_from_sheet(call: Call[CreateFromSheet]) -> Result:
    """Start one execution per row of a stored file, all or none.

    Rows are read as `/batches/readSheet` reads them.
    """
    request = call.request
    workflow = await find_workflow(call, request.workflow_id, "workflowId")
    source = await stored_sheet(call.services, call.organization_id, request.file_id)
    read = await read_sheet_rows(call.services, workflow, source, request.sheet, request.columns)
    rows = _valid_rows(read, leave_out_wrong=request.leave_out_wrong_rows)
    secrets = {str(declared["name"]) for declared in workflow.parameters if declared.get("isSecret")}
    skipped = [
        SkippedRow(number=row.number, params=_without(row.params, secrets), problem=row.problem)
        for row in read.rows
        if row.problem is not None
    ]
    execution_request = ExecutionRequest(workflow_id=workflow.id, login_id=request.login_id)
    batch = await call.services.engine.accept_batch(
        call.organization_id, request.name, execution_request, rows, request.concurrency, skipped
    )
    return await batch_answer(call.services.stores.batches, batch)


@operation("/batches/skippedRows", scope="read", response=SkippedRows, errors=(404,), example={"limit": 20})
async def skipped_rows(call: Call[ListSkippedRows]) -> Result:
    """The rows of a batch's sheet that it was started without, and why the workflow would refuse them.

    Values of secret parameters are left out.
    """
    request = call.request
    batch = await find_batch(call)
    rows = await call.services.stores.batches.skipped(call.organization_id, batch.id)
    shown = rows[request.offset : request.offset + request.limit]
    return SkippedRows([SheetRow.of(row) for row in shown], total=len(rows))


def _without(params: Json, names: set[str]) -> Json:
    return {name: value for name, value in params.items() if name not in names}


def _valid_rows(read: SheetRows, *, leave_out_wrong: bool) -> dict[int, Json]:
    """The params of the rows that the workflow takes, by the number of the row."""
    good = {row.number: row.params for row in read.rows if row.problem is None}
    wrong = next((row for row in read.rows if row.problem is not None), None)
    if wrong is not None and not (leave_out_wrong and good):
        count = len(read.rows) - len(good)
        which = f"Row {wrong.number}: {wrong.problem}"
        raise InvalidRequest(f"{count:,} of {len(read.rows):,} rows do not fit the workflow. {which}")
    return good


async def _source(call: Call[ReadSheet]) -> SheetSource:
    request = call.request
    if (request.file_id is None) == (request.content_base64 is None):
        raise InvalidRequest("One of `fileId` and `contentBase64` is required")
    if request.file_id is not None:
        return await stored_sheet(call.services, call.organization_id, request.file_id)
    content = decode_content(request.content_base64 or "")
    return SheetSource("contentBase64", content, INLINE_LIMITS)


def _view(read: SheetRows, limit: int | None) -> SheetView:
    wrong = [row for row in read.rows if row.problem is not None]
    shown = read.rows
    if limit is not None:
        # otherwise a wrong row far down would be seen only after the batch was refused
        later = [row for row in wrong if row.number > limit]
        shown = [*read.rows[:limit], *later[:limit]]
    return SheetView(
        columns=[SheetColumn(name=name, parameter=read.columns.get(name)) for name in read.names],
        rows=[SheetRow(number=row.number, params=row.params, problem=row.problem) for row in shown],
        total=len(read.rows),
        wrong=len(wrong),
    )
