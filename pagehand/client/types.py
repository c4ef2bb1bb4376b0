# fmt: off
"""What the operations answer with, as dictionaries.

Written from the OpenAPI document by `scripts/write_clients.py`: do not edit.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class AppliedWorkflow(TypedDict):
    """The workflow as it is now, and what had to be done."""

    workflow: Workflow
    warnings: list[Warning]
    outcome: Literal['created', 'unchanged', 'updated']


class AttentionItem(TypedDict):
    """One thing that waits for a person."""

    id: str
    kind: Literal['approval', 'code', 'login', 'person', 'proposal', 'request', 'signIn']
    reason: str
    since: str
    execution: Named | None
    workflow: Named | None
    login: Named | None
    liveViewUrl: str | None


class AttentionList(TypedDict):
    """Executions that wait first, the one that has waited longest on top; then logins and proposals."""

    items: list[AttentionItem]
    total: int


class Authentication(TypedDict):
    """A sign-in that an execution performed."""

    browserSessionId: str
    status: str
    liveViewUrl: str


class Batch(TypedDict):
    """Executions that belong together."""

    id: str
    name: str
    workflow: Named
    total: int
    skipped: int
    concurrency: int | None
    createdAt: str
    pausedAt: str | None
    cancelledAt: str | None
    progress: Progress
    status: Literal['cancelled', 'finished', 'paused', 'running']


class BatchAnswer(TypedDict):
    """One batch."""

    batch: Batch


class BatchList(TypedDict):
    """Newest first."""

    batches: list[Batch]
    total: int


class Block(TypedDict):
    """A step of a workflow."""

    id: str
    name: str
    blockReferenceId: str
    type: str
    locator: NotRequired[ShownLocator | None]
    isCacheable: bool
    skipIfNotPresent: bool
    useWorkflowRecoveryAgent: bool
    data: dict[str, Any]
    parentRelationship: ParentRelationship
    sequenceData: NotRequired[SequenceData]
    transformerFn: NotRequired[str]


class BlockList(TypedDict):
    """The whole tree as it now is."""

    blocks: list[Block]
    version: int
    warnings: NotRequired[list[Warning]]


class Box(TypedDict):
    """A rectangle of the window, in the page's own pixels."""

    x: float
    y: float
    width: float
    height: float


class BrowserSession(TypedDict):
    """A browser and what it serves."""

    id: str
    executionId: str
    status: str
    workflow: Named
    startedAt: str
    sessionId: str
    browserSessionVendorId: str | None
    liveViewUrl: str | None


class CacheEntry(TypedDict):
    """One thing that a block keeps."""

    blockId: str
    blockReferenceId: str
    kind: str
    madeBy: str
    page: str
    keptAt: str
    plan: Any


class CacheList(TypedDict):
    """Newest first."""

    entries: list[CacheEntry]
    total: int


class Cancellation(TypedDict):
    """Who cancelled an execution, and when."""

    by: str
    at: str


class ChatAnswer(TypedDict):
    """Blocks that do what was asked; nothing is changed."""

    blocks: list[Block]
    threadId: str


class ClearedCache(TypedDict):
    """How much was forgotten."""

    cleared: int


class CodeAnswer(TypedDict):
    """A one-time code and for how many seconds it stays valid."""

    code: str
    secondsRemaining: int


class ContextAuthentication(TypedDict):
    """A login that an execution could use, and how far it got with it."""

    contextAuthenticationId: str
    loginSummary: LoginSummary
    authenticationStatus: str


class CreatedKeyAnswer(TypedDict):
    """A new key and its text."""

    key: Key
    secret: str


class Credential(TypedDict):
    """A further credential; its value is masked."""

    id: str
    key: str
    value: str


class Day(TypedDict):
    """Executions that started on one day (UTC)."""

    date: str
    completed: int
    failed: int
    other: int


class DeletedDocumentAnswer(TypedDict):
    """A document that is gone."""

    document: Named


class DeletedFileAnswer(TypedDict):
    """A file that is gone."""

    file: Named


class DeletedLoginAnswer(TypedDict):
    """A login that is gone."""

    login: Named


class DeletedSchedule(TypedDict):
    """The id of a schedule that is gone."""

    id: str


class DeletedScheduleAnswer(TypedDict):
    """A schedule that is gone."""

    schedule: DeletedSchedule


class DeletedTag(TypedDict):
    """The id of a tag that is gone."""

    id: str


class DeletedTagAnswer(TypedDict):
    """A tag that is gone."""

    tag: DeletedTag


class DeletedWebhook(TypedDict):
    """The id of a webhook that is gone."""

    id: str


class DeletedWebhookAnswer(TypedDict):
    """A webhook that is gone."""

    webhook: DeletedWebhook


class Delivery(TypedDict):
    """One message on its way to one webhook."""

    id: str
    webhookId: str
    messageId: str
    event: str
    status: Literal['delivered', 'failed', 'pending', 'unsent']
    attempts: int
    createdAt: str
    lastAttemptAt: str | None
    nextAttemptAt: str | None
    deliveredAt: str | None
    responseStatus: int | None
    error: str | None
    payload: dict[str, Any]


class DeliveryAnswer(TypedDict):
    """One delivery."""

    delivery: Delivery


class DeliveryList(TypedDict):
    """Newest first."""

    deliveries: list[Delivery]
    total: int


class Demo(TypedDict):
    """The demo."""

    url: str
    workflowId: str
    executionId: str | None
    isBroken: bool


class DemoAnswer(TypedDict):
    """The demo; null where none is served."""

    demo: Demo | None


class DescribedElement(TypedDict):
    """An element with the words that a locator finds it by."""

    role: str
    name: str
    isDisabled: NotRequired[bool]
    words: NotRequired[str]
    locator: NotRequired[ShownLocator]


class Document(TypedDict):
    """A document of the knowledge base."""

    id: str
    name: str
    tags: list[str]
    fileId: str | None
    characters: int
    passages: int
    createdAt: str


class DocumentAnswer(TypedDict):
    """One document."""

    document: Document


class DocumentList(TypedDict):
    """Newest first."""

    documents: list[Document]
    total: int


class Downloads(TypedDict):
    """What an execution downloaded."""

    status: Literal['failed', 'in_progress', 'pending', 'success']
    files: list[File]
    message: NotRequired[str]


class Event(TypedDict):
    """Something that happened during an execution."""

    seq: int
    at: str
    blockId: str | None
    blockReferenceId: str | None
    type: str
    message: str
    data: dict[str, Any]
    screenshotUrl: str | None


class EventList(TypedDict):
    """Oldest first."""

    events: list[Event]
    total: int


class Execution(TypedDict):
    """An execution; what only a finished one has is absent until its end."""

    id: str
    workflow: Named
    batch: Named | None
    logins: list[Named]
    authentications: list[Authentication]
    contextAuthentications: list[ContextAuthentication]
    startTime: str
    params: dict[str, Any]
    metadata: dict[str, Any]
    name: str | None
    attempts: int
    totalAttempts: int
    isLastAttempt: bool
    isTest: bool
    parentExecutionId: str | None
    startBlock: Block | None
    downloads: Downloads | None
    sessionId: str | None
    agentConversationThreadId: str | None
    liveViewUrl: str | None
    browserSessionId: str
    browserSessionVendorId: str | None
    status: Literal['Completed', 'Enqueued', 'Failed', 'InProgress', 'Paused']
    durationMs: NotRequired[int]
    endTime: NotRequired[str]
    response: NotRequired[dict[str, Any]]
    truncatedResponse: NotRequired[str]
    responseFile: NotRequired[File]
    errorAnalysis: NotRequired[str]
    failure: NotRequired[Failure | None]
    summary: NotRequired[str]
    context: NotRequired[dict[str, Any]]
    waiting: NotRequired[Waiting]


class ExecutionAnswer(TypedDict):
    """One execution."""

    execution: Execution


class ExecutionList(TypedDict):
    """Newest accepted first."""

    executions: list[ExecutionSummary]
    total: int
    nextCursor: str | None
    totalIsExact: NotRequired[bool]


class ExecutionSummary(TypedDict):
    """An execution as an item of a list."""

    id: str
    workflow: Named
    batch: Named | None
    logins: list[Named]
    authentications: list[Authentication]
    contextAuthentications: list[ContextAuthentication]
    startTime: str
    params: dict[str, Any]
    metadata: dict[str, Any]
    name: str | None
    attempts: int
    totalAttempts: int
    isLastAttempt: bool
    isTest: bool
    parentExecutionId: str | None
    status: Literal['Completed', 'Enqueued', 'Failed', 'InProgress', 'Paused']
    truncatedParams: str
    endTime: NotRequired[str]
    durationMs: NotRequired[int]
    failure: NotRequired[Failure | None]
    waiting: NotRequired[Waiting]
    response: NotRequired[dict[str, Any]]


class ExportAnswer(TypedDict):
    """A workflow to import elsewhere."""

    workflow: PortableWorkflow


class Failure(TypedDict):
    """Why an execution failed, for programs."""

    code: Literal['ElementNotFound', 'NotClear', 'Timeout', 'BadData', 'WorkflowError', 'ConditionMet', 'BlockFailed', 'DialogUnanswered', 'FormNotSent', 'PageError', 'SignInRefused', 'AddressRefused', 'LimitReached', 'ModelNeeded', 'Cancelled', 'OutOfTime', 'SiteDown', 'Unanswered', 'BrowserLost', 'WorkerLost', 'Unavailable', 'InternalError']
    message: str
    blockId: str | None
    blockReferenceId: str | None
    locator: dict[str, Any] | None
    cancelled: Cancellation | None


class FailureSummary(TypedDict):
    """One of the newest failures."""

    executionId: str
    workflow: Named
    name: str | None
    startTime: str
    reason: str
    screenshotUrl: str | None


class File(TypedDict):
    """File info."""

    id: str
    name: str
    mimeType: str
    sizeBytes: int
    downloadUrl: str
    key: str


class FileAnswer(TypedDict):
    """One file."""

    file: File


class FileList(TypedDict):
    """Newest first."""

    files: list[File]
    total: int


class FinishedAnswer(TypedDict):
    """One finished execution."""

    execution: FinishedExecution


class FinishedExecution(TypedDict):
    """A Completed or Failed execution."""

    id: str
    workflow: Named
    batch: Named | None
    logins: list[Named]
    authentications: list[Authentication]
    contextAuthentications: list[ContextAuthentication]
    startTime: str
    params: dict[str, Any]
    metadata: dict[str, Any]
    name: str | None
    attempts: int
    totalAttempts: int
    isLastAttempt: bool
    isTest: bool
    parentExecutionId: str | None
    startBlock: Block | None
    downloads: Downloads | None
    sessionId: str | None
    agentConversationThreadId: str | None
    liveViewUrl: str | None
    browserSessionId: str
    browserSessionVendorId: str | None
    status: Literal['Completed', 'Failed']
    durationMs: int
    endTime: str
    response: dict[str, Any]
    truncatedResponse: str
    responseFile: File
    errorAnalysis: str
    failure: Failure | None
    summary: str
    context: dict[str, Any]


class Installation(TypedDict):
    """What holds for every organization of this service."""

    version: str
    model: str | None
    keepDays: float | None
    maxQueued: int
    maxPerMinute: int
    maxPaused: int
    maxTabs: int
    maxStoredBytes: int | None
    maxOutputBytes: int
    allowedAddresses: list[str]
    checks: list[str]


class InstallationAnswer(TypedDict):
    """The installation."""

    installation: Installation


class Key(TypedDict):
    """A key, without its secret."""

    id: str
    name: str | None
    createdAt: str
    lastUsedAt: str | None
    revokedAt: str | None
    scopes: list[str]


class KeyList(TypedDict):
    """Newest first."""

    keys: list[Key]
    total: int


class Kind(TypedDict):
    """One kind of block."""

    type: str
    title: str
    label: str
    purpose: str
    description: str
    aliases: list[str]
    group: str
    sequences: list[str]
    locatorUse: Literal['optional', 'required', 'unused']
    data: dict[str, Any]
    examples: list[dict[str, Any]]


class KindList(TypedDict):
    """Every kind, and the models that their schemas refer to."""

    kinds: list[Kind]
    models: dict[str, Any]


class Login(TypedDict):
    """A stored login."""

    id: str
    organizationId: str
    name: str
    authenticationUrl: str
    homeUrl: str
    iconUrl: str
    loginConfiguration: LoginConfiguration
    createdAt: str
    updatedAt: str
    persistSession: bool
    isManualAuthentication: bool
    supportConcurrentLogins: bool
    supportsAgentConcurrency: bool
    autoRetryOnServiceDown: bool
    autoRetryDelayMinutes: float
    autoRetryMaxAttempts: int
    useLLMLoginDetection: bool
    loginDetectionPrompt: str
    loginInstructionsPrompt: str
    signInUrls: list[str]
    useProxy: bool
    health: NotRequired[LoginHealth]


class LoginAnswer(TypedDict):
    """One login."""

    login: Login


class LoginConfiguration(TypedDict):
    """How to sign in, without the password."""

    username: str
    twoFactorAuthConfiguration: TwoFactor
    additionalCredentials: list[Credential]


class LoginHealth(TypedDict):
    """When a login last worked, why it last failed, and whether runs may try it."""

    isHeld: bool
    lastSuccessAt: str | None
    lastFailureAt: str | None
    lastFailure: str | None
    failures: int
    sessionSavedAt: str | None
    sessionAgeSeconds: float | None
    nextCodeSeconds: int | None
    codeAddress: str | None


class LoginList(TypedDict):
    """Newest first."""

    logins: list[Login]
    total: int


class LoginSummary(TypedDict):
    """A login in short."""

    loginId: str
    name: str
    isManual: bool


class LoginTest(TypedDict):
    """The result of a sign-in."""

    success: bool
    message: str
    executionId: str
    status: str


class LoginTestAnswer(TypedDict):
    """One test."""

    test: LoginTest


class Message(TypedDict):
    """One message."""

    role: Literal['assistant', 'tool', 'user']
    parts: list[MessagePart]


class MessageList(TypedDict):
    """Oldest first."""

    messages: list[Message]
    total: int


class MessagePart(TypedDict):
    """A piece of a message."""

    type: Literal['text']
    text: str


class ModelUsage(TypedDict):
    """Calls, tokens and money of the newest 1,000 executions, tests included."""

    executions: int
    calls: int
    inputTokens: int
    outputTokens: int
    costUsd: float
    since: str | None


class ModelUsageAnswer(TypedDict):
    """What was spent."""

    modelUsage: ModelUsage


class Named(TypedDict):
    """A thing by its id and name."""

    id: str
    name: str


class NamedWorkflow(TypedDict):
    """A workflow by its id and name."""

    workflow: Named


class NewMessages(TypedDict):
    """The message and its answer."""

    messages: list[Message]


class NewSecret(TypedDict):
    """A webhook and its new secret, which is not shown again."""

    webhook: Webhook
    secret: str


class Organization(TypedDict):
    """An organization."""

    id: str
    name: str
    proxy: str | None


class OrganizationAnswer(TypedDict):
    """The caller's own organization."""

    organization: Organization


class PageInWords(TypedDict):
    """What the page offers, in its order; of long pages the first 200 elements."""

    url: str
    title: str
    elements: list[DescribedElement]


class Parameter(TypedDict):
    """A parameter that a workflow declares."""

    name: str
    description: NotRequired[str]
    isSecret: NotRequired[bool]
    isRequired: NotRequired[bool]
    default: NotRequired[Any]
    type: NotRequired[Literal['array', 'boolean', 'date', 'file', 'number', 'object', 'string'] | None]
    enum: NotRequired[list[str | float | bool] | None]


class ParentRelationship(TypedDict):
    """The place of a block in the tree."""

    blockDepth: int
    positionInSequence: int
    parentBlockId: str | None
    parentSequenceId: Literal['falseSequence', 'sequence', 'trueSequence'] | None


class Part(TypedDict):
    """How it went; the browser stays as the blocks left it."""

    status: Literal['Completed', 'Failed']
    failure: Failure | None
    errorAnalysis: str
    outputs: dict[str, Any]


class Passage(TypedDict):
    """A piece of a document."""

    document: Named
    position: int
    score: float
    text: str


class PassageList(TypedDict):
    """The best first."""

    passages: list[Passage]


class PickAnswer(TypedDict):
    """null where the page has nothing."""

    element: Picked | None


class Picked(TypedDict):
    """The element at the point."""

    tag: str
    role: str
    name: str
    box: Box
    locators: list[RankedLocator]
    value: str | None


class PortableWorkflow(TypedDict):
    """A workflow without anything that belongs to one installation."""

    format: Literal['pagehand.workflow/1']
    name: str
    blocks: list[dict[str, Any]]
    output: NotRequired[Any]
    parameters: NotRequired[list[Parameter]]
    tags: NotRequired[list[str]]
    retrySafe: NotRequired[bool]
    pictures: NotRequired[Literal['acts', 'all', 'failures', 'none']]


class Progress(TypedDict):
    """How many of its executions are in which state."""

    enqueued: int
    inProgress: int
    paused: int
    completed: int
    failed: int


class Proposal(TypedDict):
    """A change that an execution or a conversation proposes to a workflow."""

    state: Literal['applied', 'declined', 'open', 'outdated']
    executionId: str | None
    threadId: str | None
    workflowId: str
    version: int
    appliedVersion: int | None
    operations: list[dict[str, Any]]
    before: list[Block]
    after: list[Block]


class ProposalAnswer(TypedDict):
    """One proposal; null where the execution proposes nothing."""

    proposal: Proposal | None


class ProposalStateAnswer(TypedDict):
    """The state of a proposal."""

    state: str


class RankedLocator(TypedDict):
    """A locator for the element."""

    locator: ShownLocator
    matches: int
    reason: str


class ReadAnswer(TypedDict):
    """null where the page has nothing."""

    block: dict[str, Any] | None


class RecordAnswer(TypedDict):
    """Whether it records now."""

    isOn: bool


class RecordedAnswer(TypedDict):
    """In the order they were recorded; empty when none came within 10 s, or none will come."""

    blocks: list[dict[str, Any]]


class Retried(TypedDict):
    """The new execution, one level down."""

    execution: RetriedExecution


class RetriedExecution(TypedDict):
    """A fresh execution; a retry answers with InProgress whatever the queue looks like."""

    id: str
    workflow: Named
    batch: Named | None
    logins: list[Named]
    authentications: list[Authentication]
    contextAuthentications: list[ContextAuthentication]
    startTime: str
    params: dict[str, Any]
    metadata: dict[str, Any]
    name: str | None
    attempts: int
    totalAttempts: int
    isLastAttempt: bool
    isTest: bool
    parentExecutionId: str | None
    startBlock: Block | None
    downloads: Downloads | None
    sessionId: str | None
    agentConversationThreadId: str | None
    liveViewUrl: str | None
    browserSessionId: str
    browserSessionVendorId: str | None
    status: Literal['InProgress']


class RetryAnswer(TypedDict):
    """What a retry began."""

    success: bool
    message: str
    execution: Retried


class RevokedKey(TypedDict):
    """The id of a key that no longer works."""

    id: str


class RevokedKeyAnswer(TypedDict):
    """A key that no longer works."""

    key: RevokedKey


class Run(TypedDict):
    """What happened at one time of a schedule."""

    scheduledFor: str
    at: str
    outcome: Literal['failed', 'missed', 'skipped', 'started']
    isManual: bool
    executionId: str | None
    status: dict[str, Any] | None
    message: str | None


class RunList(TypedDict):
    """Newest first; the last 500 are kept."""

    runs: list[Run]
    total: int


class Schedule(TypedDict):
    """A workflow that starts by the clock."""

    id: str
    name: str | None
    workflow: Named
    cron: str
    timeZone: str
    description: str
    params: dict[str, Any]
    loginId: str | None
    enabled: bool
    catchUp: Literal['all', 'latest', 'none']
    overlap: Literal['queue', 'skip']
    look: bool
    nextRuns: list[str]
    lastRun: Run | None
    createdAt: str
    updatedAt: str


class ScheduleAnswer(TypedDict):
    """One schedule."""

    schedule: Schedule


class ScheduleList(TypedDict):
    """Newest first."""

    schedules: list[Schedule]
    total: int


class SequenceData(TypedDict):
    """The nested blocks of a container."""

    sequence: NotRequired[list[Block]]
    trueSequence: NotRequired[list[Block]]
    falseSequence: NotRequired[list[Block]]


class SessionAnswer(TypedDict):
    """A browser session that was closed."""

    browserSession: Named


class SessionList(TypedDict):
    """Newest first."""

    browserSessions: list[BrowserSession]
    total: int


class Sheet(TypedDict):
    """A sheet as params of a workflow."""

    columns: list[SheetColumn]
    rows: list[SheetRow]
    total: int
    wrong: int


class SheetAnswer(TypedDict):
    """What was read."""

    sheet: Sheet


class SheetColumn(TypedDict):
    """A column by its heading, and the parameter it is meant for."""

    name: str
    parameter: str | None


class SheetRow(TypedDict):
    """A row below the heading."""

    number: int
    params: dict[str, Any]
    problem: str | None


class ShownLocator(TypedDict):
    """Which element is meant; the fields narrow each other."""

    role: NotRequired[str | None]
    text: NotRequired[str | None]
    label: NotRequired[str | None]
    placeholder: NotRequired[str | None]
    altText: NotRequired[str | None]
    title: NotRequired[str | None]
    css: NotRequired[str | None]
    xpath: NotRequired[str | None]
    words: NotRequired[str | None]
    frame: NotRequired[str | None]
    strict: NotRequired[bool | None]


class SkippedRows(TypedDict):
    """In their order. At most the first 1,000 of a batch are kept, and 1 MB of them."""

    rows: list[SheetRow]
    total: int


class Statistics(TypedDict):
    """The organization in figures; tests are left out."""

    running: int
    waiting: int
    enqueued: int
    failedLastDay: int
    days: list[Day]
    workflows: list[WorkflowFigures]
    healed: int
    failures: list[FailureSummary]


class StatisticsAnswer(TypedDict):
    """The figures."""

    statistics: Statistics


class StopAnswer(TypedDict):
    """Whether anything ran."""

    stopped: bool


class SubmitCodeAnswer(TypedDict):
    """Whether the site took the code."""

    success: bool
    message: str
    data: Any


class TagAnswer(TypedDict):
    """One tag."""

    tag: Named


class TagList(TypedDict):
    """By name."""

    tags: list[Named]
    total: int


class Thread(TypedDict):
    """An agent conversation."""

    id: str
    name: str
    workflowId: str | None
    createdAt: str


class ThreadAnswer(TypedDict):
    """One conversation."""

    thread: Thread


class Times(TypedDict):
    """The moments of a cron expression."""

    description: str
    nextRuns: list[str]


class TimesAnswer(TypedDict):
    """When a schedule would start something."""

    times: Times


class Tool(TypedDict):
    """A workflow as a tool."""

    id: str
    name: str
    version: int
    tags: list[Named]
    retrySafe: bool
    steps: list[str]
    blockCount: int
    isFlat: bool
    inputSchema: dict[str, Any]
    outputSchema: dict[str, Any]


class ToolList(TypedDict):
    """Newest first."""

    tools: list[Tool]
    total: int


class TwoFactor(TypedDict):
    """How the site asks for a second factor."""

    method: str
    alwaysRequired: bool
    twoFactorAuthEmail: str
    codeSender: str
    mailboxUsername: str


class Version(TypedDict):
    """A version of a workflow; workflows/get with `version` shows it whole."""

    version: int
    name: str
    blockCount: int
    createdAt: str


class VersionList(TypedDict):
    """Newest first."""

    versions: list[Version]
    total: int


class Waiting(TypedDict):
    """What a paused execution waits for."""

    kind: Literal['approval', 'code', 'driving', 'person', 'request', 'signIn']
    reason: str
    since: str


class Warning(TypedDict):
    """Something in a workflow that is probably not meant."""

    blockReferenceId: str | None
    field: str
    message: str


class Webhook(TypedDict):
    """A webhook; its secret is shown only when it is made."""

    id: str
    name: str | None
    url: str
    format: Literal['mail', 'pagehand', 'slack', 'teams']
    events: list[str]
    isActive: bool
    createdAt: str
    updatedAt: str


class WebhookAnswer(TypedDict):
    """One webhook."""

    webhook: Webhook


class WebhookList(TypedDict):
    """Newest first."""

    webhooks: list[Webhook]
    total: int


class Workflow(TypedDict):
    """A workflow at one version."""

    id: str
    name: str
    version: int
    blocks: list[Block]
    output: Any
    parameters: list[Parameter]
    retrySafe: bool
    pictures: Literal['acts', 'all', 'failures', 'none']
    tags: list[Named]
    createdAt: str
    updatedAt: str
    inputSchema: NotRequired[dict[str, Any]]
    outputSchema: NotRequired[dict[str, Any]]


class WorkflowAnswer(TypedDict):
    """One workflow; what was just written also comes with what is doubtful in it."""

    workflow: Workflow
    warnings: NotRequired[list[Warning]]


class WorkflowFigures(TypedDict):
    """How a workflow fared among the newest 1,000 executions of the organization."""

    workflow: Named
    lastStatus: Literal['Completed', 'Enqueued', 'Failed', 'InProgress', 'Paused']
    completed: int
    failed: int
    successRate: float | None
    medianDurationMs: int | None
    healed: int


class WorkflowList(TypedDict):
    """Newest first."""

    workflows: list[Workflow]
    total: int
