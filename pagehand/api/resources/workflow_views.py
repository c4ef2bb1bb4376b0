"""Workflows as the API takes and shows them."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from pagehand.api.fields import Answer, Moment, Name, Named, Request, TagName, TagNames, View
from pagehand.blocks import Registry
from pagehand.checks import WorkflowWarning, check_workflow
from pagehand.clock import to_iso
from pagehand.errors import InvalidRequest
from pagehand.records import Json, Pictured, Workflow, WorkflowVersion
from pagehand.workflow import templates
from pagehand.workflow.parameters import check_declared
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow.tree import Envelope

BlockJson = Annotated[Json, Meta(extra_json_schema={"x-ref": "Block"})]
NewBlockJson = Annotated[Json, Meta(extra_json_schema={"x-ref": "NewBlock"})]
Output = Annotated[
    Any, Meta(description='What becomes the response: a template, or JSON with templates; `""` for none.')
]

RetrySafe = Annotated[
    bool,
    Meta(
        description="It may be repeated automatically although it has sent something: repeating does no harm."
    ),
]
Pictures = Annotated[
    Pictured,
    Meta(
        description="Which blocks get a picture: `all` that change the page, `acts` (those that press or "
        "enter something), only `failures`, which the two before include, or `none`."
    ),
]

FORMAT = "pagehand.workflow/1"
"""What an exported workflow is marked with."""


class ParentRelationship(View):
    """The place of a block in the tree."""

    block_depth: int
    position_in_sequence: int
    parent_block_id: str | None
    parent_sequence_id: Literal["sequence", "trueSequence", "falseSequence"] | None


class ShownLocator(View, omit_defaults=True):
    """Which element is meant; the fields narrow each other."""

    role: str | None = None
    text: str | None = None
    label: str | None = None
    placeholder: str | None = None
    alt_text: str | None = None
    title: str | None = None
    css: str | None = None
    xpath: str | None = None
    words: str | None = None
    frame: str | None = None
    strict: bool | None = None


class SequenceData(View):
    """The nested blocks of a container."""

    sequence: list[BlockJson] | UnsetType = UNSET
    true_sequence: list[BlockJson] | UnsetType = UNSET
    false_sequence: list[BlockJson] | UnsetType = UNSET


class Block(View, kw_only=True):
    """A step of a workflow."""

    id: str
    name: str
    block_reference_id: str
    type: str
    locator: ShownLocator | None = None
    is_cacheable: bool
    skip_if_not_present: bool
    use_workflow_recovery_agent: bool
    data: Annotated[Json, Meta(description="Its shape depends on the type; see NewBlock.")]
    parent_relationship: ParentRelationship
    sequence_data: SequenceData | UnsetType = UNSET
    transformer_fn: str | UnsetType = UNSET


class Parameter(View, forbid_unknown_fields=True):
    """A parameter that a workflow declares."""

    # `$` alone also matches before a line end at the very end
    name: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z0-9_-]+$(?!\n)",
            max_length=200,
            examples=["invoiceNumber"],
            description="Letters, digits, `_` and `-`.",
        ),
    ]
    description: Annotated[str, Meta(max_length=2000)] = ""
    is_secret: Annotated[
        bool, Meta(description="Kept out of events, response, context, summary and analysis.")
    ] = False
    is_required: bool = False
    default: Any = None
    type: Annotated[
        Literal["string", "number", "boolean", "date", "file", "object", "array"] | None,
        Meta(description="What it must be; anything without one."),
    ] = None
    enum: Annotated[list[str | float | bool], Meta(max_length=1000, description="What it may be.")] | None = (
        None
    )


Parameters = Annotated[list[Parameter], Meta(max_length=500)]


class WorkflowView(View):
    """A workflow at one version."""

    id: str
    name: str
    version: int
    blocks: list[BlockJson]
    output: Output
    parameters: list[Annotated[Json, Meta(extra_json_schema={"x-ref": "Parameter"})]]
    retry_safe: RetrySafe
    pictures: Pictures
    tags: list[Named]
    created_at: Moment
    updated_at: Moment
    input_schema: Annotated[
        Json | UnsetType, Meta(description="What it takes, as JSON Schema; shown by `/workflows/get`.")
    ] = UNSET
    output_schema: Annotated[
        Json | UnsetType, Meta(description="What is known of its response, as JSON Schema.")
    ] = UNSET


class WarningView(View):
    """Something in a workflow that is probably not meant."""

    block_reference_id: str | None
    field: str
    message: str


class WorkflowAnswer(View):
    """One workflow; what was just written also comes with what is doubtful in it."""

    workflow: WorkflowView
    warnings: list[WarningView] | UnsetType = UNSET


NamedWorkflow = Answer("NamedWorkflow", "workflow", Named, "A workflow by its id and name.")


class VersionView(View):
    """A version of a workflow; workflows/get with `version` shows it whole."""

    version: int
    name: str
    block_count: int
    created_at: Moment


class CreateWorkflow(Request):
    """A new workflow."""

    name: Name
    blocks: list[NewBlockJson] = field(default_factory=list[NewBlockJson])
    tags: TagNames = field(default_factory=list[TagName])
    output: Output = None
    parameters: Parameters = field(default_factory=list[Parameter])
    retry_safe: RetrySafe = False
    pictures: Pictures = "all"


class PortableWorkflow(View, forbid_unknown_fields=True):
    """A workflow without anything that belongs to one installation."""

    format: Literal["pagehand.workflow/1"]
    name: Name
    blocks: list[NewBlockJson]
    output: Output = None
    parameters: Parameters = field(default_factory=list[Parameter])
    tags: TagNames = field(default_factory=list[str])
    retry_safe: RetrySafe = False
    pictures: Pictures = "all"


def check_new(
    definition: CreateWorkflow, kinds: Registry
) -> tuple[list[Envelope], list[Json], list[WorkflowWarning]]:
    """The blocks and parameters of a definition, and warnings about it; raises InvalidRequest."""
    check_output(definition.output)
    blocks, parameters = parse_blocks(definition.blocks, kinds), check_parameters(definition.parameters)
    return blocks, parameters, check_workflow(blocks, kinds, output=definition.output, parameters=parameters)


def check_output(output: Any) -> Any:
    """An output whose templates are well formed; an empty text becomes None."""
    try:
        templates.check(output)
    except InvalidRequest as problem:
        raise InvalidRequest(f"`output`: {problem.message}") from None
    return None if output == "" else output


def check_parameters(parameters: list[Parameter]) -> list[Json]:
    """Parameters as the workflow stores them; raises InvalidRequest for a repeated or contradictory one."""
    stored = [msgspec.to_builtins(parameter) for parameter in parameters]
    check_declared(stored)
    return stored


def warning_views(warnings: list[WorkflowWarning]) -> list[WarningView]:
    """Warnings as the API shows them."""
    return [WarningView.of(warning) for warning in warnings]


def workflow_view(workflow: Workflow) -> WorkflowView:
    """A workflow at its current version."""
    return WorkflowView.of(workflow, tags=[Named(id=tag.id, name=tag.name) for tag in workflow.tags])


def earlier_view(workflow: Workflow, version: WorkflowVersion) -> WorkflowView:
    """A workflow at an earlier version, with its current tags."""
    view = workflow_view(workflow)
    view.name, view.version = version.name, version.version
    view.blocks, view.output, view.parameters = version.blocks, version.output, version.parameters
    view.retry_safe, view.pictures = version.retry_safe, version.pictures
    view.updated_at = to_iso(version.created_at)
    return view


def version_view(version: WorkflowVersion) -> VersionView:
    """A version in short."""
    return VersionView.of(version, block_count=count_blocks(version.blocks))


def count_blocks(blocks: list[Json]) -> int:
    """How many blocks a tree has, nested ones included."""
    nested: list[Json] = [block.get("sequenceData") or {} for block in blocks]
    return len(blocks) + sum(count_blocks(sequence or []) for item in nested for sequence in item.values())
