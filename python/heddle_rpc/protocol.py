"""The types of all frames. Written by `npm run docs` from docs/rpc.schema.json: do not edit."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

PROTOCOL_VERSION = 1


class _AbortAndPromptRequestAlways(TypedDict):
    type: Literal["abort_and_prompt"]
    message: str


class AbortAndPromptRequest(_AbortAndPromptRequestAlways, total=False):
    """Stops the active run, then sends a user message."""
    id: Union[str, float]
    images: List[ImageContent]
    clientMessageId: str


class _AbortAndRestoreQueueDataSteeringItemAlways(TypedDict):
    text: str


class AbortAndRestoreQueueDataSteeringItem(_AbortAndRestoreQueueDataSteeringItemAlways, total=False):
    images: List[ImageContent]


class _AbortAndRestoreQueueDataFollowUpItemAlways(TypedDict):
    text: str


class AbortAndRestoreQueueDataFollowUpItem(_AbortAndRestoreQueueDataFollowUpItemAlways, total=False):
    images: List[ImageContent]


class _AbortAndRestoreQueueDataAlways(TypedDict):
    steering: List[AbortAndRestoreQueueDataSteeringItem]
    followUp: List[AbortAndRestoreQueueDataFollowUpItem]
    cleared: RestoredQueue


class AbortAndRestoreQueueData(_AbortAndRestoreQueueDataAlways, total=False):
    imagesDropped: int


class _AbortAndRestoreQueueRequestAlways(TypedDict):
    type: Literal["abort_and_restore_queue"]


class AbortAndRestoreQueueRequest(_AbortAndRestoreQueueRequestAlways, total=False):
    """`abort`, with the messages that it takes out of the queue as they were sent, to be edited and sent again."""
    id: Union[str, float]


class _AbortBashRequestAlways(TypedDict):
    type: Literal["abort_bash"]


class AbortBashRequest(_AbortBashRequestAlways, total=False):
    """Ends all running `bash` commands; each of them answers with `cancelled`."""
    id: Union[str, float]


class _AbortCompactionRequestAlways(TypedDict):
    type: Literal["abort_compaction"]


class AbortCompactionRequest(_AbortCompactionRequestAlways, total=False):
    """Cancels the active compaction; a run continues. Succeeds also when there is none."""
    id: Union[str, float]


class AbortDataCleared(TypedDict):
    steering: List[str]
    followUp: List[str]


class AbortData(TypedDict, total=False):
    cleared: AbortDataCleared


class _AbortRequestAlways(TypedDict):
    type: Literal["abort"]


class AbortRequest(_AbortRequestAlways, total=False):
    """Stops the active run and answers after its `agent_end`; succeeds also when nothing runs."""
    id: Union[str, float]
    queue: AbortQueue


class _AbortRetryRequestAlways(TypedDict):
    type: Literal["abort_retry"]


class AbortRetryRequest(_AbortRetryRequestAlways, total=False):
    """Ends the wait before a retry: the run ends with the error. Succeeds also when no retry waits."""
    id: Union[str, float]


class _AgentEndEventAlways(TypedDict):
    type: Literal["agent_end"]
    messages: List[RunMessage]
    willRetry: bool
    isTerminal: bool
    yielded: bool
    runId: str
    sessionId: str
    epoch: str
    seq: int


class AgentEndEvent(_AgentEndEventAlways, total=False):
    """The run has ended; `messages` are all messages made in it, in order. `sessionFile` is the file that has them."""
    messageCount: int
    sessionFile: str


class AgentSettledEvent(TypedDict):
    """No fiber or process of the run is left."""
    type: Literal["agent_settled"]
    aborted: bool
    runId: str
    sessionId: str
    epoch: str
    seq: int


class AgentStartEvent(TypedDict):
    """A run starts."""
    type: Literal["agent_start"]
    runId: str
    sessionId: str
    epoch: str
    seq: int


class _ApprovalQuestionAlways(TypedDict):
    approvalId: str
    tool: ApprovalTool
    args: Dict[str, Any]
    cwd: str
    risk: ApprovalRisk
    reason: str
    choices: List[ApprovalDecision]
    onTimeout: Literal["deny"]
    createdAt: float
    deadline: float
    argsHash: str


class ApprovalQuestion(_ApprovalQuestionAlways, total=False):
    runId: str
    turnId: str
    toolCallId: str
    requestId: Union[str, float]
    subagentId: str
    diff: List[FileDiff]
    rule: ApprovalRule


class _ApprovalRequestEventAlways(TypedDict):
    type: Literal["approval_request"]
    approvalId: str
    tool: ApprovalTool
    args: Dict[str, Any]
    cwd: str
    risk: ApprovalRisk
    reason: str
    choices: List[ApprovalDecision]
    onTimeout: Literal["deny"]
    createdAt: float
    deadline: float
    argsHash: str
    sessionId: str
    epoch: str
    seq: int


class ApprovalRequestEvent(_ApprovalRequestEventAlways, total=False):
    """Asks whether an effect may happen; answer with `approval_response`, or wait: without an answer until `deadline` it does not happen. See [approvals.md](approvals.md)."""
    runId: str
    turnId: str
    toolCallId: str
    requestId: Union[str, float]
    subagentId: str
    diff: List[FileDiff]
    rule: ApprovalRule


class ApprovalResolvedEvent(TypedDict):
    """The question is over, exactly once for each: `decision` is `deny` also after its deadline, an abort and the loss of the host."""
    type: Literal["approval_resolved"]
    approvalId: str
    decision: ApprovalDecision
    by: DecidedBy
    sessionId: str
    epoch: str
    seq: int


class ApprovalResponseData(TypedDict):
    approvalId: str
    decision: ApprovalDecision


class _ApprovalResponseRequestAlways(TypedDict):
    type: Literal["approval_response"]
    approvalId: str


class ApprovalResponseRequest(_ApprovalResponseRequestAlways, total=False):
    """Answers an `approval_request`. The response comes before anything follows from the answer."""
    id: Union[str, float]
    decision: Any
    rule: Union[str, ApprovalRule]
    message: str
    argsHash: str


class ApprovalRisk(TypedDict):
    level: RiskLevel
    codes: List[Literal["deletes_files", "writes_files", "outside_workspace", "network", "privilege", "git_history", "secrets", "unparsed_shell", "installs_packages", "runs_code", "processes", "settings", "unsandboxed"]]


class _ApprovalRuleAlways(TypedDict):
    tool: str


class ApprovalRule(_ApprovalRuleAlways, total=False):
    pattern: str


class _ApprovalToolAlways(TypedDict):
    name: str
    source: Literal["builtin", "mcp", "host", "extension", "user", "verification"]


class ApprovalTool(_ApprovalToolAlways, total=False):
    server: str


class _AssistantMessageAlways(TypedDict):
    role: Literal["assistant"]
    content: List[Union[TextContent, ThinkingContent, ToolCall]]
    api: str
    provider: str
    model: str
    usage: Usage
    stopReason: Literal["stop", "length", "toolUse", "error", "aborted"]
    timestamp: float


class AssistantMessage(_AssistantMessageAlways, total=False):
    errorMessage: str
    responseId: str


class _AssistantMessageEventValueTextStartAlways(TypedDict):
    type: Literal["text_start"]
    contentIndex: int


class AssistantMessageEventValueTextStart(_AssistantMessageEventValueTextStartAlways, total=False):
    partial: AssistantMessage


class _AssistantMessageEventValueTextDeltaAlways(TypedDict):
    type: Literal["text_delta"]
    contentIndex: int
    delta: str


class AssistantMessageEventValueTextDelta(_AssistantMessageEventValueTextDeltaAlways, total=False):
    partial: AssistantMessage


class _AssistantMessageEventValueTextEndAlways(TypedDict):
    type: Literal["text_end"]
    contentIndex: int
    content: str


class AssistantMessageEventValueTextEnd(_AssistantMessageEventValueTextEndAlways, total=False):
    partial: AssistantMessage


class _AssistantMessageEventValueThinkingStartAlways(TypedDict):
    type: Literal["thinking_start"]
    contentIndex: int


class AssistantMessageEventValueThinkingStart(_AssistantMessageEventValueThinkingStartAlways, total=False):
    partial: AssistantMessage


class _AssistantMessageEventValueThinkingDeltaAlways(TypedDict):
    type: Literal["thinking_delta"]
    contentIndex: int
    delta: str


class AssistantMessageEventValueThinkingDelta(_AssistantMessageEventValueThinkingDeltaAlways, total=False):
    partial: AssistantMessage


class _AssistantMessageEventValueThinkingEndAlways(TypedDict):
    type: Literal["thinking_end"]
    contentIndex: int
    content: str


class AssistantMessageEventValueThinkingEnd(_AssistantMessageEventValueThinkingEndAlways, total=False):
    partial: AssistantMessage


class _AssistantMessageEventValueToolcallStartAlways(TypedDict):
    type: Literal["toolcall_start"]
    contentIndex: int
    id: str
    toolName: str


class AssistantMessageEventValueToolcallStart(_AssistantMessageEventValueToolcallStartAlways, total=False):
    partial: AssistantMessage


class _AssistantMessageEventValueToolcallDeltaAlways(TypedDict):
    type: Literal["toolcall_delta"]
    contentIndex: int
    delta: str


class AssistantMessageEventValueToolcallDelta(_AssistantMessageEventValueToolcallDeltaAlways, total=False):
    partial: AssistantMessage


class _AssistantMessageEventValueToolcallEndAlways(TypedDict):
    type: Literal["toolcall_end"]
    contentIndex: int
    toolCall: ToolCall


class AssistantMessageEventValueToolcallEnd(_AssistantMessageEventValueToolcallEndAlways, total=False):
    partial: AssistantMessage


class _AttachmentAlways(TypedDict):
    type: Literal["image", "document"]
    fileName: str
    mimeType: str
    content: str


class Attachment(_AttachmentAlways, total=False):
    id: str
    size: float
    extractedText: str
    preview: str


class _AutoCompactionEndEventAlways(TypedDict):
    type: Literal["auto_compaction_end"]
    action: Literal["context-full", "handoff"]
    aborted: bool
    willRetry: bool
    compactionId: str
    sessionId: str
    epoch: str
    seq: int


class AutoCompactionEndEvent(_AutoCompactionEndEventAlways, total=False):
    """The same for hosts that know this name; not sent for the command `compact`."""
    result: CompactionResult
    errorMessage: str
    skipped: bool
    runId: str


class _AutoCompactionStartEventAlways(TypedDict):
    type: Literal["auto_compaction_start"]
    reason: Literal["threshold", "overflow", "idle"]
    action: Literal["context-full", "handoff"]
    compactionId: str
    sessionId: str
    epoch: str
    seq: int


class AutoCompactionStartEvent(_AutoCompactionStartEventAlways, total=False):
    """The older part of the conversation is about to be replaced by a summary."""
    runId: str


class _AutoRetryEndEventAlways(TypedDict):
    type: Literal["auto_retry_end"]
    success: bool
    attempt: int
    runId: str
    sessionId: str
    epoch: str
    seq: int


class AutoRetryEndEvent(_AutoRetryEndEventAlways, total=False):
    """Retrying has ended: with an answer, or with `finalError`."""
    finalError: str


class AutoRetryStartEvent(TypedDict):
    """A failed model call is tried again after `delayMs`; `attempt` counts from 1."""
    type: Literal["auto_retry_start"]
    attempt: int
    maxAttempts: int
    delayMs: float
    errorMessage: str
    runId: str
    sessionId: str
    epoch: str
    seq: int


class AvailableCommandInput(TypedDict, total=False):
    hint: str


class _AvailableCommandAlways(TypedDict):
    name: str
    source: Literal["builtin", "skill", "extension", "custom", "mcp_prompt", "file"]


class AvailableCommand(_AvailableCommandAlways, total=False):
    aliases: List[str]
    description: str
    input: AvailableCommandInput


class AvailableCommandsUpdateEvent(TypedDict):
    """The slash commands, after the start if there are any, and when they change."""
    type: Literal["available_commands_update"]
    commands: List[AvailableCommand]
    sessionId: str
    epoch: str
    seq: int


class _BashExecutionMessageAlways(TypedDict):
    role: Literal["bashExecution"]
    command: str
    output: str
    cancelled: bool
    truncated: bool
    timestamp: float


class BashExecutionMessage(_BashExecutionMessageAlways, total=False):
    exitCode: int
    fullOutputPath: str
    excludeFromContext: bool


class _BashExecutionUpdateEventAlways(TypedDict):
    type: Literal["bash_execution_update"]
    delta: str
    sessionId: str
    epoch: str
    seq: int


class BashExecutionUpdateEvent(_BashExecutionUpdateEventAlways, total=False):
    """Output of a `bash` command. The deltas have all of it, also the part that the result leaves out."""
    id: Union[str, float]


class _BashRequestAlways(TypedDict):
    type: Literal["bash"]
    command: str


class BashRequest(_BashRequestAlways, total=False):
    """Runs a shell command and answers when it has ended; a non-zero exit code is a success."""
    id: Union[str, float]
    excludeFromContext: bool
    timeout: float


class _BashResultAlways(TypedDict):
    output: str
    cancelled: bool
    truncated: bool
    totalLines: int
    totalBytes: int
    outputLines: int
    outputBytes: int
    durationMs: float


class BashResult(_BashResultAlways, total=False):
    exitCode: int
    timedOut: bool
    fullOutputPath: str
    artifactId: str
    artifactError: str
    sandbox: SandboxResult


class _BranchDataAlways(TypedDict):
    cancelled: bool
    sessionId: str


class BranchData(_BranchDataAlways, total=False):
    text: str
    sessionFile: str


class _BranchRequestAlways(TypedDict):
    type: Literal["branch"]
    entryId: str


class BranchRequest(_BranchRequestAlways, total=False):
    """Opens a copy of the session that ends before a user message; `text` is that message."""
    id: Union[str, float]


class BranchSummaryMessage(TypedDict):
    role: Literal["branchSummary"]
    summary: str
    fromId: str
    timestamp: float


class _BudgetExceededEventAlways(TypedDict):
    type: Literal["budget_exceeded"]
    scope: Literal["session", "task", "subagent"]
    snapshot: BudgetSnapshot
    sessionId: str
    epoch: str
    seq: int


class BudgetExceededEvent(_BudgetExceededEventAlways, total=False):
    """A limit is reached, and nothing more is started that would go beyond it. See [hosts/subagents.md](hosts/subagents.md#budgets)."""
    id: str


class BudgetLimits(TypedDict, total=False):
    maxWallTimeMs: float
    maxInputTokens: float
    maxOutputTokens: float
    maxTotalTokens: float
    maxCostUsd: float
    maxToolCalls: float
    maxSubagents: float
    maxTurns: float
    warnAtRatio: float


class _BudgetSnapshotAlways(TypedDict):
    status: Literal["ok", "warning", "exceeded"]
    wallTimeMs: float
    inputTokens: float
    outputTokens: float
    totalTokens: float
    costUsd: float
    toolCalls: int
    subagents: int
    turns: int


class BudgetSnapshot(_BudgetSnapshotAlways, total=False):
    reason: Literal["wall_time", "input_tokens", "output_tokens", "total_tokens", "cost", "tool_calls", "subagents", "turns"]


class _BudgetStateScopesItemAlways(TypedDict):
    scope: Literal["session", "task", "subagent"]
    limits: BudgetLimits
    snapshot: BudgetSnapshot


class BudgetStateScopesItem(_BudgetStateScopesItemAlways, total=False):
    id: str


class BudgetState(TypedDict):
    limits: BudgetLimits
    snapshot: BudgetSnapshot
    scopes: List[BudgetStateScopesItem]


class _BudgetWarningEventAlways(TypedDict):
    type: Literal["budget_warning"]
    scope: Literal["session", "task", "subagent"]
    snapshot: BudgetSnapshot
    sessionId: str
    epoch: str
    seq: int


class BudgetWarningEvent(_BudgetWarningEventAlways, total=False):
    """A limit is near; `snapshot.reason` says which. `id` names the subagent or the task call, where `scope` is not `session`."""
    id: str


class CancelDataCleared(TypedDict):
    steering: List[str]
    followUp: List[str]


class _CancelDataAlways(TypedDict):
    targetId: Union[str, float]
    outcome: Literal["cancelled", "already_done"]
    pidsKilled: List[int]
    ms: float


class CancelData(_CancelDataAlways, total=False):
    cleared: CancelDataCleared


class _CancelRequestAlways(TypedDict):
    type: Literal["cancel"]
    targetId: Union[str, float]


class CancelRequest(_CancelRequestAlways, total=False):
    """Ends a node of `get_fibers` and all nodes below it; answers when they have ended."""
    id: Union[str, float]
    reason: str
    graceMs: float


class CancelSubagentData(TypedDict):
    cancelled: bool


class _CancelSubagentRequestAlways(TypedDict):
    type: Literal["cancel_subagent"]
    subagentId: str


class CancelSubagentRequest(_CancelSubagentRequestAlways, total=False):
    """Ends a subagent and all below it, as `cancel` does; answers when they have ended."""
    id: Union[str, float]


class Capabilities(TypedDict):
    messageUpdates: List[Literal["full", "delta"]]
    approvals: bool
    chunks: bool
    fibers: bool
    queueIds: bool
    schema: bool
    hostTools: bool
    turnDiffs: bool


class ClearQueueData(TypedDict):
    steering: List[str]
    followUp: List[str]


class _ClearQueueRequestAlways(TypedDict):
    type: Literal["clear_queue"]


class ClearQueueRequest(_ClearQueueRequestAlways, total=False):
    """Empties the queue and answers with its texts; queued prompts end as aborted."""
    id: Union[str, float]


class _CloneDataAlways(TypedDict):
    cancelled: bool
    sessionId: str


class CloneData(_CloneDataAlways, total=False):
    sessionFile: str


class _CloneRequestAlways(TypedDict):
    type: Literal["clone"]


class CloneRequest(_CloneRequestAlways, total=False):
    """Opens a copy of the active branch as a new session."""
    id: Union[str, float]


class CompactDataResumed(TypedDict):
    runId: str
    messageId: str


class _CompactDataAlways(TypedDict):
    summary: str
    firstKeptEntryId: str
    tokensBefore: float


class CompactData(_CompactDataAlways, total=False):
    shortSummary: str
    details: Dict[str, Any]
    preserveData: Dict[str, Any]
    estimatedTokensAfter: float
    usage: Usage
    abortedRun: bool
    resumed: CompactDataResumed


class _CompactRequestAlways(TypedDict):
    type: Literal["compact"]


class CompactRequest(_CompactRequestAlways, total=False):
    """Replaces the older part of the conversation by a summary."""
    id: Union[str, float]
    customInstructions: str
    resume: bool


class _CompactionEndEventAlways(TypedDict):
    type: Literal["compaction_end"]
    reason: Literal["manual", "threshold", "overflow", "idle"]
    aborted: bool
    willRetry: bool
    compactionId: str
    sessionId: str
    epoch: str
    seq: int


class CompactionEndEvent(_CompactionEndEventAlways, total=False):
    """The compaction has ended. With a `result` it has replaced part of the conversation."""
    result: CompactionResult
    errorMessage: str
    skipped: bool
    runId: str


class _CompactionEventAlways(TypedDict):
    type: Literal["compaction"]
    summary: str
    tokensBefore: float
    compactionId: str
    sessionId: str
    epoch: str
    seq: int


class CompactionEvent(_CompactionEventAlways, total=False):
    """In place of the four in the dialect `pi-early`, when a compaction has succeeded."""
    auto: bool
    runId: str


class _CompactionResultAlways(TypedDict):
    summary: str
    firstKeptEntryId: str
    tokensBefore: float


class CompactionResult(_CompactionResultAlways, total=False):
    shortSummary: str
    details: Dict[str, Any]
    preserveData: Dict[str, Any]
    estimatedTokensAfter: float
    usage: Usage


class _CompactionStartEventAlways(TypedDict):
    type: Literal["compaction_start"]
    reason: Literal["manual", "threshold", "overflow", "idle"]
    compactionId: str
    sessionId: str
    epoch: str
    seq: int


class CompactionStartEvent(_CompactionStartEventAlways, total=False):
    """The same for hosts that know this name; the only start frame of the command `compact`."""
    runId: str


class _CompactionSummaryMessageAlways(TypedDict):
    role: Literal["compactionSummary"]
    summary: str
    tokensBefore: float
    timestamp: float


class CompactionSummaryMessage(_CompactionSummaryMessageAlways, total=False):
    shortSummary: str


class ContextUsage(TypedDict):
    tokens: Optional[float]
    contextWindow: float
    percent: Optional[float]


class _CustomMessageAlways(TypedDict):
    role: Literal["custom"]
    customType: str
    content: Union[str, List[Union[TextContent, ImageContent]]]
    display: bool
    timestamp: float


class CustomMessage(_CustomMessageAlways, total=False):
    details: Any


class _CycleModelDataValueAlways(TypedDict):
    model: Model
    thinkingLevel: ThinkingLevel
    isScoped: bool


class CycleModelDataValue(_CycleModelDataValueAlways, total=False):
    thinkingLevelExact: ThinkingLevel


class _CycleModelRequestAlways(TypedDict):
    type: Literal["cycle_model"]


class CycleModelRequest(_CycleModelRequestAlways, total=False):
    """Switches to the next model of the scoped list, or of all available ones; `null` when there are fewer than two."""
    id: Union[str, float]


class _CycleThinkingLevelDataValueAlways(TypedDict):
    level: ThinkingLevel


class CycleThinkingLevelDataValue(_CycleThinkingLevelDataValueAlways, total=False):
    thinkingLevelExact: ThinkingLevel


class _CycleThinkingLevelRequestAlways(TypedDict):
    type: Literal["cycle_thinking_level"]


class CycleThinkingLevelRequest(_CycleThinkingLevelRequestAlways, total=False):
    """Switches to the next level the model supports; `null` when it does not reason."""
    id: Union[str, float]


class _EditQueuedMessageRequestAlways(TypedDict):
    type: Literal["edit_queued_message"]
    messageId: str


class EditQueuedMessageRequest(_EditQueuedMessageRequestAlways, total=False):
    """Changes the text or the images of a queued message; with `expectedRevision` only if the queue still has that revision."""
    id: Union[str, float]
    message: str
    images: List[ImageContent]
    expectedRevision: int


class Enforcement(TypedDict):
    sandbox: Literal["none", "workspace-write", "read-only"]
    network: Literal["open", "proxy", "off"]
    approvals: ApprovalMode
    trust: TrustLevel
    backend: SandboxBackend
    outside: List[str]


class _EntryAppendedEventEntryAlways(TypedDict):
    type: Literal["custom"]
    id: str
    parentId: Optional[str]
    timestamp: str
    customType: str


class EntryAppendedEventEntry(_EntryAppendedEventEntryAlways, total=False):
    data: Any


class EntryAppendedEvent(TypedDict):
    """An extension has stored an entry of its own."""
    type: Literal["entry_appended"]
    entry: EntryAppendedEventEntry
    sessionId: str
    epoch: str
    seq: int


class ErrorEvent(TypedDict):
    """Malformed input, or an automatic compaction that failed, in the dialect `pi-early` only."""
    type: Literal["error"]
    error: str
    sessionId: str
    epoch: str
    seq: int


class ExportHtmlData(TypedDict):
    path: str


class _ExportHtmlRequestAlways(TypedDict):
    type: Literal["export_html"]


class ExportHtmlRequest(_ExportHtmlRequestAlways, total=False):
    """Writes the session into one self-contained HTML file and answers its absolute path."""
    id: Union[str, float]
    outputPath: str


class _ExtensionErrorEventAlways(TypedDict):
    type: Literal["extension_error"]
    extensionPath: str
    event: str
    error: str
    sessionId: str
    epoch: str
    seq: int


class ExtensionErrorEvent(_ExtensionErrorEventAlways, total=False):
    """A failure outside the run. When a slash command fails, `extensionPath` is `command:<name>` and `event` is `command`. When the session cannot be stored, or only in another file, `extensionPath` is `session` and `event` is `persist`; when a record could not be encoded as it is, they are `rpc` and `encode`, and the record came before it with a text in place of what could not be encoded. `location` says where code of an extension failed, as `file:line:column`."""
    location: str


class ExtensionUiRequestEventOptionDetailsItem(TypedDict, total=False):
    description: str


class _ExtensionUiRequestEventAlways(TypedDict):
    type: Literal["extension_ui_request"]
    id: str
    method: Literal["select", "confirm", "input", "editor", "cancel", "notify", "setStatus", "setWidget", "setTitle", "set_editor_text"]
    sessionId: str
    epoch: str
    seq: int


class ExtensionUiRequestEvent(_ExtensionUiRequestEventAlways, total=False):
    """A question to the user (`select`, `confirm`, `input`, `editor`: answer with `extension_ui_response`), the withdrawal of one (`cancel`), or something to show. The members depend on `method`: see [hosts/questions.md](hosts/questions.md)."""
    title: str
    options: List[str]
    optionDetails: List[ExtensionUiRequestEventOptionDetailsItem]
    message: str
    placeholder: str
    prefill: str
    promptStyle: bool
    timeout: int
    targetId: str
    notifyType: Literal["info", "warning", "error"]
    statusKey: str
    statusText: str
    widgetKey: str
    widgetLines: List[str]
    widgetPlacement: Literal["aboveEditor", "belowEditor"]
    text: str
    approvalId: str


class _ExtensionUiResponseFrameAlways(TypedDict):
    type: Literal["extension_ui_response"]
    id: str


class ExtensionUiResponseFrame(_ExtensionUiResponseFrameAlways, total=False):
    """The answer to an `extension_ui_request`: `value` for `select`, `input` and `editor`, `confirmed` for `confirm`, or `cancelled`. An answer of the wrong kind counts as cancelled; `timedOut` says that the host did not wait any longer."""
    value: str
    confirmed: bool
    cancelled: bool
    timedOut: bool


class FiberNodeProgress(TypedDict):
    count: int
    unit: Literal["deltas"]
    lastAt: float


class _FiberNodeWaitingOnAlways(TypedDict):
    kind: str


class FiberNodeWaitingOn(_FiberNodeWaitingOnAlways, total=False):
    id: str
    until: float


class _FiberNodeAlways(TypedDict):
    id: str
    kind: Literal["session", "run", "turn", "model_call", "retry_wait", "tool_call", "host_call", "dialog", "approval", "compaction", "bash", "subagent", "verification", "command", "hook", "startup"]
    label: str
    status: Literal["running", "waiting", "cancelling"]
    startedAt: float
    ageMs: float
    refs: Dict[str, Union[str, float]]
    cancellable: bool
    children: List[FiberNode]


class FiberNode(_FiberNodeAlways, total=False):
    progress: FiberNodeProgress
    pids: List[int]
    waitingOn: FiberNodeWaitingOn


class _FileChangeAlways(TypedDict):
    path: str
    kind: Literal["create", "modify", "delete"]
    added: int
    removed: int


class FileChange(_FileChangeAlways, total=False):
    unified: str


class FileDiff(TypedDict):
    path: str
    kind: Literal["create", "modify", "delete"]
    unified: str
    truncated: bool


class _FollowUpRequestAlways(TypedDict):
    type: Literal["follow_up"]
    message: str


class FollowUpRequest(_FollowUpRequestAlways, total=False):
    """Queues a message for when the model would stop."""
    id: Union[str, float]
    images: List[ImageContent]
    clientMessageId: str


class _ForkDataAlways(TypedDict):
    cancelled: bool
    sessionId: str


class ForkData(_ForkDataAlways, total=False):
    text: str
    sessionFile: str


class _ForkRequestAlways(TypedDict):
    type: Literal["fork"]


class ForkRequest(_ForkRequestAlways, total=False):
    """Opens a copy of the session that ends before a user message; `text` is that message."""
    id: Union[str, float]
    entryId: str
    include: bool


class GetApprovalsData(TypedDict):
    approvals: List[ApprovalQuestion]


class _GetApprovalsRequestAlways(TypedDict):
    type: Literal["get_approvals"]


class GetApprovalsRequest(_GetApprovalsRequestAlways, total=False):
    """The questions that are open, as their `approval_request` frames have them."""
    id: Union[str, float]


class GetAvailableCommandsData(TypedDict):
    commands: List[AvailableCommand]


class _GetAvailableCommandsRequestAlways(TypedDict):
    type: Literal["get_available_commands"]


class GetAvailableCommandsRequest(_GetAvailableCommandsRequestAlways, total=False):
    """The same in the form of the omp family. `available_commands_update` has it whenever it changes."""
    id: Union[str, float]


class GetAvailableModelsData(TypedDict):
    models: List[Model]


class _GetAvailableModelsRequestAlways(TypedDict):
    type: Literal["get_available_models"]


class GetAvailableModelsRequest(_GetAvailableModelsRequestAlways, total=False):
    """Models whose provider has credentials or needs none."""
    id: Union[str, float]


class GetAvailableThinkingLevelsData(TypedDict):
    levels: List[ThinkingLevel]


class _GetAvailableThinkingLevelsRequestAlways(TypedDict):
    type: Literal["get_available_thinking_levels"]


class GetAvailableThinkingLevelsRequest(_GetAvailableThinkingLevelsRequestAlways, total=False):
    """The levels the current model supports, `off` first."""
    id: Union[str, float]


class GetBranchMessagesDataMessagesItem(TypedDict):
    entryId: str
    text: str


class GetBranchMessagesData(TypedDict):
    messages: List[GetBranchMessagesDataMessagesItem]


class _GetBranchMessagesRequestAlways(TypedDict):
    type: Literal["get_branch_messages"]


class GetBranchMessagesRequest(_GetBranchMessagesRequestAlways, total=False):
    """The messages of the user that `branch` takes, oldest first."""
    id: Union[str, float]


class _GetBudgetRequestAlways(TypedDict):
    type: Literal["get_budget"]


class GetBudgetRequest(_GetBudgetRequestAlways, total=False):
    """The limits of the session, what it has spent, and the same for every scope that is open in it."""
    id: Union[str, float]


class _GetCommandsDataCommandsItemSourceInfoAlways(TypedDict):
    path: str
    source: str
    scope: Literal["temporary", "user", "project"]
    origin: Literal["top-level", "package"]


class GetCommandsDataCommandsItemSourceInfo(_GetCommandsDataCommandsItemSourceInfoAlways, total=False):
    baseDir: str


class _GetCommandsDataCommandsItemAlways(TypedDict):
    name: str
    source: Literal["extension", "prompt", "skill"]
    sourceInfo: GetCommandsDataCommandsItemSourceInfo


class GetCommandsDataCommandsItem(_GetCommandsDataCommandsItemAlways, total=False):
    description: str


class GetCommandsData(TypedDict):
    commands: List[GetCommandsDataCommandsItem]


class _GetCommandsRequestAlways(TypedDict):
    type: Literal["get_commands"]


class GetCommandsRequest(_GetCommandsRequestAlways, total=False):
    """The commands that a prompt can start with: those of extensions, then prompt templates, then skills."""
    id: Union[str, float]


class GetEntriesData(TypedDict):
    entries: List[Dict[str, Any]]
    leafId: Optional[str]


class _GetEntriesRequestAlways(TypedDict):
    type: Literal["get_entries"]


class GetEntriesRequest(_GetEntriesRequestAlways, total=False):
    """Every entry of the session in the order in which they were stored, or those after `since`."""
    id: Union[str, float]
    since: str


class GetFibersData(TypedDict):
    now: float
    fibers: List[FiberNode]


class _GetFibersRequestAlways(TypedDict):
    type: Literal["get_fibers"]


class GetFibersRequest(_GetFibersRequestAlways, total=False):
    """The tree of everything that runs in the session at this moment."""
    id: Union[str, float]


class GetForkMessagesDataMessagesItem(TypedDict):
    entryId: str
    text: str


class GetForkMessagesData(TypedDict):
    messages: List[GetForkMessagesDataMessagesItem]


class _GetForkMessagesRequestAlways(TypedDict):
    type: Literal["get_fork_messages"]


class GetForkMessagesRequest(_GetForkMessagesRequestAlways, total=False):
    """The messages of the user that `fork` takes, oldest first."""
    id: Union[str, float]


class _GetIntegrationsDataModelAlways(TypedDict):
    state: Literal["no_provider", "connected", "auth_error"]


class GetIntegrationsDataModel(_GetIntegrationsDataModelAlways, total=False):
    provider: str


class GetIntegrationsDataServicesItem(TypedDict):
    name: str


class GetIntegrationsData(TypedDict):
    version: str
    model: GetIntegrationsDataModel
    services: List[GetIntegrationsDataServicesItem]


class _GetIntegrationsRequestAlways(TypedDict):
    type: Literal["get_integrations"]


class GetIntegrationsRequest(_GetIntegrationsRequestAlways, total=False):
    """Whether the selected model can be called. No other services are connected."""
    id: Union[str, float]


class GetLastAssistantTextData(TypedDict):
    text: Optional[str]


class _GetLastAssistantTextRequestAlways(TypedDict):
    type: Literal["get_last_assistant_text"]


class GetLastAssistantTextRequest(_GetLastAssistantTextRequestAlways, total=False):
    """Text of the newest assistant message; `null` when there is none."""
    id: Union[str, float]


class GetMessagesData(TypedDict):
    messages: List[AgentMessage]


class _GetMessagesPageDataAlways(TypedDict):
    messages: List[AgentMessage]
    totalMessages: int


class GetMessagesPageData(_GetMessagesPageDataAlways, total=False):
    nextCursor: str


class _GetMessagesPageRequestAlways(TypedDict):
    type: Literal["get_messages_page"]


class GetMessagesPageRequest(_GetMessagesPageRequestAlways, total=False):
    """The messages of the conversation in pages of at most `limit` (1 to 256, 100 unless given) and 768 KiB."""
    id: Union[str, float]
    cursor: str
    limit: float


class _GetMessagesRequestAlways(TypedDict):
    type: Literal["get_messages"]


class GetMessagesRequest(_GetMessagesRequestAlways, total=False):
    """The messages of the conversation, oldest first."""
    id: Union[str, float]
    afterEntryId: str
    limit: int


class GetQueueData(TypedDict):
    revision: int
    items: List[QueueItem]


class _GetQueueRequestAlways(TypedDict):
    type: Literal["get_queue"]


class GetQueueRequest(_GetQueueRequestAlways, total=False):
    """The queue in the order of delivery: steering, then follow-ups, then what waits for the next prompt."""
    id: Union[str, float]


class _GetSchemaDataAlways(TypedDict):
    protocolVersion: int
    hash: str


class GetSchemaData(_GetSchemaDataAlways, total=False):
    schema: Any
    notModified: bool


class _GetSchemaRequestAlways(TypedDict):
    type: Literal["get_schema"]


class GetSchemaRequest(_GetSchemaRequestAlways, total=False):
    """This reference as JSON Schema 2020-12, generated from the definitions that decode the input."""
    id: Union[str, float]
    part: Literal["commands", "events", "types", "all"]
    ifNoneMatch: str


class GetSessionStatsDataTokens(TypedDict):
    input: float
    output: float
    cacheRead: float
    cacheWrite: float
    total: float


class GetSessionStatsDataAllBranchesTokens(TypedDict):
    input: float
    output: float
    cacheRead: float
    cacheWrite: float
    total: float


class GetSessionStatsDataAllBranches(TypedDict):
    tokens: GetSessionStatsDataAllBranchesTokens
    cost: float


class _GetSessionStatsDataAlways(TypedDict):
    sessionId: str
    userMessages: int
    assistantMessages: int
    toolCalls: int
    toolResults: int
    totalMessages: int
    tokens: GetSessionStatsDataTokens
    cost: float
    allBranches: GetSessionStatsDataAllBranches


class GetSessionStatsData(_GetSessionStatsDataAlways, total=False):
    sessionFile: str
    contextUsage: ContextUsage


class _GetSessionStatsRequestAlways(TypedDict):
    type: Literal["get_session_stats"]


class GetSessionStatsRequest(_GetSessionStatsRequestAlways, total=False):
    """The number of messages, and the tokens and cost of the session."""
    id: Union[str, float]


class _GetStateRequestAlways(TypedDict):
    type: Literal["get_state"]


class GetStateRequest(_GetStateRequestAlways, total=False):
    """The state of the session; with `verbose` also the system prompt and the tools."""
    id: Union[str, float]
    verbose: bool


class GetSubagentMessagesData(TypedDict):
    sessionFile: str
    fromByte: int
    nextByte: int
    reset: bool
    entries: List[Dict[str, Any]]
    messages: List[Any]


class _GetSubagentMessagesRequestAlways(TypedDict):
    type: Literal["get_subagent_messages"]


class GetSubagentMessagesRequest(_GetSubagentMessagesRequestAlways, total=False):
    """The transcript of a subagent of this session from a byte on, in whole lines, also after its end."""
    id: Union[str, float]
    subagentId: str
    sessionFile: str
    fromByte: float


class GetSubagentsData(TypedDict):
    subagents: List[SubagentInfo]


class _GetSubagentsRequestAlways(TypedDict):
    type: Literal["get_subagents"]


class GetSubagentsRequest(_GetSubagentsRequestAlways, total=False):
    """The subagents that run, in the order of their start."""
    id: Union[str, float]


class GetTreeData(TypedDict):
    tree: List[SessionTreeNode]
    leafId: Optional[str]


class _GetTreeRequestAlways(TypedDict):
    type: Literal["get_tree"]


class GetTreeRequest(_GetTreeRequestAlways, total=False):
    """The entries of the session, each with its children."""
    id: Union[str, float]


class HostToolCallEvent(TypedDict):
    """Asks the host to run one of its tools and to send `host_tool_result`."""
    type: Literal["host_tool_call"]
    id: str
    toolCallId: str
    toolName: str
    arguments: Dict[str, Any]
    sessionId: str
    epoch: str
    seq: int


class HostToolCancelEvent(TypedDict):
    """Tells the host to stop the call `targetId`: its result is not needed any more."""
    type: Literal["host_tool_cancel"]
    id: str
    targetId: str
    sessionId: str
    epoch: str
    seq: int


class _HostToolDefinitionAlways(TypedDict):
    name: str
    description: str
    parameters: Dict[str, Any]


class HostToolDefinition(_HostToolDefinitionAlways, total=False):
    label: str
    hidden: bool
    timeoutMs: float


class _HostToolOutputAlways(TypedDict):
    content: List[Union[TextContent, ImageContent]]


class HostToolOutput(_HostToolOutputAlways, total=False):
    details: Any
    isWarning: bool


class _HostToolResultFrameAlways(TypedDict):
    type: Literal["host_tool_result"]
    id: str
    result: HostToolOutput


class HostToolResultFrame(_HostToolResultFrameAlways, total=False):
    """The result of a host tool call. With `isError` the model is told that the call failed; `result.isWarning` is kept for people who look at it."""
    isError: bool


class HostToolUpdateFrame(TypedDict):
    """Progress of a host tool call; `partialResult` is all output so far. Restarts the timeout of the call."""
    type: Literal["host_tool_update"]
    id: str
    partialResult: HostToolOutput


class ImageContent(TypedDict):
    type: Literal["image"]
    data: str
    mimeType: str


class InitializeDataServerInfo(TypedDict):
    name: str
    version: str


class InitializeDataLimits(TypedDict):
    maxInboundFrameBytes: int
    maxFrameBytes: int
    maxReassembledFrameBytes: int


class InitializeData(TypedDict):
    protocolVersion: int
    serverInfo: InitializeDataServerInfo
    dialect: str
    dialects: List[str]
    capabilities: Capabilities
    limits: InitializeDataLimits
    enforcement: Enforcement
    schemaHash: str
    sessionId: str
    epoch: str
    seq: int


class InitializeRequestClientInfo(TypedDict, total=False):
    name: str
    version: str


class InitializeRequestCapabilities(TypedDict, total=False):
    messageUpdates: Literal["full", "delta"]
    approvals: bool
    chunks: bool
    turnDiffs: bool
    abortQueue: AbortQueue
    ui: List[str]


class _InitializeRequestAlways(TypedDict):
    type: Literal["initialize"]


class InitializeRequest(_InitializeRequestAlways, total=False):
    """Exchanges versions and capabilities; all members are optional. Send it once, best as the first command."""
    id: Union[str, float]
    protocolVersion: int
    clientInfo: InitializeRequestClientInfo
    capabilities: InitializeRequestCapabilities


class _ListSessionsDataAlways(TypedDict):
    sessions: List[ListedSession]


class ListSessionsData(_ListSessionsDataAlways, total=False):
    nextCursor: str


class _ListSessionsRequestAlways(TypedDict):
    type: Literal["list_sessions"]


class ListSessionsRequest(_ListSessionsRequestAlways, total=False):
    """The open and the stored sessions, most recently used first."""
    id: Union[str, float]
    scope: Literal["open", "stored", "all"]
    cwd: str
    query: str
    cursor: str
    limit: int


class _ListedSessionAlways(TypedDict):
    sessionId: str
    open: bool
    isDefault: bool
    cwd: str
    createdAt: str
    updatedAt: str
    messageCount: int


class ListedSession(_ListedSessionAlways, total=False):
    name: str
    sessionFile: str
    firstMessage: str
    model: str


class MessageEndEventMessage(TypedDict):
    role: Literal["user"]
    content: List[Union[TextContent, ImageContent]]
    timestamp: float
    attachments: List[Attachment]


class _MessageEndEventAlways(TypedDict):
    type: Literal["message_end"]
    message: Union[RunMessage, MessageEndEventMessage]
    messageId: str
    sessionId: str
    epoch: str
    seq: int


class MessageEndEvent(_MessageEndEventAlways, total=False):
    """The message is final and stored."""
    clientMessageId: str
    runId: str


class MessageStartEventMessage(TypedDict):
    role: Literal["user"]
    content: List[Union[TextContent, ImageContent]]
    timestamp: float
    attachments: List[Attachment]


class _MessageStartEventAlways(TypedDict):
    type: Literal["message_start"]
    message: Union[RunMessage, MessageStartEventMessage]
    messageId: str
    sessionId: str
    epoch: str
    seq: int


class MessageStartEvent(_MessageStartEventAlways, total=False):
    """A message begins; an assistant message starts empty. A custom message that joins the conversation outside a run has no `runId`."""
    clientMessageId: str
    runId: str


class MessageUpdateEventMessage(TypedDict):
    role: Literal["assistant"]


class _MessageUpdateEventAlways(TypedDict):
    type: Literal["message_update"]
    assistantMessageEvent: AssistantMessageEvent
    usage: Usage
    messageId: str
    runId: str
    sessionId: str
    epoch: str
    seq: int


class MessageUpdateEvent(_MessageUpdateEventAlways, total=False):
    """A step of the assistant message that is streaming; in delta form without `message` and `partial`, after `set_event_filter` with only the `role` of the message."""
    message: Union[AssistantMessage, MessageUpdateEventMessage]


class ModelCost(TypedDict):
    input: float
    output: float
    cacheRead: float
    cacheWrite: float


class _ModelAlways(TypedDict):
    id: str
    name: str
    api: str
    provider: str
    baseUrl: str
    reasoning: bool
    input: List[Literal["text", "image"]]
    cost: ModelCost
    contextWindow: float
    maxTokens: float


class Model(_ModelAlways, total=False):
    costUnknown: Literal[True]
    thinkingLevelMap: Dict[str, Optional[str]]


class ModelChangedEvent(TypedDict):
    """The model has changed."""
    type: Literal["model_changed"]
    model: Model
    sessionId: str
    epoch: str
    seq: int


class _NavigateTreeDataAlways(TypedDict):
    cancelled: bool


class NavigateTreeData(_NavigateTreeDataAlways, total=False):
    editorText: str


class _NavigateTreeRequestAlways(TypedDict):
    type: Literal["navigate_tree"]
    entryId: str


class NavigateTreeRequest(_NavigateTreeRequestAlways, total=False):
    """Moves the leaf to another entry of the session, where the conversation then continues."""
    id: Union[str, float]
    summarize: bool


class NegotiateProtocolData(TypedDict):
    protocolVersion: int


class _NegotiateProtocolRequestAlways(TypedDict):
    type: Literal["negotiate_protocol"]
    protocolVersion: float


class NegotiateProtocolRequest(_NegotiateProtocolRequestAlways, total=False):
    """Agrees on transport version 2 of the omp family: after the response, long frames come as `rpc_chunk`."""
    id: Union[str, float]


class _NewSessionDataAlways(TypedDict):
    cancelled: bool
    sessionId: str


class NewSessionData(_NewSessionDataAlways, total=False):
    sessionFile: str


class _NewSessionRequestAlways(TypedDict):
    type: Literal["new_session"]


class NewSessionRequest(_NewSessionRequestAlways, total=False):
    """Opens an empty session."""
    id: Union[str, float]
    parentSession: str


class NoticeEvent(TypedDict):
    """A message for people. When the session cannot be stored (`error`), or only in another file (`warning`), `source` is `session-persistence`; when parts of a project that is not trusted were left out, it is `trust`; when settings were ignored, it is `settings`; when a question to the user got its default because the host cannot answer it, it is `ui`."""
    type: Literal["notice"]
    level: Literal["info", "warning", "error"]
    message: str
    source: str
    sessionId: str
    epoch: str
    seq: int


class _OpenSessionDataAlways(TypedDict):
    resumed: bool
    cancelled: bool
    sessionId: str


class OpenSessionData(_OpenSessionDataAlways, total=False):
    sessionFile: str


class _OpenSessionRequestAlways(TypedDict):
    type: Literal["open_session"]


class OpenSessionRequest(_OpenSessionRequestAlways, total=False):
    """Opens the newest session of a folder that has messages, or a new one there."""
    id: Union[str, float]
    sessionDir: str
    parallel: bool
    provider: str
    modelId: str


class _PingRequestAlways(TypedDict):
    type: Literal["ping"]


class PingRequest(_PingRequestAlways, total=False):
    """Answers at once."""
    id: Union[str, float]


class _PromoteQueuedMessageDataAlways(TypedDict):
    promoted: bool


class PromoteQueuedMessageData(_PromoteQueuedMessageDataAlways, total=False):
    position: int


class _PromoteQueuedMessageRequestAlways(TypedDict):
    type: Literal["promote_queued_message"]


class PromoteQueuedMessageRequest(_PromoteQueuedMessageRequestAlways, total=False):
    """Moves a queued message to the end of steering, or to the front of the queue it is in."""
    id: Union[str, float]
    messageId: str
    message: str
    to: Literal["steering", "front"]


class PromptDispositionCleared(TypedDict):
    steering: List[str]
    followUp: List[str]


class _PromptDispositionAlways(TypedDict):
    disposition: Literal["started", "queued", "handled"]


class PromptDisposition(_PromptDispositionAlways, total=False):
    runId: str
    messageId: str
    clientMessageId: str
    agentInvoked: bool
    duplicate: bool
    queued: bool
    idle: bool
    cleared: PromptDispositionCleared


class _PromptRequestAlways(TypedDict):
    type: Literal["prompt"]
    message: str


class PromptRequest(_PromptRequestAlways, total=False):
    """Sends a user message: starts a run, or with `streamingBehavior` joins the active one."""
    id: Union[str, float]
    images: List[ImageContent]
    clientMessageId: str
    attachments: List[Attachment]
    streamingBehavior: Literal["steer", "followUp"]


class _PromptResultEventAlways(TypedDict):
    type: Literal["prompt_result"]
    agentInvoked: bool
    status: Literal["completed", "aborted", "error"]
    sessionSettled: bool
    sessionId: str
    epoch: str
    seq: int


class PromptResultEvent(_PromptResultEventAlways, total=False):
    """How an accepted prompt ended: one for each, with the id of its request."""
    id: Union[str, float]
    error: RunFailure
    runId: str


class QueueItemCustom(TypedDict):
    customType: str
    display: bool


class _QueueItemAlways(TypedDict):
    messageId: str
    queue: Literal["steering", "followUp", "nextTurn"]
    position: int
    text: str
    images: int
    createdAt: float


class QueueItem(_QueueItemAlways, total=False):
    clientMessageId: str
    requestId: Union[str, float]
    custom: QueueItemCustom


class QueueUpdateEventCounts(TypedDict):
    steering: int
    followUp: int
    nextTurn: int


class _QueueUpdateEventAlways(TypedDict):
    type: Literal["queue_update"]
    items: List[QueueItem]
    revision: int
    sessionId: str
    epoch: str
    seq: int


class QueueUpdateEvent(_QueueUpdateEventAlways, total=False):
    """The queue has changed; the frame has all of it. `steering` and `followUp` are the texts of the user; `items` and `counts` include custom messages, whose `items` have `custom`. Of more than 100 messages it has `counts`, the `items` that are new or changed and the ids of those `removed`; `get_queue` has all. A message leaves the queue right before its `message_start`."""
    steering: List[str]
    followUp: List[str]
    counts: QueueUpdateEventCounts
    removed: List[str]


class ReadyEventServer(TypedDict):
    name: str
    version: str


class ReadyEventProtocol(TypedDict):
    name: str
    version: int
    dialect: str
    dialects: List[str]
    initialize: bool


class ReadyEvent(TypedDict):
    """The first frame: version, protocol and capabilities of heddle."""
    type: Literal["ready"]
    version: str
    protocolVersion: int
    supportedProtocolVersions: List[int]
    maxInboundFrameBytes: int
    maxFrameBytes: int
    maxReassembledFrameBytes: int
    server: ReadyEventServer
    protocol: ReadyEventProtocol
    capabilities: Capabilities
    enforcement: Enforcement
    schemaHash: str
    sessionId: str
    epoch: str
    seq: int


class _RemoveQueuedMessageDataAlways(TypedDict):
    removed: bool


class RemoveQueuedMessageData(_RemoveQueuedMessageDataAlways, total=False):
    item: QueueItem


class _RemoveQueuedMessageRequestAlways(TypedDict):
    type: Literal["remove_queued_message"]


class RemoveQueuedMessageRequest(_RemoveQueuedMessageRequestAlways, total=False):
    """Takes one message out of the queue: by `messageId`, or the first of a `queue` with the text `message`."""
    id: Union[str, float]
    messageId: str
    message: str
    queue: Literal["steering", "followUp"]


class _ResponseAlways(TypedDict):
    type: Literal["response"]
    command: str
    success: bool


class Response(_ResponseAlways, total=False):
    id: Union[str, float]
    data: Any
    error: str
    code: str
    requestId: Union[str, float]


class _RestoredQueueSteeringItemAlways(TypedDict):
    text: str


class RestoredQueueSteeringItem(_RestoredQueueSteeringItemAlways, total=False):
    images: List[ImageContent]


class _RestoredQueueFollowUpItemAlways(TypedDict):
    text: str


class RestoredQueueFollowUpItem(_RestoredQueueFollowUpItemAlways, total=False):
    images: List[ImageContent]


class _RestoredQueueAlways(TypedDict):
    steering: List[RestoredQueueSteeringItem]
    followUp: List[RestoredQueueFollowUpItem]


class RestoredQueue(_RestoredQueueAlways, total=False):
    imagesDropped: int


RetryFallbackAppliedEvent = TypedDict(
    "RetryFallbackAppliedEvent",
    {
        "type": "Literal[\"retry_fallback_applied\"]",
        "from": "str",
        "to": "str",
        "role": "str",
        "runId": "str",
        "sessionId": "str",
        "epoch": "str",
        "seq": "int",
    },
)


class RetryFallbackSucceededEvent(TypedDict):
    """The model that took over has answered."""
    type: Literal["retry_fallback_succeeded"]
    model: str
    role: str
    runId: str
    sessionId: str
    epoch: str
    seq: int


class RpcChunkEvent(TypedDict):
    """Part of a long frame, for hosts that have agreed on chunks: see [chunks](hosts/protocol.md#chunks). It has no `sessionId`, `epoch` and `seq`; the frame has."""
    type: Literal["rpc_chunk"]
    chunkId: str
    index: int
    count: int
    byteLength: int
    data: str


class _RpcFrameErrorEventAlways(TypedDict):
    type: Literal["rpc_frame_error"]
    error: str
    sessionId: str
    epoch: str
    seq: int


class RpcFrameErrorEvent(_RpcFrameErrorEventAlways, total=False):
    """In place of a frame of more than 64 MiB, which cannot come in chunks."""
    originalType: str


class _RuleAlways(TypedDict):
    name: str
    path: str
    content: str


class Rule(_RuleAlways, total=False):
    description: str
    globs: List[str]
    condition: List[str]
    scope: List[str]
    interruptMode: Literal["never", "prose-only", "tool-only", "always"]


class _RunFailureAlways(TypedDict):
    message: str
    retryable: bool


class RunFailure(_RunFailureAlways, total=False):
    provider: str
    model: str
    httpStatus: int
    code: Literal["budget_exceeded", "no_price"]


class _SandboxResultAlways(TypedDict):
    mode: str
    network: Literal["open", "off"]
    backend: SandboxBackend
    denied: bool


class SandboxResult(_SandboxResultAlways, total=False):
    advice: str


class _SessionInfoChangedEventAlways(TypedDict):
    type: Literal["session_info_changed"]
    sessionId: str
    epoch: str
    seq: int


class SessionInfoChangedEvent(_SessionInfoChangedEventAlways, total=False):
    """The name of the session, absent if it has none. Sent when the name or the session changes."""
    name: str


class _SessionInfoUpdateEventAlways(TypedDict):
    type: Literal["session_info_update"]
    sessionId: str
    epoch: str
    seq: int


class SessionInfoUpdateEvent(_SessionInfoUpdateEventAlways, total=False):
    """The same for hosts that know this name."""
    title: str


class SessionSettledEvent(TypedDict):
    """The session does nothing until the host sends a command."""
    type: Literal["session_settled"]
    sessionId: str
    epoch: str
    seq: int


class _SessionTreeNodeAlways(TypedDict):
    entry: Dict[str, Any]
    children: List[SessionTreeNode]


class SessionTreeNode(_SessionTreeNodeAlways, total=False):
    label: str
    labelTimestamp: str


class SetApprovalPolicyDataRules(TypedDict):
    allow: List[ApprovalRule]
    ask: List[ApprovalRule]
    deny: List[ApprovalRule]


class SetApprovalPolicyData(TypedDict):
    mode: ApprovalMode
    rules: SetApprovalPolicyDataRules


class SetApprovalPolicyRequestRules(TypedDict, total=False):
    allow: List[Union[str, ApprovalRule]]
    ask: List[Union[str, ApprovalRule]]
    deny: List[Union[str, ApprovalRule]]


class _SetApprovalPolicyRequestAlways(TypedDict):
    type: Literal["set_approval_policy"]


class SetApprovalPolicyRequest(_SetApprovalPolicyRequestAlways, total=False):
    """Sets what becomes of effects that no rule speaks of, and the rules of the host."""
    id: Union[str, float]
    mode: ApprovalMode
    rules: SetApprovalPolicyRequestRules


class _SetAutoCompactionRequestAlways(TypedDict):
    type: Literal["set_auto_compaction"]
    enabled: bool


class SetAutoCompactionRequest(_SetAutoCompactionRequestAlways, total=False):
    """Switches automatic compaction on or off, also for the active run."""
    id: Union[str, float]


class _SetAutoRetryRequestAlways(TypedDict):
    type: Literal["set_auto_retry"]
    enabled: bool


class SetAutoRetryRequest(_SetAutoRetryRequestAlways, total=False):
    """Switches automatic retries on or off; off also ends the current wait."""
    id: Union[str, float]


class SetBudgetRequestLimits(TypedDict, total=False):
    maxWallTimeMs: Optional[float]
    maxInputTokens: Optional[float]
    maxOutputTokens: Optional[float]
    maxTotalTokens: Optional[float]
    maxCostUsd: Optional[float]
    maxToolCalls: Optional[float]
    maxSubagents: Optional[float]
    maxTurns: Optional[float]
    warnAtRatio: Optional[float]


class _SetBudgetRequestAlways(TypedDict):
    type: Literal["set_budget"]
    limits: SetBudgetRequestLimits


class SetBudgetRequest(_SetBudgetRequestAlways, total=False):
    """Changes limits of the session: given members replace, `null` removes."""
    id: Union[str, float]


class SetEventFilterData(TypedDict):
    events: Optional[List[str]]
    messageUpdates: Literal["full", "delta"]


class _SetEventFilterRequestAlways(TypedDict):
    type: Literal["set_event_filter"]
    events: Any


class SetEventFilterRequest(_SetEventFilterRequestAlways, total=False):
    """Chooses which session events are sent, by their types; `null` means all of them."""
    id: Union[str, float]
    messageUpdates: Literal["full", "delta"]


class SetEventOptionsData(TypedDict):
    updates: Literal["full", "delta"]
    extra: bool


class _SetEventOptionsRequestAlways(TypedDict):
    type: Literal["set_event_options"]


class SetEventOptionsRequest(_SetEventOptionsRequestAlways, total=False):
    """Chooses the form of `message_update`: `full` repeats the whole message, `delta` sends increments only."""
    id: Union[str, float]
    updates: Literal["full", "delta"]
    extra: bool


class _SetFollowUpModeRequestAlways(TypedDict):
    type: Literal["set_follow_up_mode"]
    mode: QueueMode


class SetFollowUpModeRequest(_SetFollowUpModeRequestAlways, total=False):
    """Whether follow-up messages are delivered one per turn or all at once."""
    id: Union[str, float]


class SetHostToolsData(TypedDict):
    toolNames: List[str]


class _SetHostToolsRequestAlways(TypedDict):
    type: Literal["set_host_tools"]
    tools: List[HostToolDefinition]


class SetHostToolsRequest(_SetHostToolsRequestAlways, total=False):
    """Registers the tools that the host runs. They replace all that it had registered; `[]` removes them."""
    id: Union[str, float]


class _SetInterruptModeRequestAlways(TypedDict):
    type: Literal["set_interrupt_mode"]
    mode: InterruptMode


class SetInterruptModeRequest(_SetInterruptModeRequestAlways, total=False):
    """Whether steering waits for the tool calls of a turn or interrupts them."""
    id: Union[str, float]


class _SetLocaleRequestAlways(TypedDict):
    type: Literal["set_locale"]
    locale: str


class SetLocaleRequest(_SetLocaleRequestAlways, total=False):
    """The language of the user, for example `de` or `pt-BR`. It is kept; nothing depends on it yet."""
    id: Union[str, float]


class _SetModelRequestAlways(TypedDict):
    type: Literal["set_model"]
    provider: str
    modelId: str


class SetModelRequest(_SetModelRequestAlways, total=False):
    """Switches the model from the next model call on, also inside a run; the thinking level is clamped to it."""
    id: Union[str, float]


class _SetSessionNameRequestAlways(TypedDict):
    type: Literal["set_session_name"]
    name: str


class SetSessionNameRequest(_SetSessionNameRequestAlways, total=False):
    """Names the session: on one line, without control characters."""
    id: Union[str, float]


class _SetSteeringModeRequestAlways(TypedDict):
    type: Literal["set_steering_mode"]
    mode: QueueMode


class SetSteeringModeRequest(_SetSteeringModeRequestAlways, total=False):
    """Whether steering messages are delivered one per turn or all at once."""
    id: Union[str, float]


class SetSubagentSubscriptionData(TypedDict):
    level: Literal["off", "progress", "events"]


class _SetSubagentSubscriptionRequestAlways(TypedDict):
    type: Literal["set_subagent_subscription"]
    level: Literal["off", "progress", "events"]


class SetSubagentSubscriptionRequest(_SetSubagentSubscriptionRequestAlways, total=False):
    """Chooses how much is told of subagents: nothing more (`off`), their `progress`, or all their `events`, too."""
    id: Union[str, float]


class _SetThinkingLevelRequestAlways(TypedDict):
    type: Literal["set_thinking_level"]
    level: str


class SetThinkingLevelRequest(_SetThinkingLevelRequestAlways, total=False):
    """Sets how hard the model thinks, clamped to what it supports."""
    id: Union[str, float]


class SetTodosData(TypedDict):
    todoPhases: List[TodoPhase]


class _SetTodosRequestAlways(TypedDict):
    type: Literal["set_todos"]
    phases: List[TodoPhaseInput]


class SetTodosRequest(_SetTodosRequestAlways, total=False):
    """Replaces the todo list; `[]` clears it. Returns the list as it is kept."""
    id: Union[str, float]


class StartupEvent(TypedDict):
    """`extensions`: they join the session, and prompts wait. `done`: all that a prompt needs is loaded."""
    type: Literal["startup"]
    phase: Literal["extensions", "done"]
    ms: float
    sessionId: str
    epoch: str
    seq: int


class StateQueuedMessages(TypedDict):
    steering: List[str]
    followUp: List[str]


class StateProtocol(TypedDict):
    dialect: str
    version: int


class StateDumpToolsItem(TypedDict):
    name: str
    description: str
    parameters: Dict[str, Any]


class _StateAlways(TypedDict):
    thinkingLevel: ThinkingLevel
    isStreaming: bool
    isCompacting: bool
    steeringMode: QueueMode
    followUpMode: QueueMode
    interruptMode: InterruptMode
    sessionId: str
    autoCompactionEnabled: bool
    autoRetryEnabled: bool
    isRetrying: bool
    isBashRunning: bool
    messageCount: int
    queuedMessageCount: int
    pendingMessageCount: int
    todoPhases: List[TodoPhase]
    fastModeEnabled: bool
    fastModeActive: bool
    tokensPerSecond: Optional[float]
    hasPendingAsyncWork: bool
    isSettled: bool
    protocol: StateProtocol
    trust: TrustLevel
    enforcement: Enforcement


class State(_StateAlways, total=False):
    model: Model
    thinkingLevelExact: ThinkingLevel
    sessionFile: str
    sessionName: str
    queuedMessages: StateQueuedMessages
    contextUsage: ContextUsage
    budget: BudgetSnapshot
    systemPrompt: str
    dumpTools: List[StateDumpToolsItem]


class _SteerRequestAlways(TypedDict):
    type: Literal["steer"]
    message: str


class SteerRequest(_SteerRequestAlways, total=False):
    """Queues a message for the next model call of the active run; in `immediate` mode the remaining tool calls are skipped."""
    id: Union[str, float]
    images: List[ImageContent]
    clientMessageId: str


class _SteerSubagentRequestAlways(TypedDict):
    type: Literal["steer_subagent"]
    subagentId: str
    message: str


class SteerSubagentRequest(_SteerSubagentRequestAlways, total=False):
    """Queues a message for the next model call of a subagent that runs."""
    id: Union[str, float]


class _SubagentEndEventAlways(TypedDict):
    type: Literal["subagent_end"]
    id: str
    agent: str
    exitCode: int
    sessionId: str
    epoch: str
    seq: int


class SubagentEndEvent(_SubagentEndEventAlways, total=False):
    """The subagent has ended, and its work was verified if that was asked for."""
    verification: VerificationResult


class SubagentEventEventPayload(TypedDict):
    id: str
    event: Dict[str, Any]


class SubagentEventEvent(TypedDict):
    """An event of the subagent's own session, as its frame would be but without `sessionId`, `epoch` and `seq`; updates are in delta form. After `set_subagent_subscription` with the level `events`."""
    type: Literal["subagent_event"]
    payload: SubagentEventEventPayload
    sessionId: str
    epoch: str
    seq: int


class _SubagentInfoAlways(TypedDict):
    id: str
    index: int
    agent: str
    agentSource: Literal["project", "user", "bundled"]
    status: Literal["pending", "running", "completed", "failed", "aborted"]
    lastUpdate: float


class SubagentInfo(_SubagentInfoAlways, total=False):
    description: str
    task: str
    assignment: str
    sessionFile: str
    progress: SubagentProgress
    parentToolCallId: str


class _SubagentLifecycleEventPayloadAlways(TypedDict):
    id: str
    index: int
    agent: str
    agentSource: Literal["project", "user", "bundled"]
    status: Literal["started", "completed", "failed", "aborted"]


class SubagentLifecycleEventPayload(_SubagentLifecycleEventPayloadAlways, total=False):
    sessionFile: str
    parentToolCallId: str
    description: str


class SubagentLifecycleEvent(TypedDict):
    """The same two moments for hosts of the omp family; after `set_subagent_subscription`."""
    type: Literal["subagent_lifecycle"]
    payload: SubagentLifecycleEventPayload
    sessionId: str
    epoch: str
    seq: int


class SubagentProgressRecentToolsItem(TypedDict):
    tool: str
    args: str
    endMs: float


class _SubagentProgressAlways(TypedDict):
    index: int
    id: str
    agent: str
    status: Literal["pending", "running", "completed", "failed", "aborted"]
    task: str
    recentTools: List[SubagentProgressRecentToolsItem]
    recentOutput: List[str]
    toolCount: int
    tokens: float
    durationMs: float


class SubagentProgress(_SubagentProgressAlways, total=False):
    description: str
    currentTool: str
    currentToolArgs: str


class _SubagentProgressEventPayloadAlways(TypedDict):
    index: int
    agent: str
    agentSource: Literal["project", "user", "bundled"]
    task: str
    progress: SubagentProgress


class SubagentProgressEventPayload(_SubagentProgressEventPayloadAlways, total=False):
    sessionFile: str
    parentToolCallId: str
    assignment: str


class SubagentProgressEvent(TypedDict):
    """How far a subagent has come; after `set_subagent_subscription`."""
    type: Literal["subagent_progress"]
    payload: SubagentProgressEventPayload
    sessionId: str
    epoch: str
    seq: int


class SubagentStartEvent(TypedDict):
    """A subagent is about to start; `id` names it in all frames and commands. See [hosts/subagents.md](hosts/subagents.md#subagents)."""
    type: Literal["subagent_start"]
    id: str
    agent: str
    isolated: bool
    sessionId: str
    epoch: str
    seq: int


class _SubagentVerificationCommandEndEventAlways(TypedDict):
    type: Literal["subagent_verification_command_end"]
    id: str
    attempt: int
    commandName: str
    exitCode: int
    durationMs: float
    sessionId: str
    epoch: str
    seq: int


class SubagentVerificationCommandEndEvent(_SubagentVerificationCommandEndEventAlways, total=False):
    """The command has ended; `artifactId` is the file with its output, if there was any."""
    artifactId: str


class SubagentVerificationCommandStartEvent(TypedDict):
    """A command of the verification starts."""
    type: Literal["subagent_verification_command_start"]
    id: str
    attempt: int
    commandName: str
    sessionId: str
    epoch: str
    seq: int


class SubagentVerificationEndEvent(TypedDict):
    """All commands of the attempt have ended. A failed attempt may be followed by a repair and another attempt."""
    type: Literal["subagent_verification_end"]
    id: str
    attempt: int
    status: Literal["passed", "failed", "skipped", "budget_exceeded"]
    sessionId: str
    epoch: str
    seq: int


class _SubagentVerificationStartEventAlways(TypedDict):
    type: Literal["subagent_verification_start"]
    id: str
    attempt: int
    sessionId: str
    epoch: str
    seq: int


class SubagentVerificationStartEvent(_SubagentVerificationStartEventAlways, total=False):
    """The work of a subagent is about to be verified; `attempt` counts from 1."""
    profile: str


class _SummarizationRetryAttemptStartEventAlways(TypedDict):
    type: Literal["summarization_retry_attempt_start"]
    source: Literal["compaction", "branchSummary"]
    sessionId: str
    epoch: str
    seq: int


class SummarizationRetryAttemptStartEvent(_SummarizationRetryAttemptStartEventAlways, total=False):
    """The wait has ended, and the call for a summary is made again."""
    reason: Literal["manual", "threshold", "overflow", "idle"]


class SummarizationRetryFinishedEvent(TypedDict):
    """The call for a summary has succeeded, or is not retried any more."""
    type: Literal["summarization_retry_finished"]
    sessionId: str
    epoch: str
    seq: int


class SummarizationRetryScheduledEvent(TypedDict):
    """The call for a summary failed and is made again after `delayMs`."""
    type: Literal["summarization_retry_scheduled"]
    attempt: int
    maxAttempts: int
    delayMs: float
    errorMessage: str
    sessionId: str
    epoch: str
    seq: int


class _SwitchSessionDataAlways(TypedDict):
    cancelled: bool
    sessionId: str


class SwitchSessionData(_SwitchSessionDataAlways, total=False):
    sessionFile: str


class _SwitchSessionRequestAlways(TypedDict):
    type: Literal["switch_session"]
    sessionPath: str


class SwitchSessionRequest(_SwitchSessionRequestAlways, total=False):
    """Opens another session, by path, id, or the beginning of an id."""
    id: Union[str, float]
    provider: str
    modelId: str


class _TextContentAlways(TypedDict):
    type: Literal["text"]
    text: str


class TextContent(_TextContentAlways, total=False):
    textSignature: str


class _ThinkingContentAlways(TypedDict):
    type: Literal["thinking"]
    thinking: str


class ThinkingContent(_ThinkingContentAlways, total=False):
    thinkingSignature: str
    redacted: bool


class _ThinkingLevelChangedEventAlways(TypedDict):
    type: Literal["thinking_level_changed"]
    level: ThinkingLevel
    thinkingLevel: ThinkingLevel
    sessionId: str
    epoch: str
    seq: int


class ThinkingLevelChangedEvent(_ThinkingLevelChangedEventAlways, total=False):
    """The thinking level has changed; both members have the same value."""
    thinkingLevelExact: ThinkingLevel


class TodoAutoClearEvent(TypedDict):
    """Finished tasks have left the todo list; `get_state` has what is left."""
    type: Literal["todo_auto_clear"]
    sessionId: str
    epoch: str
    seq: int


class _TodoItemAlways(TypedDict):
    id: str
    content: str
    status: TodoStatus


class TodoItem(_TodoItemAlways, total=False):
    notes: str
    details: str
    blocker: str


class _TodoItemInputAlways(TypedDict):
    content: str


class TodoItemInput(_TodoItemInputAlways, total=False):
    id: str
    status: TodoStatus
    notes: str
    details: str
    blocker: str


class TodoPhase(TypedDict):
    id: str
    name: str
    tasks: List[TodoItem]


class _TodoPhaseInputAlways(TypedDict):
    name: str
    tasks: List[TodoItemInput]


class TodoPhaseInput(_TodoPhaseInputAlways, total=False):
    id: str


class TodoReminderEvent(TypedDict):
    """The model has stopped with open `todos`, and the run continues with a hidden reminder."""
    type: Literal["todo_reminder"]
    todos: List[TodoItem]
    attempt: int
    maxAttempts: int
    runId: str
    sessionId: str
    epoch: str
    seq: int


class TodoUpdateEvent(TypedDict):
    """The todo list has changed; `phases` is all of it."""
    type: Literal["todo_update"]
    phases: List[TodoPhase]
    by: Literal["model", "host", "clear"]
    sessionId: str
    epoch: str
    seq: int


class ToolCall(TypedDict):
    type: Literal["toolCall"]
    id: str
    name: str
    arguments: Dict[str, Any]


class _ToolExecutionEndEventAlways(TypedDict):
    type: Literal["tool_execution_end"]
    toolCallId: str
    toolName: str
    result: Union[ToolOutput, str]
    isError: bool
    durationMs: float
    runId: str
    sessionId: str
    epoch: str
    seq: int


class ToolExecutionEndEvent(_ToolExecutionEndEventAlways, total=False):
    """A tool call has its result; in the dialect `pi-early` that of a failed call is its text."""
    isWarning: bool


class ToolExecutionStartEvent(TypedDict):
    """A tool call starts, or gets its result without being run."""
    type: Literal["tool_execution_start"]
    toolCallId: str
    toolName: str
    args: Dict[str, Any]
    runId: str
    sessionId: str
    epoch: str
    seq: int


class ToolExecutionUpdateEvent(TypedDict):
    """Progress of a tool call; `partialResult` is all output so far."""
    type: Literal["tool_execution_update"]
    toolCallId: str
    toolName: str
    args: Dict[str, Any]
    partialResult: ToolOutput
    runId: str
    sessionId: str
    epoch: str
    seq: int


class _ToolOutputAlways(TypedDict):
    content: List[Union[TextContent, ImageContent]]


class ToolOutput(_ToolOutputAlways, total=False):
    details: Dict[str, Any]
    isWarning: bool


class _ToolResultMessageAlways(TypedDict):
    role: Literal["toolResult"]
    toolCallId: str
    toolName: str
    content: List[Union[TextContent, ImageContent]]
    isError: bool
    timestamp: float


class ToolResultMessage(_ToolResultMessageAlways, total=False):
    details: Dict[str, Any]
    isWarning: bool


class TtsrTriggeredEvent(TypedDict):
    """Stream rules have cut the model's answer off: it ends as `aborted`, and the next turn tells the model these rules. See [rules.md](rules.md)."""
    type: Literal["ttsr_triggered"]
    rules: List[Rule]
    runId: str
    sessionId: str
    epoch: str
    seq: int


class TurnDiffEvent(TypedDict):
    """The files that `edit` and `write` have changed in the turn, right before its `turn_end`; for hosts that have asked for it with `initialize`. See [turn diffs](hosts/runs.md#files-that-a-turn-has-changed)."""
    type: Literal["turn_diff"]
    turnId: str
    files: List[FileChange]
    turnIndex: int
    runId: str
    sessionId: str
    epoch: str
    seq: int


class TurnEndEvent(TypedDict):
    """The assistant message and all its tool results are final; results in the order of the calls."""
    type: Literal["turn_end"]
    message: AssistantMessage
    toolResults: List[ToolResultMessage]
    turnIndex: int
    runId: str
    sessionId: str
    epoch: str
    seq: int


class TurnStartEvent(TypedDict):
    """A turn starts: the messages that it adds and the model call follow."""
    type: Literal["turn_start"]
    turnIndex: int
    timestamp: float
    runId: str
    sessionId: str
    epoch: str
    seq: int


class UsageCost(TypedDict):
    input: float
    output: float
    cacheRead: float
    cacheWrite: float
    total: float


class _UsageAlways(TypedDict):
    input: float
    output: float
    cacheRead: float
    cacheWrite: float
    totalTokens: float
    cost: UsageCost


class Usage(_UsageAlways, total=False):
    estimated: Literal[True]


class UserMessage(TypedDict):
    role: Literal["user"]
    content: List[Union[TextContent, ImageContent]]
    timestamp: float


class _VerificationAttemptResultAlways(TypedDict):
    attempt: int
    status: Literal["passed", "failed", "skipped", "budget_exceeded"]
    startedAt: float
    endedAt: float
    commandResults: List[VerificationCommandResult]


class VerificationAttemptResult(_VerificationAttemptResultAlways, total=False):
    error: str


class _VerificationCommandResultAlways(TypedDict):
    name: str
    command: str
    exitCode: int
    durationMs: float


class VerificationCommandResult(_VerificationCommandResultAlways, total=False):
    optional: bool
    timedOut: bool
    artifactPath: str
    outputPreview: str


class _VerificationResultAlways(TypedDict):
    requested: bool
    status: Literal["not_requested", "passed", "failed", "skipped"]
    attempts: List[VerificationAttemptResult]
    retriesUsed: int


class VerificationResult(_VerificationResultAlways, total=False):
    profile: str
    mode: Literal["none", "command"]
    onFailure: Literal["return_failure", "discard_patch", "retry_once"]


AbortAndPromptData = PromptDisposition
AbortQueue = Literal["return", "keep"]
AgentMessage = Union[UserMessage, AssistantMessage, ToolResultMessage, BashExecutionMessage, CustomMessage, BranchSummaryMessage, CompactionSummaryMessage]
ApprovalDecision = Literal["allow_once", "allow_session", "allow_rule", "escalate", "deny"]
ApprovalMode = Literal["off", "ask", "deny"]
AssistantMessageEvent = Union[AssistantMessageEventValueTextStart, AssistantMessageEventValueTextDelta, AssistantMessageEventValueTextEnd, AssistantMessageEventValueThinkingStart, AssistantMessageEventValueThinkingDelta, AssistantMessageEventValueThinkingEnd, AssistantMessageEventValueToolcallStart, AssistantMessageEventValueToolcallDelta, AssistantMessageEventValueToolcallEnd]
BashData = BashResult
CycleModelData = Optional[CycleModelDataValue]
CycleThinkingLevelData = Optional[CycleThinkingLevelDataValue]
DecidedBy = Literal["host", "mirror", "policy", "deadline", "abort", "disconnect"]
EditQueuedMessageData = QueueItem
FollowUpData = PromptDisposition
GetBudgetData = BudgetState
GetStateData = State
InterruptMode = Literal["immediate", "wait"]
PingData = Dict[str, Any]
PromptData = PromptDisposition
QueueMode = Literal["all", "one-at-a-time"]
RiskLevel = Literal["low", "medium", "high", "critical"]
RunMessage = Union[UserMessage, AssistantMessage, ToolResultMessage, CustomMessage]
SandboxBackend = Literal["bubblewrap", "landlock", "seatbelt", "none"]
SetBudgetData = BudgetState
SetModelData = Model
SteerData = PromptDisposition
ThinkingLevel = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]
TodoStatus = Literal["pending", "in_progress", "blocked", "completed", "abandoned"]
TrustLevel = Literal["trusted", "untrusted"]

# Hosts must expect events of later versions, whose types are not in this list.
Event = Union[
    ReadyEvent,
    StartupEvent,
    AgentStartEvent,
    AgentEndEvent,
    TurnStartEvent,
    TurnDiffEvent,
    TurnEndEvent,
    MessageStartEvent,
    MessageUpdateEvent,
    MessageEndEvent,
    ToolExecutionStartEvent,
    ToolExecutionUpdateEvent,
    ToolExecutionEndEvent,
    HostToolCallEvent,
    HostToolCancelEvent,
    ExtensionUiRequestEvent,
    ApprovalRequestEvent,
    ApprovalResolvedEvent,
    AutoRetryStartEvent,
    AutoRetryEndEvent,
    RetryFallbackAppliedEvent,
    RetryFallbackSucceededEvent,
    TtsrTriggeredEvent,
    AutoCompactionStartEvent,
    CompactionStartEvent,
    CompactionEndEvent,
    AutoCompactionEndEvent,
    CompactionEvent,
    SummarizationRetryScheduledEvent,
    SummarizationRetryAttemptStartEvent,
    SummarizationRetryFinishedEvent,
    ErrorEvent,
    QueueUpdateEvent,
    TodoReminderEvent,
    TodoUpdateEvent,
    TodoAutoClearEvent,
    SubagentStartEvent,
    SubagentEndEvent,
    SubagentLifecycleEvent,
    SubagentProgressEvent,
    SubagentEventEvent,
    SubagentVerificationStartEvent,
    SubagentVerificationCommandStartEvent,
    SubagentVerificationCommandEndEvent,
    SubagentVerificationEndEvent,
    BudgetWarningEvent,
    BudgetExceededEvent,
    PromptResultEvent,
    AgentSettledEvent,
    SessionSettledEvent,
    EntryAppendedEvent,
    ModelChangedEvent,
    ThinkingLevelChangedEvent,
    SessionInfoChangedEvent,
    SessionInfoUpdateEvent,
    AvailableCommandsUpdateEvent,
    ExtensionErrorEvent,
    NoticeEvent,
    BashExecutionUpdateEvent,
    RpcChunkEvent,
    RpcFrameErrorEvent,
]

CommandName = Literal[
    "prompt",
    "steer",
    "follow_up",
    "abort",
    "abort_and_restore_queue",
    "abort_and_prompt",
    "clear_queue",
    "get_queue",
    "edit_queued_message",
    "remove_queued_message",
    "promote_queued_message",
    "set_steering_mode",
    "set_follow_up_mode",
    "set_interrupt_mode",
    "get_state",
    "get_messages",
    "get_messages_page",
    "get_last_assistant_text",
    "new_session",
    "switch_session",
    "branch",
    "fork",
    "clone",
    "open_session",
    "get_entries",
    "get_tree",
    "navigate_tree",
    "get_branch_messages",
    "get_fork_messages",
    "set_session_name",
    "get_session_stats",
    "export_html",
    "list_sessions",
    "set_model",
    "cycle_model",
    "get_available_models",
    "set_thinking_level",
    "cycle_thinking_level",
    "get_available_thinking_levels",
    "set_auto_retry",
    "abort_retry",
    "compact",
    "abort_compaction",
    "set_auto_compaction",
    "get_budget",
    "set_budget",
    "bash",
    "abort_bash",
    "set_approval_policy",
    "approval_response",
    "get_approvals",
    "set_host_tools",
    "set_todos",
    "set_subagent_subscription",
    "get_subagents",
    "get_subagent_messages",
    "cancel_subagent",
    "steer_subagent",
    "get_fibers",
    "cancel",
    "get_commands",
    "get_available_commands",
    "set_locale",
    "get_integrations",
    "ping",
    "get_schema",
    "initialize",
    "negotiate_protocol",
    "set_event_filter",
    "set_event_options",
]

# The codes of refused commands. Every command can also be refused with one of the codes in docs/hosts.md.
ErrorCode = Literal[
    "aborted",
    "already_compacted",
    "already_delivered",
    "already_initialized",
    "already_resolved",
    "ambiguous_session",
    "approval_timeout",
    "approval_unavailable",
    "approvals_fixed",
    "args_changed",
    "budget_exceeded",
    "budget_fixed",
    "busy",
    "cancelled",
    "client_message_conflict",
    "closing",
    "command_failed",
    "command_not_queueable",
    "denied",
    "entry_not_found",
    "export_failed",
    "invalid_cursor",
    "invalid_decision",
    "invalid_entry",
    "invalid_level",
    "invalid_name",
    "invalid_params",
    "invalid_thinking_level",
    "missing_credentials",
    "model_not_found",
    "model_unavailable",
    "newer_session",
    "no_model",
    "no_persistence",
    "no_price",
    "no_progress",
    "not_a_session",
    "not_cancellable",
    "not_started",
    "not_supported",
    "nothing_to_clone",
    "nothing_to_compact",
    "queue_full",
    "queue_item_not_found",
    "revision_conflict",
    "session_in_use",
    "session_not_found",
    "stale_cursor",
    "still_running",
    "store_failure",
    "summarization_failed",
    "tool_conflict",
    "tree_too_deep",
    "unknown_approval",
    "unknown_since",
    "unknown_subagent",
    "unknown_target",
    "unsupported_version",
]
